"""Base class of the linear projections followed by one linear SVM per label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mlbench.methods.base import grouped_by
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.methods.projection.centered_svd import CenteredSVD
from mlbench.methods.projection.linear_projection import LinearProjection
from mlbench.methods.svm.one_vs_rest import LOSSES, label_svms_path
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(eq=False, repr=False)
class SVMProjection(LinearProjection):
    """Base class of the projections with `LabelSVMs` on their features.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss of every SVM, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss of the SVMs: ``max(0, 1 - m)`` of the margin m, or its square.
    scaled : bool, default=False
        Multiply every feature by its correlation, which favors the features with higher ones. If
        False, all features have variance 1, or less with a ridge.

    Attributes
    ----------
    svms_ : LabelSVMs
    fit_report_ : dict
        ``gap``, the largest relative duality gap of an SVM; ``converged``.
    constant_labels_ : int array
        The labels with a single class in training; they score -1 or 1.
    """

    C: float = 1.0
    loss: str = "hinge"
    scaled: bool = False

    threshold = 0.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "C")
        require_one_of(self, "loss", LOSSES)
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
        return np.asarray(self.svms_.decision_function(self._features(X)))
