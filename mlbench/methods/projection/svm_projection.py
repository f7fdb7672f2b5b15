"""Linear projections that are followed by one linear support vector machine per label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from mlbench.methods.base import grouped_by
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.methods.projection.base import LinearProjection
from mlbench.methods.projection.centered_svd import CenteredSVD
from mlbench.methods.svm.one_vs_rest import LOSSES, LabelSVMs, label_svms_path
from mlbench.solvers.arrays import Floats, Ints, Matrix


class SVMProjection(LinearProjection):
    """Base of the projections with `LabelSVMs` on their features.

    Parameters
    ----------
    n_components : int, optional
        The number of features; the rank of the labels, or of X if that is less, by default.
    ridge : float, default=0.01
        The penalty, as a multiple of the mean sum of squares of a feature that varies.
    C : float, default=1.0
        The weight of the SVMs' loss.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What a margin below 1 costs: what it is short of 1, or its square.
    scaled : bool, default=False
        Multiply every feature by its correlation, so that the SVMs lean on the better ones.
        If not, all have (with a ridge: up to) unit variance.
    rank_tol : float, optional
        Singular values of X up to this, relative to the largest, count as 0; what is due to
        rounding by default.

    Attributes
    ----------
    svms_ : LabelSVMs
    fit_report_ : dict
        ``gap``, the largest duality gap of a machine relative to its objective; ``converged``.
    mean_ : (d,) array
    scalings_ : (d, r) array
        `transform` is ``(X - mean_) @ scalings_``.
    correlations_ : (r,) array
    ridge_ : float
        The penalty itself.
    r_effective_ : int
        The number of features.
    constant_labels_ : int array
        The labels of one class in training; they score -1 or 1.
    """

    threshold = 0.0

    svms_: LabelSVMs

    def __init__(
        self,
        n_components: int | None = None,
        ridge: float = 1e-2,
        C: float = 1.0,
        loss: str = "hinge",
        scaled: bool = False,
        rank_tol: float | None = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.C = C
        self.loss = loss
        self.scaled = scaled
        self.rank_tol = rank_tol

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "C")
        require_one_of(self, "loss", tuple(LOSSES))
        require_one_of(self, "scaled", (True, False))

    def _finish(
        self, group: Sequence[tuple[int, Self]], features: Floats, svd: CenteredSVD, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        for same in grouped_by(group, ("scaled", "loss")):
            same.sort(key=lambda item: float(item[1].C))
            first = same[0][1]
            scale = first.correlations_ if first.scaled else np.ones(first.r_effective_)
            machines = label_svms_path(
                features * scale, Y, [model.C for _, model in same], first.loss
            )
            for (index, model), svms in zip(same, machines, strict=True):
                model.scalings_ = model.scalings_ * scale
                model.svms_ = svms
                yield index, model

    @property
    def fit_report_(self) -> dict[str, Any]:
        """The number of features, and how well the machines on them were fitted."""
        return {
            "components": int(self.r_effective_),
            "gap": float(self.svms_.gap_),
            "converged": bool(self.svms_.converged_),
        }

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return self.svms_.decision_function(self._features(X))
