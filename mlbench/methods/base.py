"""Base class of all methods: it checks input and turns scores into labels."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.errors import MethodError
from mlbench.methods.large_arrays import LargeArray
from mlbench.methods.parameters import require_seed
from mlbench.solvers.arrays import Floats, Ints, Matrix

Grid = Sequence[Mapping[str, Any]]
RandomState = int | np.random.RandomState | None
Model = TypeVar("Model")


class MultiLabelMethod(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of all methods: a subclass implements ``fit`` and ``_scores``.

    ``fit`` calls `_check_training` first. Parameters are checked in `_check_parameters`. A method
    whose labels are not "score above `threshold`" overrides `predict_from_scores`.

    A one-dimensional ``y`` with two classes of any kind is accepted, as scikit-learn requires:
    predictions and scores are then one-dimensional, and scores are shifted so that the threshold
    is 0.
    """

    classes_: NDArray[Any]
    threshold: float = 0.5
    """A label is predicted where its score is greater than this."""

    accepts_sparse: bool = True
    takes_bytes: bool = False
    """The labels that `_check_training` returns are int8, of which no product may overflow."""

    needs_tasks: bool = False
    """The method learns one label across several tasks, and requires tasks."""

    example_grid: Grid = ()
    """The parameters on which the checks run `fit_path`, where there is one."""

    path_tolerance: float = 1e-8
    """The largest difference between the scores of a model on a path and of an independent fit."""

    @property
    def large_arrays(self) -> tuple[LargeArray, ...]:
        """The arrays of a fit beyond the data, except arrays with one column per label."""
        return ()

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        raise NotImplementedError

    def check_parameters(self) -> None:
        """Reject parameters that are invalid for any data.

        Planning an experiment calls this for every value in its file, and `_check_training` for
        the model being fitted. A subclass implements `_check_parameters`.

        Raises
        ------
        MethodError
            A parameter is invalid.
        """
        self._check_parameters()
        if hasattr(self, "random_state"):
            require_seed(self, "random_state")

    def _check_parameters(self) -> None:
        """Check each parameter with the functions of `mlbench.methods.parameters`."""

    def decision_function(self, X: Matrix, tasks: Ints | None = None) -> Floats:
        """Score every label of every row: a larger score means more likely positive.

        Parameters
        ----------
        X : (m, d) array or CSR matrix
        tasks : (m,) int array, if the model was fitted with tasks

        Returns
        -------
        (m, k) array
        """
        check_is_fitted(self)
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr" if self.accepts_sparse else False,
            dtype=np.float64,
        )
        scores = self._scores(X, self._check_tasks(tasks, X.shape[0]))
        return scores[:, 0] - self.threshold if self._flat else scores

    def predict_from_scores(self, scores: Floats) -> Ints:
        """Return the labels for given scores, without computing them again from X."""
        return np.asarray(scores > self.threshold, dtype=np.int64)

    def predict(self, X: Matrix, tasks: Ints | None = None) -> Ints:
        """Predict the labels of every row.

        Returns
        -------
        (m, k) int array of 0 and 1
        """
        scores = self.decision_function(X, tasks)
        if self._flat:
            return np.asarray(self.classes_[(scores > 0).astype(np.int64)])
        return self.predict_from_scores(scores)

    def _check_training(
        self, X: Matrix, Y: Ints, tasks: Ints | None = None
    ) -> tuple[Matrix, Ints, Ints | None]:
        """Check parameters and training data, and store what prediction needs.

        Returns
        -------
        X : (n, d) float64 array or CSR matrix
        Y : (n, k) int64 array of 0 and 1
        tasks : (n,) int64 array, or None

        Raises
        ------
        MethodError
            A parameter is invalid.
        ValueError
            Missing or infinite values, labels other than 0 and 1, different lengths, or fewer
            than two rows.
        """
        self.check_parameters()
        if np.ma.is_masked(Y):
            raise ValueError("Y is masked, but a method needs every label: leave these rows out")
        X, Y = validate_data(
            self,
            X,
            Y,
            accept_sparse="csr" if self.accepts_sparse else False,
            dtype=np.float64,
            multi_output=True,
            ensure_min_samples=2,
        )
        if sparse.issparse(Y):
            Y = Y.toarray()  # type: ignore[attr-defined]
        self._flat = Y.ndim == 1
        if self._flat:
            Y = self._encoded(Y)
        else:
            Y = _zero_one(Y, self.takes_bytes)
            self.classes_ = np.arange(2)
        if tasks is None:
            self.n_tasks_ = 0
        else:
            tasks = np.asarray(tasks)
            if tasks.shape != (len(Y),) or not np.issubdtype(tasks.dtype, np.integer):
                raise ValueError(
                    f"tasks must be {len(Y)} whole numbers, one per row of X; "
                    f"got shape {tasks.shape} of {tasks.dtype}"
                )
            if tasks.min() < 0:
                raise ValueError("tasks are numbered from 0; got a negative one")
            if Y.shape[1] != 1:
                raise ValueError(f"with tasks, Y must have one column; it has {Y.shape[1]}")
            tasks = tasks.astype(np.int64)
            self.n_tasks_ = int(tasks.max()) + 1
        self.constant_labels_ = constant_labels(Y, tasks)
        return X, Y, tasks

    def _encoded(self, y: NDArray[Any]) -> Ints:
        """Encode two classes of any kind as a column of 0 and 1."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported for a one-dimensional y. "
                f"The type of the target is multiclass: {len(self.classes_)} classes."
            )
        if len(self.classes_) == 1:
            self.classes_ = np.repeat(self.classes_, 2)
        return codes.reshape(-1, 1).astype(np.int64)

    def _check_tasks(self, tasks: Ints | None, n_rows: int) -> Ints | None:
        if self.n_tasks_ == 0:
            if tasks is not None:
                raise ValueError(f"{type(self).__name__} was fitted without tasks")
            return None
        if tasks is None:
            raise ValueError(f"{type(self).__name__} was fitted with tasks: give each row's task")
        tasks = np.asarray(tasks)
        if tasks.shape != (n_rows,):
            raise ValueError(f"tasks must have shape ({n_rows},), got {tasks.shape}")
        unknown = np.setdiff1d(tasks, np.arange(self.n_tasks_))
        if len(unknown):
            raise ValueError(f"tasks not seen in training: {unknown.tolist()}")
        return tasks.astype(np.int64)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = self.accepts_sparse
        return tags


def constant_labels(Y: Ints, tasks: Ints | None = None) -> Ints:
    """Return the indices of the labels (with tasks: the tasks) that have a single class."""
    if tasks is None:
        return np.flatnonzero((Y[0] == Y).all(axis=0))
    share = [Y[tasks == task].mean() for task in np.unique(tasks)]
    return np.unique(tasks)[np.isin(share, (0.0, 1.0))]


def require_tasks(estimator: object, tasks: Ints | None) -> None:
    """Reject data without tasks.

    Raises
    ------
    MethodError
        There are no tasks.
    """
    if tasks is None:
        raise MethodError(
            f"{type(estimator).__name__} learns one label over several tasks, and these data "
            "have no tasks; it cannot be used for a multi-label data set"
        )


def path_models(
    estimator: Model, grid: Grid, by: Sequence[str]
) -> Iterator[list[tuple[int, Model]]]:
    """Yield the unfitted models of a grid, in groups with equal values of the parameters ``by``.

    Each item of a group is (index into the grid, clone with the parameters of that point).
    """
    groups: dict[str, list[tuple[int, Model]]] = {}
    for index, point in enumerate(grid):
        model = clone(estimator).set_params(**point)
        groups.setdefault(_values(model, by), []).append((index, model))
    yield from groups.values()


def grouped_by(
    models: Sequence[tuple[int, Model]], names: Sequence[str]
) -> Iterator[list[tuple[int, Model]]]:
    """Yield the indexed models in groups with equal values of the named attributes."""

    def key(item: tuple[int, Model]) -> str:
        return _values(item[1], names)

    for _, group in groupby(sorted(models, key=key), key):
        yield list(group)


def _values(model: object, names: Sequence[str]) -> str:
    return repr([getattr(model, name) for name in names])


def _zero_one(Y: NDArray[Any], as_bytes: bool) -> Ints:
    if Y.ndim != 2:
        raise ValueError(f"Y must have one row per example and one column per label: {Y.shape}")
    if ((Y != 0) & (Y != 1)).any():
        found = np.setdiff1d(np.asarray(Y).ravel(), (0, 1))[:5].tolist()
        raise ValueError(f"Y must hold 0 and 1 only; found {found}")
    return np.ascontiguousarray(Y, dtype=np.int8 if as_bytes else np.int64)


class TransformerMethod(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MultiLabelMethod):  # type: ignore[misc]
    """Base class of the methods that compute features and predict from them.

    A subclass implements `_features`, and the property `_n_features_out`.
    """

    def _features(self, X: Matrix) -> Floats:
        """Return the (m, r) features of checked rows."""
        raise NotImplementedError

    def transform(self, X: Matrix) -> Floats:
        """Return the features of every row.

        Parameters
        ----------
        X : (m, d) array or CSR matrix

        Returns
        -------
        (m, r) array
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return self._features(X)
