"""One linear support vector machine per label, each with a free bias."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.methods.base import constant_labels
from mlbench.methods.feature_scales import center_keeping_sparsity
from mlbench.methods.kernels import squared_norms
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.methods.svm.gram import BinarySVM, RowProducts, row_products
from mlbench.methods.svm.hinge import hinge_svm
from mlbench.methods.svm.squared_hinge import squared_hinge_svm
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps

LOSSES = ("hinge", "squared_hinge")

MAX_GAP = 1e-6
"""The gap, relative to the objective, above which a fit warns that it has not converged."""


class LabelSVMs:
    """Linear support vector machines, one per label, with biases that are not penalized.

    Label by label ``1/2 ||w||^2 + C sum_i loss(y_i (w'z_i + b))`` is minimized, with y in
    {-1, 1}. A label of one class in training scores -1 or 1. Equal labels are fitted once.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        ``max(0, 1 - m)`` or its square.

    Attributes
    ----------
    coef_ : (k, r) array
    intercept_ : (k,) array
    dual_coef_ : (k, n) array
        ``y_i alpha_i``, so that ``coef_ = dual_coef_ @ Z``.
    gap_ : float
        The largest duality gap of a label, relative to its objective.
    converged_ : bool
        False, after a warning, if it is above `MAX_GAP`.
    """

    coef_: Floats
    intercept_: Floats
    dual_coef_: Floats
    gap_: float
    converged_: bool

    def __init__(self, C: float = 1.0, loss: str = "hinge") -> None:
        self.C = C
        self.loss = loss

    def fit(self, Z: Matrix, Y: Ints) -> Self:
        """Fit every label.

        Raises
        ------
        MethodError
            A parameter is wrong.
        """
        (fitted,) = label_svms_path(Z, Y, [self.C], self.loss)
        self.__dict__.update(fitted.__dict__)
        return self

    def decision_function(self, Z: Matrix) -> Floats:
        """Return the (m, k) margins ``w'z + b``."""
        return np.asarray(Z @ self.coef_.T + self.intercept_)


def label_svms_path(
    Z: Matrix, Y: Ints, Cs: Sequence[float], loss: str = "hinge"
) -> Iterator[LabelSVMs]:
    """Yield fitted `LabelSVMs` for every value of C, in the order of ``Cs``.

    All labels and values share the products of rows, and the squared hinge starts from the
    previous value; ascending order is fastest.

    Warns
    -----
    ConvergenceWarning
        A label's gap is above `MAX_GAP`.

    Raises
    ------
    MethodError
        A parameter is wrong.
    """
    models = [LabelSVMs(C, loss) for C in Cs]
    for model in models:
        require_positive(model, "C")
        require_one_of(model, "loss", LOSSES)
    if Z.shape[0] != len(Y):
        raise MethodError(f"LabelSVMs: Z has {Z.shape[0]} rows and Y has {len(Y)}")
    distinct, place = np.unique(Y, axis=1, return_inverse=True)
    constant = constant_labels(distinct)
    varied = np.setdiff1d(np.arange(distinct.shape[1]), constant)
    Z, taken = center_keeping_sparsity(Z)
    unit = _unit(Z)
    rows, origin = row_products(Z / unit)
    latest: dict[int, BinarySVM] = {}
    for model in models:
        dual = np.zeros((distinct.shape[1], len(Y)))
        bias = np.zeros(distinct.shape[1])
        bias[constant] = 2 * distinct[0, constant] - 1
        for label in steps("label", varied):
            y = 2 * distinct[:, label].astype(np.float64) - 1
            C = float(model.C) * unit**2
            latest[label] = fit_svm(rows, y, C, loss, latest.get(label))
            dual[label] = latest[label].beta / unit**2
            bias[label] = latest[label].bias - (taken + origin * unit) @ (Z.T @ dual[label])
        _finish(model, Z, dual, bias, place.ravel(), [svm.gap for svm in latest.values()])
        yield model


def fit_svm(
    rows: RowProducts, y: Floats, C: float, loss: str, start: BinarySVM | None = None
) -> BinarySVM:
    """Fit one machine; of the two losses, only the squared hinge gains from a start."""
    if loss == "hinge":
        return hinge_svm(rows, y, C)
    return squared_hinge_svm(rows, y, C, start)


def _unit(Z: Matrix) -> float:
    """Return the root of the mean squared distance of the rows from their mean; 1 for 0.

    In this unit, rounding errors do not depend on the scale of the features.
    """
    mean = np.asarray(Z.mean(axis=0), dtype=np.float64).ravel()
    spread = float(squared_norms(Z).mean() - mean @ mean)
    return float(np.sqrt(spread)) if spread > 1e-12 * (mean @ mean) else 1.0


def _finish(
    model: LabelSVMs, Z: Matrix, dual: Floats, bias: Floats, place: Ints, gaps: list[float]
) -> None:
    model.coef_ = np.ascontiguousarray(np.asarray(Z.T @ dual.T).T)[place]
    model.intercept_, model.dual_coef_ = bias[place], dual[place]
    model.gap_ = max(gaps, default=0.0)
    model.converged_ = has_converged(model.gap_, model.C)


def has_converged(gap: float, C: float) -> bool:
    """Return whether a gap is at most `MAX_GAP`, and warn if not."""
    if gap <= MAX_GAP:
        return True
    warnings.warn(
        f"a support vector machine with C={C:g} has a relative gap of {gap:.2g}, "
        f"above {MAX_GAP:g}; scale the features or choose a smaller C",
        ConvergenceWarning,
        stacklevel=4,
    )
    return False


class TaskSVMs:
    """Linear support vector machines like `LabelSVMs`, one per task.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"

    Attributes
    ----------
    svms_ : list of LabelSVMs
        One for each task.
    gap_ : float
        The largest duality gap of a task, relative to its objective.
    converged_ : bool
    """

    def __init__(self, C: float = 1.0, loss: str = "hinge") -> None:
        self.C = C
        self.loss = loss

    def fit(self, Z: Matrix, Y: Ints, tasks: Ints) -> Self:
        """Fit every task."""
        parts = [tasks == task for task in range(int(tasks.max()) + 1)]
        self.svms_ = [LabelSVMs(self.C, self.loss).fit(Z[part], Y[part]) for part in parts]
        self.gap_ = max(svms.gap_ for svms in self.svms_)
        self.converged_ = all(svms.converged_ for svms in self.svms_)
        return self

    def decision_function(self, Z: Matrix, tasks: Ints) -> Floats:
        """Return the (m, 1) margins, each by the machine of the row's task."""
        scores = np.empty((Z.shape[0], 1))
        for task in np.unique(tasks):
            scores[tasks == task] = self.svms_[task].decision_function(Z[tasks == task])
        return scores
