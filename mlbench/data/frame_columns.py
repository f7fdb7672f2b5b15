"""The columns of a data set as a data frame, for methods that encode them themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from mlbench.data.encoding import width_of
from mlbench.data.labels import truth_values
from mlbench.data.table import Attribute
from mlbench.data.texts import Texts
from mlbench.solvers.arrays import Floats, Ints, Matrix

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class FrameColumns:
    """What the columns of a data set were before they were encoded as features.

    Attributes
    ----------
    attributes : tuple of Attribute
        In the order of their features.
    texts : Texts or None
        Its columns stand behind them.
    """

    attributes: tuple[Attribute, ...]
    texts: Texts | None = None

    def frame(self, X: Matrix, rows: Ints) -> pd.DataFrame:
        """Return samples as a data frame.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
            Their features.
        rows : (n,) int array
            The row of the data set that each comes from.

        Returns
        -------
        DataFrame
            Numbers as floats, NaN where missing; nominal values as categories, with all values that
            the data set declares; texts as str. Sparse numbers stay sparse.
        """
        import pandas as pd

        if issparse(X) and all(attribute.kind == "numeric" for attribute in self.attributes):
            names = [attribute.name for attribute in self.attributes]
            from_matrix: Any = pd.DataFrame.sparse
            found: pd.DataFrame = from_matrix.from_spmatrix(X, columns=names)
        else:
            dense = X.toarray() if issparse(X) else X
            columns, start = {}, 0
            for attribute in self.attributes:
                stop = start + width_of(attribute)
                columns[attribute.name] = _column(dense[:, start:stop], attribute)
                start = stop
            found = pd.DataFrame(columns, index=range(len(rows)))
        if self.texts is not None:
            for name, values in zip(self.texts.names, self.texts.values[rows].T, strict=True):
                found[name] = pd.Series(values, dtype=object)
        return found


def _column(features: Floats, attribute: Attribute) -> Any:
    """Return a column from the features that it is encoded as."""
    import pandas as pd

    if attribute.kind == "numeric":
        return features[:, 0].copy()
    truth = truth_values(attribute.values)
    if truth is None:
        positions = features.argmax(axis=1)
    else:  # one feature, the truth of the value
        place = {int(each): position for position, each in enumerate(truth)}
        positions = np.where(features[:, 0] == 1, place.get(1, 0), place.get(0, 0))
    values = np.array([*attribute.values, None], dtype=object)  # None, the last, is missing
    found = values[np.where(np.isnan(features[:, 0]), -1, positions)]
    return pd.Categorical(found, categories=list(attribute.values))
