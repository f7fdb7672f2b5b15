"""One linear support vector machine per label."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.preprocessing import StandardScaler

from mlbench.methods.feature_scales import require_scale
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.methods.path_method import TaskPathMethod
from mlbench.methods.svm.one_vs_rest import LOSSES, label_svms_path
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(eq=False, repr=False)
class SVMOneVsRest(TaskPathMethod):
    """A linear support vector machine for every label, with an unpenalized bias.

    ``1/2 ||w||^2 + C sum_i loss(y_i (w'x_i + b))`` is minimized, label by label. With tasks,
    every task has a machine that is fitted to its own rows.

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
    task_models_ : list
        With tasks, for each a model with the other attributes, or the score of its only class.
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
    _shared_parameters = ("loss", "scale")

    example_grid = (
        *({"C": C, "loss": loss} for C in (0.01, 1.0, 30.0) for loss in LOSSES),
        {"scale": True},
    )

    def _check_parameters(self) -> None:
        require_positive(self, "C")
        require_one_of(self, "loss", LOSSES)
        require_one_of(self, "scale", (True, False))

    def _fit_group(
        self, group: list[tuple[int, Self]], X: Matrix, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all values of ``C`` share the products of rows."""
        require_scale(X)
        deviation = np.ones(X.shape[1])
        if self.scale:
            scaler = StandardScaler(with_mean=False).fit(X)
            X, deviation = scaler.transform(X), scaler.scale_
        ordered = sorted(group, key=lambda item: float(item[1].C))
        machines = label_svms_path(X, Y, [model.C for _, model in ordered], self.loss)
        for (index, model), svms in zip(ordered, machines, strict=True):
            model.svms_ = svms
            model.coef_ = svms.coef_ / deviation
            model.fit_report_ = {"gap": float(svms.gap_), "converged": bool(svms.converged_)}
            yield index, model

    @property
    def intercept_(self) -> Floats:
        """The biases."""
        return self.svms_.intercept_  # type: ignore[no-any-return]

    def _label_scores(self, X: Matrix) -> Floats:
        return np.asarray(X @ self.coef_.T + self.intercept_)
