"""Joint dimensionality reduction and multi-label classification by SVMs, in its four forms."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.methods.mlsvm.base import MLSVM
from mlbench.methods.parameters import require_positive


class OrthonormalMap(MLSVM):
    """MLSVM-T: SVMs of all labels on one orthonormal projection, Q'Q = I."""


@dataclass(eq=False, repr=False)
class OrthonormalFeatures(MLSVM):
    """MLSVM-F: SVMs of all labels on features that are orthonormal, Q'(X'X + mu I)Q = I.

    Parameters
    ----------
    mu : float, default=0.01
        Weight of the ridge ``mu I`` added to the covariance of the features, as a multiple of the
        mean squared norm of the centered rows.
    """

    mu: float = 0.01

    _shared_parameters = ("mu",)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_positive(self, "mu")


class MLSVMTL1(OrthonormalMap):
    """MLSVM-T-L1: hinge-loss SVMs of all labels on one orthonormal projection of the inputs.

    Minimizes ``sum_l 1/2 ||w_l||^2 + C sum_i max(0, 1 - y_il (w_l'Q'x_i + b_l))`` over W, b and Q
    with Q'Q = I, or rather its convex relaxation, in which Q Q' is any convex combination of
    projections. The relaxation is the spectral r-support norm of the coefficients W Q'. With r at
    least the number of labels these are plain SVMs with the same C.
    """

    loss = "hinge"


class MLSVMFL1(OrthonormalFeatures):
    """MLSVM-F-L1: hinge-loss SVMs of all labels on a few features that are orthonormal.

    As `mlsvm_t_l1` with Q'(X'X + mu I)Q = I instead, for centered X. That is `mlsvm_t_l1` on
    whitened inputs. With r at least the number of labels these are SVMs with the kernel
    ``X (X'X + mu I)^-1 X'``.
    """

    loss = "hinge"


class MLSVMTL2(OrthonormalMap):
    """MLSVM-T-L2: squared-hinge SVMs of all labels on one orthonormal projection of the inputs.

    As `mlsvm_t_l1` with the loss ``max(0, 1 - y_il (w_l'Q'x_i + b_l))^2``.
    """

    loss = "squared_hinge"


class MLSVMFL2(OrthonormalFeatures):
    """MLSVM-F-L2: squared-hinge SVMs of all labels on a few features that are orthonormal.

    As `mlsvm_f_l1` with the loss ``max(0, 1 - y_il (w_l'Q'x_i + b_l))^2``.
    """

    loss = "squared_hinge"
