"""What the solvers of a joint projection and classification see of the training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlbench.methods.linear_tasks import two_class_targets
from mlbench.methods.projection.centered_svd import CenteredSVD, centered_svd
from mlbench.methods.svm.one_vs_rest import LabelSVMs
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.solvers.design import Design
from mlbench.solvers.losses.free_bias import FreeBiasHinge, FreeBiasSquaredHinge

LOSSES = {"hinge": FreeBiasHinge, "squared_hinge": FreeBiasSquaredHinge}


class TrainingData:
    """The centered rows in the basis of their singular vectors, and the labels of two classes."""

    def __init__(self, X: Matrix, Y: Ints, tasks: Ints | None, n_tasks: int) -> None:
        self.targets = two_class_targets(Y, tasks, n_tasks)
        self._svd = centered_svd(X)

    def problem(self, loss: str, mu: float | None) -> JointProblem:
        """Return the problem in coordinates in which the map is orthonormal.

        Parameters
        ----------
        loss : {"hinge", "squared_hinge"}
        mu : float, optional
            Where the features are to be orthonormal, not the map: the ridge of their covariance,
            as a multiple of the mean squared norm of the centered rows.
        """
        scales = self._svd.s
        if mu is not None:
            squares = self._svd.s**2
            ridge = mu * squares.sum() / len(self._svd.U)
            scales = np.asarray(self._svd.s / np.sqrt(squares + ridge), dtype=np.float64)
        design = Design(self._svd.U * scales, len(self.targets.fitted), self.targets.parts)
        losses = LOSSES[loss](self.targets.y, design.offsets)
        return JointProblem(design, self.targets.y, loss, losses, self._svd, scales)


@dataclass(frozen=True)
class FittedSVMs:
    """Plain support vector machines on some features of the rows."""

    coef: Floats
    """(k, q) array."""
    beta: Floats
    """(N,) array: ``y_i alpha_i``, in the order of the design's scores."""


@dataclass(frozen=True)
class JointProblem:
    """Minimize over an orthonormal Q, and W and biases, 1/2 ||W||^2 + C losses(X Q W')."""

    design: Design
    """The rows, of full column rank."""
    y: Floats
    """(N,) array of -1 and 1: in the order of the design's scores."""
    loss_name: str
    loss: Any
    svd: CenteredSVD
    """Of the rows in their original features, U diag(s) V'."""
    scales: Floats
    """(rho,) array: in these coordinates they are U diag(scales)."""

    @property
    def largest_rank(self) -> int:
        """The largest rank of a coefficient matrix."""
        return min(self.design.n_tasks, self.design.n_features)

    def total_loss(self, W: Floats) -> float:
        """Return the sum of losses of coefficients (k, rho), each label with its best bias."""
        return float(self.loss.values(self.design.scores(W)).sum())

    def biases(self, W: Floats) -> Floats:
        """Return the best bias of every label: (k,)."""
        return np.asarray(self.loss.biases(self.design.scores(W)))

    def svms(self, basis: Floats, C: float) -> FittedSVMs:
        """Fit one SVM per label on the features ``X @ basis``."""
        design = self.design
        if design.shared:
            Y = (self.y.reshape(design.n_tasks, -1).T > 0).astype(np.int64)
            found = LabelSVMs(C, self.loss_name).fit(design.block(0) @ basis, Y)
            return FittedSVMs(found.coef_, found.dual_coef_.ravel())
        parts = [
            LabelSVMs(C, self.loss_name).fit(
                design.block(i) @ basis, (y[:, None] > 0).astype(np.int64)
            )
            for i, y in enumerate(np.split(self.y, design.offsets[1:-1]))
        ]
        return FittedSVMs(
            np.concatenate([part.coef_ for part in parts]),
            np.concatenate([part.dual_coef_.ravel() for part in parts]),
        )

    def to_features(self, W: Floats) -> tuple[Floats, Floats]:
        """Return the functions with weights (q, rho) of these coordinates as functions of x.

        Returns
        -------
        weights : (q, d) array
        offsets : (q,) array
            What to take from ``weights @ x``, because the coordinates are centered.
        """
        weights = (W * (self.scales / self.svd.s)) @ self.svd.V.T
        return weights, weights @ self.svd.mean
