"""Support vector machines with a Gaussian kernel, label by label."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from mlbench.methods.kernels import Centers, GaussianBasis, gaussian
from mlbench.methods.large_arrays import KERNEL_MATRIX
from mlbench.methods.parameters import require_one_of, require_positive
from mlbench.methods.path_method import TaskPathMethod
from mlbench.methods.svm.gram import BinarySVM, GramProducts
from mlbench.methods.svm.one_vs_rest import LOSSES, fit_svm, has_converged
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps


@dataclass(eq=False, repr=False)
class RBFSVM(TaskPathMethod):
    """RBF SVM: a support vector machine with a Gaussian kernel for every label, or every task.

    Parameters
    ----------
    width : float, default=1.0
        Bandwidth of the kernel ``exp(-||x - z||^2 / (2 sigma^2))``: sigma is width times the
        median distance between training rows.
    C : float, default=1.0
        Weight of the loss, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The SVMs' loss: ``max(0, 1 - m)`` of the margin m, or its square.

    Attributes
    ----------
    dual_coef_ : (n, k) array
        ``y_i alpha_i`` of every training row.
    intercept_ : (k,) array
        The biases; they are not penalized.
    task_models_ : list
        With tasks, for each a model with the other attributes, or the score of its only class.
    constant_labels_ : int array
        The labels with a single class in training; they score -1 or 1.
    fit_report_ : dict
        ``gap``, the largest duality gap of a label, relative to its objective.

    References
    ----------
    Boser, Guyon & Vapnik (1992), A training algorithm for optimal margin classifiers, COLT.
    """

    width: float = 1.0
    C: float = 1.0
    loss: str = "hinge"

    large_arrays = KERNEL_MATRIX
    threshold = 0.0
    _shared_parameters = ("width",)

    example_grid = (
        *({"width": width, "C": C} for width in (0.5, 1.0) for C in (0.1, 10.0)),
        {"loss": "squared_hinge"},
        {"loss": "squared_hinge", "C": 0.1},
    )

    def _check_parameters(self) -> None:
        require_positive(self, "width", "C")
        require_one_of(self, "loss", LOSSES)

    def _prepare_inputs(self, X: Matrix) -> tuple[Centers, Floats]:
        centers = Centers(X)
        return centers, centers.fit_scale(X)

    def _fit_group(
        self, group: list[tuple[int, Self]], inputs: tuple[Centers, Floats], Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all labels, ``C`` and losses share the kernel matrix of a width."""
        centers, squared = inputs
        basis = GaussianBasis(centers, self.width * centers.scale)
        rows = GramProducts(gaussian(squared, basis.sigma))
        distinct, place = np.unique(Y, axis=1, return_inverse=True)
        latest: dict[tuple[str, int], BinarySVM] = {}
        for index, model in sorted(group, key=lambda item: float(item[1].C)):
            dual, bias, gaps = np.zeros(distinct.shape), np.zeros(distinct.shape[1]), [0.0]
            for label, column in enumerate(steps("label", distinct.T)):
                if (column == column[0]).all():
                    bias[label] = 2 * column[0] - 1
                    continue
                start = latest.get((model.loss, label))
                svm = fit_svm(rows, 2.0 * column - 1, float(model.C), model.loss, start)
                latest[model.loss, label] = svm
                dual[:, label], bias[label] = svm.beta, svm.bias
                gaps.append(svm.gap)
            model.basis_, model.dual_coef_ = basis, dual[:, place.ravel()]
            model.intercept_ = bias[place.ravel()]
            model.fit_report_ = {"gap": max(gaps), "converged": has_converged(max(gaps), model.C)}
            yield index, model

    def _label_scores(self, X: Matrix) -> Floats:
        return np.asarray(self.basis_(X) @ self.dual_coef_ + self.intercept_)
