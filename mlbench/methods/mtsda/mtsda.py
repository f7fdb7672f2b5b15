"""Multi-task sparse discriminant analysis (MtSDA): sparse optimal scoring for many labels."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from numbers import Real

from mlbench.errors import MethodError
from mlbench.methods.mtsda.base import BaseMtSDA


class MtSDAIdentity(BaseMtSDA):
    """MtSDA with Omega = I: sparse discriminant directions for all labels together.

    Minimizes over coefficients B (d, q) and scores Theta (k, q)

        (1/n) sum_j (||Y theta_j - X b_j||^2 + lam2 b_j' Omega b_j + lam1 ||b_j||_1)

    subject to ``(1/n) (Y Theta)'(Y Theta) = I``, q the rank of Y by alternation. Labels are
    predicted if the score ``Theta^+' B' x`` plus the label's mean is above 1/2.
    """

    @property
    def _rho(self) -> float:
        return 0.0


@dataclass(eq=False, repr=False)
class MtSDAEquicorrelation(BaseMtSDA):
    """MtSDA with Omega = (1 - rho) I + rho 1 1': the sum of coefficients is penalized too.

    Minimizes over coefficients B (d, q) and scores Theta (k, q)

        (1/n) sum_j (||Y theta_j - X b_j||^2 + lam2 b_j' Omega b_j + lam1 ||b_j||_1)

    subject to ``(1/n) (Y Theta)'(Y Theta) = I``, q the rank of Y by alternation. Labels are
    predicted if the score ``Theta^+' B' x`` plus the label's mean is above 1/2. With rho = 0
    this is `MtSDAIdentity`.

    Parameters
    ----------
    rho : float, default=0.1
        Correlation in the penalty matrix ``Omega = (1 - rho) I + rho 1 1'``, between 1/(1 - d) for
        d features and 1. Positive values favor coefficients that sum to 0, negative ones
        coefficients of equal sign.
    """

    rho: float = 0.1

    example_grid = (
        *BaseMtSDA.example_grid,
        *({"rho": rho, "lam1": lam1} for rho in (-0.05, 0.8) for lam1 in (0.05, 0.3)),
    )

    @property
    def _rho(self) -> float:
        return float(self.rho)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.rho, bool) or not isinstance(self.rho, Real) or not self.rho < 1:
            raise MethodError(
                f"{type(self).__name__}: rho must be a number below 1, and above 1/(1 - d) for d "
                f"features; got {self.rho!r}"
            )

    def _check_rho(self) -> None:
        d = self.n_features_in_
        least = 1 / (1 - d) if d > 1 else -inf
        if not self.rho > least:
            raise MethodError(
                f"{type(self).__name__}: rho must lie between 1/(1 - d) and 1, which for "
                f"{d} features is ({least:g}, 1); got {self.rho!r}"
            )
