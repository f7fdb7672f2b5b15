"""Linear projections that are followed by one linear support vector machine per label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlbench.methods.base import Floats, Ints, Matrix
from mlbench.methods.centred_svd import CentredSVD
from mlbench.methods.label_svms import LOSSES, LabelSVMs, label_svms_path
from mlbench.methods.linear_projection import LinearProjection, alike
from mlbench.methods.parameters import require_one_of, require_positive


class SVMProjection(LinearProjection):
    """Base of the projections with `LabelSVMs` on their features.

    A subclass states ``C``, ``loss`` and ``scaled`` besides the parameters of `LinearProjection`.

    Attributes
    ----------
    svms_ : LabelSVMs
    fit_report_ : dict
        ``gap``, the largest duality gap of a machine relative to its objective; ``converged``.
    """

    cut = 0.0

    C: float
    loss: str
    scaled: bool
    svms_: LabelSVMs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "C")
        require_one_of(self, "loss", tuple(LOSSES))
        require_one_of(self, "scaled", (True, False))

    def _finish(
        self, group: Sequence[tuple[int, Any]], features: Floats, svd: CentredSVD, Y: Ints
    ) -> Iterator[tuple[int, Any]]:
        for same in alike(group, ("scaled", "loss")):
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
