"""Linear discriminant analysis of every label separately, and an SVM on its discriminant."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mlbench.methods.base import TransformerMethod, grouped_by
from mlbench.methods.large_arrays import SINGULAR_VECTORS
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.methods.path_method import PathMethod
from mlbench.methods.projection.centered_svd import centered_svd
from mlbench.methods.svm.one_vs_rest import LOSSES, MAX_GAP, LabelSVMs, label_svms_path
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps


@dataclass(eq=False, repr=False)
class LDASVM(PathMethod, TransformerMethod):
    """Linear discriminant analysis of every label, and a linear SVM on its discriminant.

    The discriminant ``(S_t + g I)^-1 (m1 - m0)`` of a label is the direction of the ridge
    regression of its indicator. The SVM on this single feature sets a threshold and possibly a
    sign, so the ranking is that of the discriminant.

    Parameters
    ----------
    ridge : float, default=0.01
        Weight of the ridge: g is ridge times the mean sum of squares of the features that vary.
        With fewer rows than features and a small g, all training rows of a class project to
        nearly the same point, and thresholds are arbitrary.
    C : float, default=1.0
        Weight of the loss of every SVM, ``1/2 w^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss of the SVMs: ``max(0, 1 - m)`` of the margin m, or its square.
    rank_tol : float, optional
        Singular values of X at most this share of the largest count as 0; by default those within
        rounding error.

    Attributes
    ----------
    mean_ : (d,) array
    scalings_ : (d, k) array
        `transform` is ``(X - mean_) @ scalings_``: one feature per label, of mean 0 and variance
        1 in training; for a constant label it is always 0.
    coef_ : (k,) array
        The SVM weight of the feature of each label.
    intercept_ : (k,) array
    ridge_ : float
        The value g.
    constant_labels_ : int array
        The labels with a single class in training; they score -1 or 1.

    References
    ----------
    The rival "LDA + SVM" of Han, Wu, Shao, Zhuang & Ma (2010), Multi-task sparse discriminant
    analysis, AAAI.
    """

    ridge: float = 1e-2
    C: float = 1.0
    loss: str = "hinge"
    rank_tol: float | None = None

    large_arrays = SINGULAR_VECTORS
    threshold = 0.0
    _shared_parameters = ("rank_tol",)

    example_grid = (
        *({"ridge": ridge, "C": C} for ridge in (0.0, 1.0) for C in (0.1, 10.0)),
        {"loss": "squared_hinge"},
        {"loss": "squared_hinge", "C": 0.1},
    )

    def _check_parameters(self) -> None:
        require_positive(self, "ridge", zero=True)
        require_positive(self, "C")
        require_one_of(self, "loss", LOSSES)
        if self.rank_tol is not None:
            require_positive(self, "rank_tol")

    def _fit_group(
        self, group: list[tuple[int, Self]], X: Matrix, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all share one singular value decomposition of X."""
        svd = centered_svd(X, self.rank_tol)
        target = svd.U.T @ (Y - Y.mean(axis=0))
        for same in grouped_by(group, ("ridge",)):
            mu = float(same[0][1].ridge) * svd.mean_square
            weights = (svd.s / (svd.s**2 + mu))[:, None] * target
            rows = svd.U @ (svd.s[:, None] * weights)
            spread = rows.std(axis=0)
            known = spread > 1e-12 * spread.max(initial=0.0)
            scale = np.where(known, 1 / np.where(known, spread, 1), 0)
            scalings, features = svd.V @ weights * scale, rows * scale
            for equal in grouped_by(same, ("loss",)):
                equal.sort(key=lambda item: float(item[1].C))
                Cs = [model.C for _, model in equal]
                paths = [
                    label_svms_path(features[:, [label]], Y[:, [label]], Cs, equal[0][1].loss)
                    for label in steps("label", range(Y.shape[1]))
                ]
                for (index, model), machines in zip(equal, zip(*paths, strict=True), strict=True):
                    model.mean_, model.scalings_, model.ridge_ = svd.mean, scalings, mu
                    _set_svms(model, machines)
                    yield index, model

    @property
    def fit_report_(self) -> dict[str, Any]:
        """How well the SVMs were fitted."""
        return {"gap": float(self.gap_), "converged": bool(self.gap_ <= MAX_GAP)}

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def _features(self, X: Matrix) -> Floats:
        return np.asarray(X @ self.scalings_ - self.mean_ @ self.scalings_)

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        return np.asarray(self._features(X) * self.coef_ + self.intercept_)


def _set_svms(model: LDASVM, machines: Sequence[LabelSVMs]) -> None:
    model.coef_ = np.array([machine.coef_[0, 0] for machine in machines])
    model.intercept_ = np.array([machine.intercept_[0] for machine in machines])
    model.gap_ = max(machine.gap_ for machine in machines)
