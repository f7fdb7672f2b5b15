"""Fit any scikit-learn classifier to a label matrix, and unify the form of its output."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from traceback import extract_tb
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from mlbench.errors import MethodError
from mlbench.methods.base import MultiLabelMethod, require_tasks
from mlbench.number_text import counted
from mlbench.registry.names import file_name
from mlbench.solvers.arrays import Floats, Ints, Matrix

_NO_NUMBERS = {"c": "complex numbers", "M": "dates", "m": "time spans"}
"""Kinds of arrays that numpy converts to real numbers without an error."""


_OF_FRAMES = (
    "only supported for dataframes",
    "'numpy.ndarray' object has no attribute",
    "'csr_matrix' object has no attribute",
    "'csr_array' object has no attribute",
    "Index dimension must be 1 or 2",
    "only integers, slices",  # X["name"]
)
"""Parts of the errors that code for data frames raises on arrays."""


_OF_SHAPES = re.compile(
    r"[12]-?d|dimension|shape|multi|label|class|column|target|\by\b", re.IGNORECASE
)
"""Part of each error that a classifier for one label raises on several."""
_OF_SHAPES_ALONE = re.compile(r"[12]-?d\b|dimension|shape|multi", re.IGNORECASE)
"""Part of those that the code of a class itself raises, which has reasons of its own, too."""


_SCORES = ("decision_function", "predict_proba")


class InvalidOutputError(MethodError):
    """An estimator returned scores or labels that cannot be what was asked for."""


def fit(model: Any, X: Matrix, Y: Ints, tasks: Ints | None = None) -> Any:
    """Fit an estimator to a matrix of labels.

    Parameters
    ----------
    model
        A method of mlbench, or any scikit-learn classifier.
    X : (n, d) array or CSR matrix
    Y : (n, k) int array of 0 and 1
        A classifier for one label is given the single column where k = 1.
    tasks : (n,) int array, optional

    Returns
    -------
    estimator
        What ``model.fit`` returned.

    Raises
    ------
    MethodError
        The estimator takes no tasks though there are some, or cannot do without them, or takes
        no more than one label.
    ValueError
        Y is not 0 and 1, or the estimator refuses the data.
    """
    _check_fit(model, Y, tasks)
    with _errors_in_words(model, X, Y):
        fitted = model.fit(_own(X), _target(model, Y), **_known(tasks))
    if fitted is None:
        raise MethodError(f"{type(model).__name__}.fit returned None; end it with `return self`")
    return fitted


def fit_path(
    model: Any,
    X: Matrix,
    Y: Ints,
    grid: Sequence[Mapping[str, Any]],
    tasks: Ints | None = None,
) -> Iterator[tuple[int, Any]]:
    """Fit an estimator at every point of a grid, sharing work where it can.

    Parameters
    ----------
    model, X, Y, tasks
        As for `fit`; the model itself is not changed where each point is a fit of its own.
    grid : sequence of mappings
        Parameters as for ``set_params``.

    Yields
    ------
    index : int
        Place in the grid.
    estimator
        Fitted with the parameters there. An estimator that has ``fit_path(X, Y, grid)`` may yield
        the points in any order; for all others each is an independent fit.

    Raises
    ------
    MethodError, ValueError
        As for `fit`.
    """
    _check_fit(model, Y, tasks)
    if hasattr(model, "fit_path") and (tasks is None or _takes_tasks(model.fit_path)):
        with _errors_in_words(model, X, Y):
            yield from model.fit_path(X, _target(model, Y), list(grid), **_known(tasks))
    else:
        for index, point in enumerate(grid):
            yield index, fit(clone(model).set_params(**point), X, Y, tasks)


def _check_fit(model: Any, Y: Ints, tasks: Ints | None) -> None:
    """Reject labels other than 0 and 1, and what `check_tasks` rejects."""
    if ((Y != 0) & (Y != 1)).any():
        raise ValueError(f"Y must hold 0 and 1 only; found {np.unique(Y)[:5].tolist()}")
    check_tasks(model, tasks is not None)


def check_tasks(model: Any, has_tasks: bool) -> None:
    """Reject data with tasks for an estimator without them, and the reverse.

    Raises
    ------
    MethodError
        The estimator takes no tasks though there are some, or cannot do without them.
    """
    if has_tasks and not _takes_tasks(model.fit):
        raise MethodError(
            f"{type(model).__name__} takes no tasks, and every row of these data belongs to one; "
            "use a method for tasks, or one with a model per task such as br"
        )
    if not has_tasks and getattr(model, "needs_tasks", False):
        require_tasks(model, None)


def _target(model: Any, Y: Ints) -> Ints:
    """Return Y, or its only column for a classifier that wants one label as a vector.

    Other estimators than those of mlbench get 64-bit numbers, whose sums and products are safe.
    """
    if not hasattr(model, "takes_bytes"):
        Y = Y.astype(np.int64, copy=False)
    return Y[:, 0] if Y.shape[1] == 1 and _wants_vector(model) else Y


def _own(X: Any) -> Any:
    """Return features that a model may change: of a data frame, which cannot be locked, a copy."""
    return X.copy() if hasattr(X, "iloc") else X


def _known(tasks: Ints | None) -> dict[str, Ints]:
    return {} if tasks is None else {"tasks": tasks}


@contextmanager
def _errors_in_words(model: Any, X: Any, Y: Ints) -> Iterator[None]:
    """Explain the error of a method of data frames given an array, and of one label given many."""
    one_label = Y.shape[1] > 1 and _takes_many_labels(model) is False
    try:
        yield
    except (ValueError, AttributeError, IndexError) as error:
        if not hasattr(X, "iloc") and any(words in str(error) for words in _OF_FRAMES):
            raise MethodError(
                f"{type(model).__name__} cannot be fitted: {error}; it was given an array: if it "
                "wants a data frame with named columns, write `input: frame` beside `use:`"
            ) from error
        words = _OF_SHAPES_ALONE if _is_raised_by(type(model), error) else _OF_SHAPES
        if not (one_label and isinstance(error, ValueError) and words.search(str(error))):
            raise
        raise MethodError(
            f"{type(model).__name__} cannot be fitted: {error}; it says of itself that it predicts "
            f"one label and these data have {Y.shape[1]}: if that is the cause, write "
            f"{{use: br, base: {_public_name(type(model))}}} to fit one per label"
        ) from error


def _is_raised_by(kind: type, error: Exception) -> bool:
    """Return whether the code of a class itself raises an error."""
    last = extract_tb(error.__traceback__)[-1]
    try:
        source = inspect.getfile(kind)
    except (TypeError, OSError):
        return False
    return last.filename == source and (last.line or "").startswith("raise")


def check_scores(kind: type) -> None:
    """Refuse a class of estimators that can have no scores.

    Raises
    ------
    InvalidOutputError
        The class has neither ``decision_function`` nor ``predict_proba``.
    """
    if not any(hasattr(kind, name) for name in (*_SCORES, "__getattr__")):
        raise InvalidOutputError(_no_scores(kind.__name__))


def _no_scores(name: str) -> str:
    return (
        f"{name} has neither {' nor '.join(_SCORES)}, so there is nothing to rank by; add one of "
        "them, or wrap the estimator in sklearn's CalibratedClassifierCV"
    )


def outputs(
    model: Any, X: Matrix, tasks: Ints | None = None, n_labels: int | None = None
) -> tuple[Floats, Ints]:
    """Return the scores and labels of a fitted estimator, whatever their form.

    Parameters
    ----------
    model
        A fitted estimator. Scores come from ``decision_function`` or else ``predict_proba``
        (a list with one array per label, or one array); labels from ``predict_from_scores``
        where there is one, and from ``predict`` otherwise.
    X : (m, d) array or CSR matrix
    tasks : (m,) int array, optional
    n_labels
        How many labels there must be.

    Returns
    -------
    scores : (m, k) float64 array, all finite
    labels : (m, k) int8 array of 0 and 1

    Raises
    ------
    InvalidOutputError
        The estimator has no scores, or they or the labels have a wrong shape or value.
    """
    name, n_rows = type(model).__name__, X.shape[0]
    known = _known(tasks)
    if hasattr(model, "decision_function"):
        scores = _matrix(model, "scores", model.decision_function(_own(X), **known))
        if hasattr(model, "predict_from_scores"):
            labels = _matrix(model, "labels", model.predict_from_scores(scores))
        else:
            labels = _matrix(model, "labels", model.predict(_own(X), **known))
    elif hasattr(model, "predict_proba"):
        labels = _matrix(model, "labels", model.predict(_own(X), **known))
        scores = _positive_column(model, model.predict_proba(_own(X), **known), labels.shape[1])
    else:
        raise InvalidOutputError(_no_scores(name))
    width = labels.shape[1] if n_labels is None else n_labels
    for what, given in (("scores", scores), ("labels", labels)):
        if given.shape != (n_rows, width):
            raise InvalidOutputError(
                f"{name} gave {what} of shape {given.shape}; "
                f"{n_rows} rows and {width} labels need ({n_rows}, {width})"
            )
    try:
        scores = scores.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidOutputError(f"{name} gave scores that are no numbers: {error}") from error
    if not np.isfinite(scores).all():
        bad = int(np.sum(~np.isfinite(scores)))
        raise InvalidOutputError(
            f"{name} gave {counted(bad, 'score')} that {'is' if bad == 1 else 'are'} not finite, "
            f"of {scores.size}"
        )
    if not (is_binary := (labels == 0) | (labels == 1)).all():
        found = np.unique(labels[~is_binary])[:5].tolist()
        raise InvalidOutputError(f"{name} predicted {found}; labels must be 0 or 1")
    return scores, labels.astype(np.int8)


def probabilities(model: Any, X: Matrix, tasks: Ints | None, n_labels: int) -> Floats | None:
    """Return the probabilities of an estimator whose scores come from ``decision_function``.

    Parameters
    ----------
    model, X, tasks, n_labels
        As for `outputs`.

    Returns
    -------
    (m, k) float64 array in [0, 1], or None
        None if the estimator has none besides its scores. A warning says so if ``predict_proba``
        fails or returns something else: its scores and labels count all the same.
    """
    if not (hasattr(model, "decision_function") and hasattr(model, "predict_proba")):
        return None
    name = type(model).__name__
    try:
        given = model.predict_proba(_own(X), **_known(tasks))
        found = _positive_column(model, given, n_labels).astype(np.float64)
    except Exception as error:  # the estimator may be a user's own
        warnings.warn(f"{name}.predict_proba failed: {type(error).__name__}: {error}", stacklevel=2)
        return None
    shape = (X.shape[0], n_labels)
    if found.shape != shape or not ((found >= 0) & (found <= 1)).all():
        warnings.warn(
            f"{name}.predict_proba gave no probabilities of shape {shape} in [0, 1]", stacklevel=2
        )
        return None
    return found


def _takes_tasks(function: Any) -> bool:
    return "tasks" in inspect.signature(function).parameters


def _takes_many_labels(model: Any) -> bool | None:
    """Return what the tags of the estimator say, or None."""
    learner = _learner(model)
    tags = get_tags(learner) if hasattr(learner, "__sklearn_tags__") else None
    if tags is None or tags.classifier_tags is None:
        return None
    return bool(tags.classifier_tags.multi_label or tags.target_tags.multi_output)


def _learner(model: Any) -> Any:
    """Return the estimator that a pipeline or a search hands the labels to."""
    while isinstance(model, Pipeline | BaseSearchCV):
        model = model.steps[-1][1] if isinstance(model, Pipeline) else model.estimator
    return model


def _public_name(method: type) -> str:
    from_file = file_name(method)
    if from_file is not None:
        return from_file
    words = f"{method.__module__}.{method.__name__}".split(".")
    return ".".join(word for word in words if not word.startswith("_"))


def _wants_vector(model: Any) -> bool:
    """Return whether a single label must be given as a one-dimensional y."""
    learner = _learner(model)
    if isinstance(learner, MultiLabelMethod | MultiOutputClassifier | ClassifierChain):
        return False
    in_sklearn = type(model).__module__.startswith("sklearn.")
    return in_sklearn or _takes_many_labels(model) is False


def _matrix(model: Any, what: str, values: Any) -> np.ndarray[Any, Any]:
    """Copy sparse, one-dimensional or two-dimensional output into a two-dimensional array.

    It is a copy because the next call of a method may reuse the array that it has returned.
    """
    name = type(model).__name__
    if any(np.ma.isMaskedArray(part) for part in [values, *_parts(values)]):
        raise InvalidOutputError(
            f"{name} gave {what} as a masked array; the masked ones have no value, so decide on "
            "one for them (`.filled(value)`)"
        )
    try:
        array = values.toarray() if sparse.issparse(values) else np.array(values)
    except ValueError as error:
        raise InvalidOutputError(f"{name} gave {what} that make no matrix: {error}") from error
    if array.dtype.kind in _NO_NUMBERS:
        raise InvalidOutputError(
            f"{name} gave {_NO_NUMBERS[array.dtype.kind]} as {what} (dtype {array.dtype}); "
            "they must be real numbers"
        )
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _parts(values: Any) -> Sequence[Any]:
    return values if isinstance(values, list | tuple) else ()


def _positive_column(model: Any, probabilities: Any, n_labels: int) -> np.ndarray[Any, Any]:
    """Return the probabilities of class 1 as one column per label."""
    classes: Any = getattr(model, "classes_", None)
    if isinstance(probabilities, list):
        if classes is None and hasattr(model, "estimators_"):
            classes = [getattr(part, "classes_", None) for part in model.estimators_]
        if not isinstance(classes, list) or len(classes) != len(probabilities):
            classes = [None] * len(probabilities)
        return np.column_stack(
            [_class_one(model, p, c) for p, c in zip(probabilities, classes, strict=True)]
        )
    array = _matrix(model, "scores", probabilities)
    is_column = array.shape[1] == 1 and np.ndim(classes) != 1  # as of a chain of one label
    if n_labels == 1 and array.shape[1] <= 2 and not is_column:
        return _class_one(model, array, classes).reshape(-1, 1)
    return array


def _class_one(model: Any, probabilities: Any, classes: Any) -> np.ndarray[Any, Any]:
    array = _matrix(model, "scores", probabilities)
    if classes is not None and np.ndim(classes) == 1 and len(classes) == array.shape[1]:
        place = np.flatnonzero(np.asarray(classes) == 1)
        return array[:, place[0]] if len(place) else np.zeros(len(array))
    if array.shape[1] == 2:
        return array[:, 1]
    raise InvalidOutputError(
        f"{type(model).__name__}.predict_proba gave {array.shape[1]} columns for a label and no "
        "matching classes_; two are needed, for classes 0 and 1"
    )
