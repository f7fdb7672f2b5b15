"""Base class of the methods that project the inputs and fit linear SVMs to the features."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from mlbench.methods.base import Grid, TransformerMethod, grouped_by, path_models
from mlbench.methods.kernel_projection.eigenbasis import KernelEigenbasis
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethod
from mlbench.methods.svm.one_vs_rest import LabelSVMs, TaskSVMs, label_svms_path
from mlbench.solvers.arrays import Floats, Ints, Matrix


@dataclass(frozen=True)
class KernelDirections:
    """The features ``k(x)' U coefficients`` of a projection, the most important first."""

    coefficients: Floats
    """(rho, r) array: in the eigenbasis of the inputs."""
    values: Floats
    """(r,) array: the eigenvalue of each direction, in descending order."""
    output_rank: int = 0
    """The rank of the outputs."""
    n_output_directions: int = 0
    """How many of that many combinations of the outputs the projection can use."""


@dataclass(eq=False, repr=False)
class ProjectedSVMs(PathMethod, TransformerMethod):
    """Base class of the methods that fit a projection and one linear SVM per label on its features.

    The two parts can be fitted separately: `fit_projection` takes any outputs, `fit_classifiers`
    any rows and labels, so that the labels to learn can differ from those of the projection. A
    subclass implements `_eigenbasis` and `_directions`.

    Parameters
    ----------
    n_components : int, optional, default=20
        The number of features; all of them if None.
    C : float, default=1.0
        Weight of the loss of every SVM, ``1/2 ||w||^2 + C * sum of losses``.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss of the SVMs: ``max(0, 1 - m)`` of the margin m, or its square.
    center : bool, default=True
        Center the kernel (the features, if it is linear) and the labels.
    rank_tol : float, default=1e-10
        Eigenvalues of the kernel matrix at most this share of the largest count as 0.

    Attributes
    ----------
    n_components_, r_effective_ : int
        The number of features: ``n_components``, or the number available if that is less.
    eigenvalues_ : (n_components_,) array
    n_output_directions_ : int
        How many linear combinations of the outputs influence the features.
    svms_ : LabelSVMs or TaskSVMs
        The classifiers.
    constant_labels_ : int array
        The labels with a single class in training; they score -1 or 1.
    """

    n_components: int | None = 20
    _: KW_ONLY
    C: float = 1.0
    loss: str = "hinge"
    center: bool = True
    rank_tol: float = 1e-10

    threshold = 0.0

    _direction_parameters: ClassVar[tuple[str, ...]] = ()
    """Models that share the eigenbasis and are equal in these parameters share the directions."""

    _rank_warning_hint: ClassVar[str] = ""
    """Advice for labels whose directions are not functions of the inputs."""

    def _eigenbasis(self, measured: Any) -> KernelEigenbasis:
        raise NotImplementedError

    def _directions(
        self, space: KernelEigenbasis, outputs: Floats, n_wanted: int
    ) -> KernelDirections:
        """Find up to ``n_wanted`` directions; the outputs are not centered."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        require_positive(self, "C")
        require_one_of(self, "loss", ("hinge", "squared_hinge"))
        if self.n_components is not None:
            require_count(self, "n_components")

    def _fit_group(
        self, group: list[tuple[int, Self]], inputs: Any, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models, which share the eigenbasis of the inputs, grouped by features."""
        space = self._eigenbasis(inputs)
        for same in grouped_by(group, self._direction_parameters):
            Z = _fit_projections(space, [model for _, model in same], Y.astype(np.float64))
            for equal in grouped_by(same, ("n_components_", "loss")):
                equal.sort(key=lambda item: float(item[1].C))
                first = equal[0][1]
                strengths = [model.C for _, model in equal]
                rows = _not_empty(np.ascontiguousarray(Z[:, : first.n_components_]))
                fitted = label_svms_path(rows, Y, strengths, loss=first.loss)
                for (index, model), svms in zip(equal, fitted, strict=True):
                    model.svms_ = svms
                    yield index, model

    def fit_projection(self, X: Matrix, Y: Any) -> Self:
        """Fit the projection only, for `transform`; `predict` needs classifiers.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array
            Outputs: labels or any other numbers. Missing values (NaN) count as 0.
        """
        X, outputs = self._check_outputs(X, Y)
        _fit_projections(self._eigenbasis(self._prepare_inputs(X)), [self], outputs)
        return self

    def fit_projection_path(self, X: Matrix, Y: Any, grid: Grid) -> Iterator[tuple[int, Self]]:
        """Yield (index, model with a fitted projection) for every point of a grid of parameters.

        They share the same work as in `fit_path`. `fit_classifiers` of a shallow copy leaves the
        model unchanged, so that several training parts can use one projection.

        Parameters
        ----------
        X, Y
            As for `fit_projection`.
        grid : sequence of mappings
            Parameters as for ``set_params``.
        """
        measured = None
        for group in path_models(self, grid, self._shared_parameters):
            for _, model in group:
                checked, outputs = model._check_outputs(X, Y)
            if measured is None:
                measured = self._prepare_inputs(checked)
            space = group[0][1]._eigenbasis(measured)
            for same in grouped_by(group, self._direction_parameters):
                _fit_projections(space, [model for _, model in same], outputs)
                yield from same

    def fit_classifiers(self, X: Matrix, Y: Ints, tasks: Ints | None = None) -> Self:
        """Fit the classifiers only, on the features of a fitted projection.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
            Rows and labels can differ from those of the projection.
        tasks : (n,) int array of 0..T-1, optional
            Y then has one column, and every task has a classifier on its own rows.
        """
        Z = _not_empty(self.transform(X))
        _, Y, tasks = self._check_training(X, Y, tasks)
        self.svms_: LabelSVMs | TaskSVMs
        if tasks is None:
            self.svms_ = LabelSVMs(C=self.C, loss=self.loss).fit(Z, Y)
        else:
            self.svms_ = TaskSVMs(C=self.C, loss=self.loss).fit(Z, Y, tasks)
        return self

    def fit_transform(self, X: Matrix, y: Any = None) -> Floats:
        """Fit the projection only, and return the features of its rows.

        A Pipeline calls this for all steps but the last, so no classifier is fitted needlessly.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but it is None")
        return self.fit_projection(X, y).transform(X)

    @property
    def fit_report_(self) -> dict[str, Any]:
        """The number of features and, if classifiers are fitted, their largest gap."""
        report: dict[str, Any] = {"components": self.n_components_}
        if hasattr(self, "svms_"):
            report |= {"gap": float(self.svms_.gap_), "converged": bool(self.svms_.converged_)}
        return report

    @property
    def r_effective_(self) -> int:
        """The number of features."""
        return self.n_components_

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _check_outputs(self, X: Matrix, Y: Any) -> tuple[Matrix, Floats]:
        """Check parameters, inputs and outputs, and drop fitted classifiers."""
        self.check_parameters()
        Y = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
        if Y.ndim == 1:
            X, Y, _ = self._check_training(X, Y)
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
            self.n_tasks_ = 0
        self.__dict__.pop("svms_", None)
        return X, _outputs(Y, X.shape[0])

    def _set_solution(
        self, features: Callable[[Matrix], Floats], directions: KernelDirections
    ) -> None:
        """Keep the requested directions, and warn if there are fewer."""
        found = len(directions.values)
        self.n_components_ = found if self.n_components is None else min(found, self.n_components)
        self.features_ = features
        self.eigenvalues_ = directions.values[: self.n_components_]
        self.n_output_directions_ = directions.n_output_directions
        name = type(self).__name__
        if self.n_components is not None and found < self.n_components:
            warnings.warn(
                f"{name}: n_components={self.n_components} was cut to {found}, the number of "
                "directions in these data",
                stacklevel=2,
            )
        if directions.n_output_directions < directions.output_rank:
            warnings.warn(
                f"{name}: only {directions.n_output_directions} of {directions.output_rank} "
                "directions of the labels are functions of these inputs, and the others are "
                "ignored: equal rows have different labels, or the inputs have low rank. "
                f"{self._rank_warning_hint}",
                stacklevel=2,
            )

    def _features(self, X: Matrix) -> Floats:
        return np.ascontiguousarray(self.features_(X)[:, : self.n_components_])

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        if not hasattr(self, "svms_"):
            raise NotFittedError(
                f"{type(self).__name__} has a projection but no classifiers yet; call fit or "
                "fit_classifiers"
            )
        Z = _not_empty(self._features(X))
        known = () if tasks is None else (tasks,)
        return np.asarray(self.svms_.decision_function(Z, *known))


def _fit_projections(
    space: KernelEigenbasis, models: Sequence[ProjectedSVMs], outputs: Floats
) -> Floats:
    """Fit the projections of models that differ only in the number of directions.

    Returns
    -------
    (n, r) array
        The features of the training rows, for the largest number of directions.
    """
    rank = len(space.values)
    most = max(
        rank if model.n_components is None else min(model.n_components, rank) for model in models
    )
    directions = models[0]._directions(space, outputs, most)
    features = space.features(directions.coefficients)
    for model in models:
        model._set_solution(features, directions)
    fitted: Floats = (space.vectors * space.values) @ directions.coefficients
    return fitted


def _not_empty(Z: Floats) -> Floats:
    """Return the features, or a feature of zeros if there are none."""
    return Z if Z.shape[1] else np.zeros((len(Z), 1))


def _outputs(Y: Any, n_rows: int) -> Floats:
    """Return a matrix of outputs with missing ones set to 0."""
    try:
        outputs = np.asarray(Y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"outputs must be a matrix of numbers: {error}") from None
    if outputs.ndim != 2 or len(outputs) != n_rows:
        raise ValueError(
            f"outputs must have one row for each of the {n_rows} rows of X and one column for "
            f"each output; got shape {outputs.shape}"
        )
    if np.isinf(outputs).any():
        raise ValueError("outputs must be finite, or NaN where they are missing")
    return np.nan_to_num(outputs, nan=0.0)
