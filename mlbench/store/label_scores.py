"""The counts and areas of each label, from which all its scores are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from mlbench.store.plain_values import INTERNED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mlbench.metrics import LabelEvaluation

Count = Annotated[int, Field(ge=0, lt=2**53)]
Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
    config=ConfigDict(extra="forbid", strict=True, allow_inf_nan=False),
)
class LabelScores:
    """Columns with an entry for each label (or task) that was scored."""

    names: Annotated[list[str], INTERNED]
    train_positives: Annotated[list[Count], INTERNED] | None  # None where they are not known
    tp: list[Count]
    fp: list[Count]
    fn: list[Count]
    auc: list[Share | None]  # None where undefined
    average_precision: list[Share | None]

    @classmethod
    def of(
        cls,
        labels: LabelEvaluation,
        names: Sequence[str],
        columns: NDArray[np.int64] | None = None,
    ) -> LabelScores:
        """Name the labels of an evaluation.

        Parameters
        ----------
        labels : LabelEvaluation
        names : sequence of str
            Of all labels (or tasks) of the data set.
        columns : ndarray of int, optional
            Which of these are meant by 0, 1, ... where only some were learned.
        """
        numbers = labels.numbers if columns is None else columns[labels.numbers]
        train = labels.train_positives
        return cls(
            names=[names[number] for number in numbers.tolist()],
            train_positives=None if train is None else train.tolist(),
            tp=labels.tp.tolist(),
            fp=labels.fp.tolist(),
            fn=labels.fn.tolist(),
            auc=_defined(labels.auc),
            average_precision=_defined(labels.average_precision),
        )

    def __post_init__(self) -> None:
        columns: list[Sequence[object]] = [self.tp, self.fp, self.fn, self.auc]
        columns += [self.average_precision, self.train_positives or self.names]
        lengths = {len(column) for column in columns}
        if lengths != {len(self.names)}:
            raise ValueError("scores of labels have an entry for each label")

    def column(self, metric: str) -> list[float | None]:
        """Return a metric of `LABEL_METRICS`, or the positives of a part, for each label."""
        return _COLUMNS[metric](self)


LABEL_METRICS: Mapping[str, str] = MappingProxyType(
    {
        "macro_f1": "f1",
        "macro_auc": "auc",
        "macro_average_precision": "average_precision",
        "macro_precision": "precision",
        "macro_recall": "recall",
    }
)
"""By the metric that averages over labels: what it averages."""


def _defined(values: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _ratios(tops: list[int], *bottoms: list[int]) -> list[float | None]:
    sums = map(sum, zip(*bottoms, strict=True))
    return [top / bottom if bottom else None for top, bottom in zip(tops, sums, strict=True)]


_COLUMNS: Mapping[str, Callable[[LabelScores], list[float | None]]] = {
    "train_positives": lambda of: [*(of.train_positives or [])] or [None] * len(of.names),
    "test_positives": lambda of: [tp + fn for tp, fn in zip(of.tp, of.fn, strict=True)],
    "f1": lambda of: _ratios([2 * tp for tp in of.tp], of.tp, of.tp, of.fp, of.fn),
    "auc": lambda of: of.auc,
    "average_precision": lambda of: of.average_precision,
    "precision": lambda of: _ratios(of.tp, of.tp, of.fp),
    "recall": lambda of: _ratios(of.tp, of.tp, of.fn),
}
COLUMNS = tuple(_COLUMNS)
