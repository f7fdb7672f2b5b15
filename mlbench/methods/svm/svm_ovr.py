"""One linear support vector machine per label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.preprocessing import StandardScaler

from mlbench.methods.base import Grid, MultiLabelMethod, path_models
from mlbench.methods.feature_scales import require_scale
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.methods.svm.one_vs_rest import LOSSES, label_svms_path
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(eq=False, repr=False)
class SVMOneVsRest(MultiLabelMethod):
    """A linear support vector machine for every label, with an unpenalized bias.

    ``1/2 ||w||^2 + C sum_i loss(y_i (w'x_i + b))`` is minimized, label by label.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        ``max(0, 1 - m)`` of the margin m, or its square.
    scale : bool, default=False
        Divide every feature by its standard deviation first. Not recommended for rows of unit
        length, such as tf-idf.

    Attributes
    ----------
    coef_ : (k, d) array
        For the original features.
    intercept_ : (k,) array
    fit_report_ : dict
        ``gap``, the largest duality gap of a label relative to its objective; ``converged``.
    constant_labels_ : int array
        The labels with a single class in training; they score -1 or 1.

    References
    ----------
    The rival "SVM" of Ji & Ye (2009), Linear dimensionality reduction for multi-label
    classification, IJCAI.
    """

    C: float = 1.0
    loss: str = "hinge"
    scale: bool = False

    threshold = 0.0

    example_grid = (
        *({"C": C, "loss": loss} for C in (0.01, 1.0, 30.0) for loss in LOSSES),
        {"scale": True},
    )

    def _check_parameters(self) -> None:
        require_positive(self, "C")
        require_one_of(self, "loss", tuple(LOSSES))
        require_one_of(self, "scale", (True, False))

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Fit every label.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
        """
        X, Y, _ = self._check_training(X, Y)
        list(_fit_group([(0, self)], X, Y))
        return self

    def fit_path(self, X: Matrix, Y: Ints, grid: Grid) -> Iterator[tuple[int, SVMOneVsRest]]:
        """Yield (index, fitted model) for every point of a grid of parameters.

        All values of ``C`` share the products of rows.
        """
        for group in path_models(self, grid, by=("loss", "scale")):
            for _, model in group:
                checked, labels, _ = model._check_training(X, Y)
            yield from _fit_group(group, checked, labels)

    @property
    def fit_report_(self) -> dict[str, Any]:
        """The largest gap of a label, and whether all labels converged."""
        return {"gap": float(self.svms_.gap_), "converged": bool(self.svms_.converged_)}

    @property
    def intercept_(self) -> Floats:
        """The biases."""
        return self.svms_.intercept_  # type: ignore[no-any-return]

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return np.asarray(X @ self.coef_.T + self.intercept_)


def _fit_group(
    group: Sequence[tuple[int, SVMOneVsRest]], X: Matrix, Y: Ints
) -> Iterator[tuple[int, SVMOneVsRest]]:
    require_scale(X)
    first = group[0][1]
    deviation = np.ones(X.shape[1])
    if first.scale:
        scaler = StandardScaler(with_mean=False).fit(X)
        X, deviation = scaler.transform(X), scaler.scale_
    ordered = sorted(group, key=lambda item: float(item[1].C))
    machines = label_svms_path(X, Y, [model.C for _, model in ordered], first.loss)
    for (index, model), svms in zip(ordered, machines, strict=True):
        model.svms_ = svms
        model.coef_ = svms.coef_ / deviation
        yield index, model
