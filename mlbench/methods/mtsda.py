"""Multi-task sparse discriminant analysis (MtSDA): sparse optimal scoring for many labels."""

from __future__ import annotations

from math import inf
from numbers import Real

from mlbench.errors import MethodError
from mlbench.methods.mtsda_base import BaseMtSDA


class MtSDAIdentity(BaseMtSDA):
    """MtSDA with Omega = I: sparse discriminant directions for all labels together.

    Minimises over coefficients B (d, q) and scores Theta (k, q)

        (1/n) sum_j (||Y theta_j - X b_j||^2 + lam2 b_j' Omega b_j + lam1 ||b_j||_1)

    subject to ``(1/n) (Y Theta)'(Y Theta) = I``, q the rank of Y, by turns. Labels are
    predicted where the score ``Theta^+' B' x`` plus the label's mean is above 1/2.

    Parameters
    ----------
    lam1 : float, default=0.2
        The l1 penalty, as a share of ``lam1_max_``: at 1 and above all coefficients are 0.
    lam2 : float, default=0.1
        The quadratic penalty, in units of n: 1 weighs b'Omega b like the variance of a feature.
    units : {"relative", "absolute"}, default="relative"
        Whether lam1 and lam2 are shares, as above, or the numbers of the objective themselves.
    standardise : bool, default=True
        Scale every feature to variance 1. Features are centred in any case, and constant ones
        left out.
    center : {"xy", "x"}, default="xy"
        With ``xy`` the labels are centred too, so that scores contain the labels' means. ``x`` is
        the paper's reading: scores that average to 0 over the training rows for every label, for
        which 1/2 is no useful cut; choose the experiment's threshold ``train_f1_global`` with it.
    init : {"symmetric", "paper"}, default="symmetric"
        The first Theta. ``symmetric``: the targets closest to the labels; lam1 then falls to its
        value in steps, each of which starts where the last one ended. ``paper``: from the first
        rows (Algorithm 2), and lam1 has its value at once; depends on the order of the rows.
    theta_step : {"range", "paper"}, default="range"
        The update of Theta. ``paper`` is equation (9), which breaks the constraint.
    tol : float, default=1e-5
        The alternation stops when a round lowers the objective by less than this share, and the
        duality gap of B given Theta is within it.
    max_rounds : int, default=50
        The most updates of B.
    max_sweeps : int, default=10000
        The most sweeps of coordinate descent for one column of B in one update.

    References
    ----------
    Han, Wu, Jia, Zhuang & Yu (2010), Multi-task sparse discriminant analysis (MtSDA) with
    overlapping categories, AAAI: equation (1), Algorithm 2.
    """

    def __init__(
        self,
        lam1: float = 0.2,
        lam2: float = 0.1,
        units: str = "relative",
        standardise: bool = True,
        center: str = "xy",
        init: str = "symmetric",
        theta_step: str = "range",
        tol: float = 1e-5,
        max_rounds: int = 50,
        max_sweeps: int = 10_000,
    ) -> None:
        self.lam1 = lam1
        self.lam2 = lam2
        self.units = units
        self.standardise = standardise
        self.center = center
        self.init = init
        self.theta_step = theta_step
        self.tol = tol
        self.max_rounds = max_rounds
        self.max_sweeps = max_sweeps

    @property
    def _rho(self) -> float:
        return 0.0


class MtSDAEquicorrelation(BaseMtSDA):
    """MtSDA with Omega = (1 - rho) I + rho 1 1': sums of coefficients cost too.

    Minimises over coefficients B (d, q) and scores Theta (k, q)

        (1/n) sum_j (||Y theta_j - X b_j||^2 + lam2 b_j' Omega b_j + lam1 ||b_j||_1)

    subject to ``(1/n) (Y Theta)'(Y Theta) = I``, q the rank of Y, by turns. Labels are
    predicted where the score ``Theta^+' B' x`` plus the label's mean is above 1/2. With rho = 0
    this is `MtSDAIdentity`.

    Parameters
    ----------
    lam1 : float, default=0.2
        The l1 penalty, as a share of ``lam1_max_``: at 1 and above all coefficients are 0.
    lam2 : float, default=0.1
        The quadratic penalty, in units of n: 1 weighs b'Omega b like the variance of a feature.
    rho : float, default=0.1
        The correlation, above 1/(1 - d) for d features and below 1. Positive values favour
        coefficients that sum to 0, negative ones coefficients of one sign.
    units : {"relative", "absolute"}, default="relative"
        Whether lam1 and lam2 are shares, as above, or the numbers of the objective themselves.
    standardise : bool, default=True
        Scale every feature to variance 1. Features are centred in any case, and constant ones
        left out.
    center : {"xy", "x"}, default="xy"
        With ``xy`` the labels are centred too, so that scores contain the labels' means. ``x`` is
        the paper's reading: scores that average to 0 over the training rows for every label, for
        which 1/2 is no useful cut; choose the experiment's threshold ``train_f1_global`` with it.
    init : {"symmetric", "paper"}, default="symmetric"
        The first Theta. ``symmetric``: the targets closest to the labels; lam1 then falls to its
        value in steps, each of which starts where the last one ended. ``paper``: from the first
        rows (Algorithm 2), and lam1 has its value at once; depends on the order of the rows.
    theta_step : {"range", "paper"}, default="range"
        The update of Theta. ``paper`` is equation (9), which breaks the constraint.
    tol : float, default=1e-5
        The alternation stops when a round lowers the objective by less than this share, and the
        duality gap of B given Theta is within it.
    max_rounds : int, default=50
        The most updates of B.
    max_sweeps : int, default=10000
        The most sweeps of coordinate descent for one column of B in one update.

    References
    ----------
    Han, Wu, Jia, Zhuang & Yu (2010), Multi-task sparse discriminant analysis (MtSDA) with
    overlapping categories, AAAI: equation (1), Algorithm 2.
    """

    example_grid = (
        *BaseMtSDA.example_grid,
        *({"rho": rho, "lam1": lam1} for rho in (-0.05, 0.8) for lam1 in (0.05, 0.3)),
    )

    def __init__(
        self,
        lam1: float = 0.2,
        lam2: float = 0.1,
        rho: float = 0.1,
        units: str = "relative",
        standardise: bool = True,
        center: str = "xy",
        init: str = "symmetric",
        theta_step: str = "range",
        tol: float = 1e-5,
        max_rounds: int = 50,
        max_sweeps: int = 10_000,
    ) -> None:
        self.lam1 = lam1
        self.lam2 = lam2
        self.rho = rho
        self.units = units
        self.standardise = standardise
        self.center = center
        self.init = init
        self.theta_step = theta_step
        self.tol = tol
        self.max_rounds = max_rounds
        self.max_sweeps = max_sweeps

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
