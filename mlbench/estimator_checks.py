"""Checks that hold for every method, whoever wrote it.

Each check takes a function that makes an unfitted estimator, and raises AssertionError with
a message if the estimator violates the contract. `CHECKS` lists them by name.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from mlbench.errors import MlbenchError
from mlbench.estimator_adapter import fit, outputs
from mlbench.methods.parameters import set_seed
from mlbench.solvers.arrays import Floats, Ints, Matrix

Make = Callable[[], Any]


@dataclass(frozen=True)
class Example:
    """A small data set: training rows with labels, and new rows."""

    X: Matrix
    Y: Ints
    new: Matrix
    tasks: Ints | None = None
    new_tasks: Ints | None = None


def example(model: Any, n: int = 40, k: int = 3, seed: int = 0) -> Example:
    """Return data for a method, with tasks if it requires them."""
    random = np.random.RandomState(seed)
    X, new = random.randn(n, 5), random.randn(17, 5)
    if getattr(model, "needs_tasks", False):
        Y = (X[:, :1] + 0.5 * random.randn(n, 1) > 0).astype(np.int64)
        return Example(X, Y, new, np.arange(n) % 3, np.arange(17) % 3)
    Y = (X @ random.randn(5, k) + random.randn(n, k) > 0.3).astype(np.int64)
    Y[0], Y[1] = 1, 0  # two classes everywhere
    return Example(X, Y, new)


def check_shapes_and_values(make: Make) -> None:
    """Check that scores are finite, labels 0 or 1, and both of shape (rows, labels)."""
    data = example(make())
    _run(make, data)


def check_labels_follow_from_scores(make: Make) -> None:
    """Check that ``predict`` and ``predict_from_scores`` agree."""
    data = example(make())
    model = _fitted(make, data)
    if not hasattr(model, "predict_from_scores"):
        return
    known = {} if data.tasks is None else {"tasks": data.new_tasks}
    labels = np.asarray(model.predict(data.new, **known)).reshape(len(data.new), -1)
    _same(_read(model, data)[1], labels, 0, "labels from scores differ from predict")


def check_label_order(make: Make) -> None:
    """Check that labels in another order, or tasks renumbered, get the same scores."""
    data = example(make())
    if _label_order_counts(make) or not _deterministic(make, data):
        return
    scores, _ = _run(make, data)
    if data.tasks is None:
        order = np.array([2, 0, 1])
        moved, _ = _run(make, replace(data, Y=data.Y[:, order]))
        wrong = "the scores depend on the order of the labels, without `label_order_counts = True`"
        _same(scores[:, order], moved, 1e-8, wrong)
    else:
        assert data.new_tasks is not None
        number = np.array([1, 2, 0])
        moved, _ = _run(
            make, replace(data, tasks=number[data.tasks], new_tasks=number[data.new_tasks])
        )
        _same(scores, moved, 1e-8, "the scores depend on the numbers of the tasks")


def check_duplicate_label(make: Make) -> None:
    """Check that two equal labels get equal scores."""
    data = example(make())
    if data.tasks is not None or _label_order_counts(make):
        return
    if not _deterministic(make, data):
        return
    scores, _ = _run(make, replace(data, Y=data.Y[:, [0, 1, 0]]))
    _same(scores[:, 0], scores[:, 2], 1e-8, "equal labels got different scores")


def check_one_class_labels(make: Make) -> None:
    """Check that a label with a single class in training is predicted as that class."""
    data = example(make(), k=5)
    if data.tasks is not None:
        Y = np.where(data.tasks[:, None] == 1, 0, data.Y)
        model = _fitted(make, replace(data, Y=Y))
        _read(model, data)
        constant = [1]
    else:
        Y = data.Y.copy()
        Y[:, 0], Y[:, 2] = 0, 1
        model = _fitted(make, replace(data, Y=Y))
        scores, labels = _read(model, data)
        _same(labels[:, [0, 2]], [[0, 1]], 0, "a label of one class is not predicted as that class")
        absent, everywhere = np.ptp(scores[:, [0, 2]], axis=0)
        complaint = "the scores of a label that training lacks differ, so AUC ranks by rounding"
        _same(absent, 0, 0, complaint)
        _same(everywhere, 0, 1e-12, "the scores of a label that every row has differ")
        constant = [0, 2]
    if hasattr(model, "constant_labels_"):
        _same(model.constant_labels_, constant, 0, "constant_labels_ does not list them")


def check_no_label_varies(make: Make) -> None:
    """Check that data whose labels are all of one class can be fitted."""
    data = example(make())
    _, labels = _run(make, replace(data, Y=np.zeros_like(data.Y)))
    _same(labels, 0, 0, "labels that were never set are predicted")


def check_one_label(make: Make) -> None:
    """Check that one label is enough."""
    data = example(make(), k=1)
    _run(make, data)


def check_fewer_rows_than_labels(make: Make) -> None:
    """Check that six rows with ten labels can be fitted."""
    data = example(make(), n=6, k=10)
    _run(make, data)


def check_duplicate_rows(make: Make) -> None:
    """Check that training rows may be repeated, and equal new rows get equal scores."""
    data = example(make())
    twice = np.repeat(np.arange(len(data.X)), 2)
    new = np.vstack([data.new, data.new[:3]])
    repeated = replace(data, X=data.X[twice], Y=data.Y[twice], new=new)
    if data.tasks is not None and data.new_tasks is not None:
        new_tasks = np.concatenate([data.new_tasks, data.new_tasks[:3]])
        repeated = replace(repeated, tasks=data.tasks[twice], new_tasks=new_tasks)
    scores, _ = _run(make, repeated)
    _same(scores[:3], scores[-3:], 1e-10, "equal rows got different scores")


def check_empty_feature(make: Make) -> None:
    """Check that a feature that is always 0 changes nothing."""
    data = example(make())
    if not _deterministic(make, data):
        return
    scores, _ = _run(make, data)
    wide = replace(data, X=_with_column(data.X, 0), new=_with_column(data.new, 0))
    _same(scores, _run(make, wide)[0], 1e-8, "a feature of zeros changes the scores")


def check_constant_features(make: Make) -> None:
    """Check that where all features are constant, all rows get the same scores."""
    data = example(make())
    data = replace(data, X=np.ones_like(data.X), new=np.ones_like(data.new))
    scores, _ = _run(make, data)
    if data.tasks is None:
        _same(np.ptp(scores, axis=0), 0, 1e-10, "equal rows got different scores")


def check_sparse(make: Make) -> None:
    """Check that a sparse X gives the scores of the same X made dense."""
    data = example(make())
    data = replace(data, X=np.maximum(data.X, 0), new=np.maximum(data.new, 0))
    slim = replace(data, X=sparse.csr_matrix(data.X), new=sparse.csr_matrix(data.new))
    _same(_run(make, data)[0], _run(make, slim)[0], 1e-8, "sparse and dense X differ")


def check_same_seed(make: Make) -> None:
    """Check that the same seed gives the same numbers, bit by bit, whatever was fitted before."""
    data = example(make())
    scores, _ = _run(make, data)
    _same(scores, _run(make, data)[0], 0, "two fits with one seed differ")
    _run(make, example(make(), seed=1))
    _same(scores, _run(make, data)[0], 0, "a fit depends on what another model was fitted to")


def check_clone(make: Make) -> None:
    """Check that a fitted model's clone has its parameters and fits to the same scores."""
    data = example(make())
    model = _fitted(make, data)
    again = clone(model)
    assert repr(again.get_params()) == repr(model.get_params()), "fit changed a parameter"
    _same(
        _read(model, data)[0],
        _read(_fitted(lambda: again, data), data)[0],
        0,
        "a clone fits to other scores",
    )


def check_pickle(make: Make) -> None:
    """Check that a fitted model survives pickling."""
    data = example(make())
    model = _fitted(make, data)
    again = pickle.loads(pickle.dumps(model))
    _same(_read(model, data)[0], _read(again, data)[0], 1e-12, "a pickled model scores otherwise")


def check_row_order(make: Make) -> None:
    """Check that training rows in another order give the same scores, if nothing is random."""
    data = example(make())
    if not _deterministic(make, data):
        return
    order = np.random.RandomState(1).permutation(len(data.X))
    tasks = None if data.tasks is None else data.tasks[order]
    moved = replace(data, X=data.X[order], Y=data.Y[order], tasks=tasks)
    _same(
        _run(make, data)[0],
        _run(make, moved)[0],
        1e-8,
        "the scores depend on the order of the training rows",
    )


def check_no_peeking(make: Make) -> None:
    """Check that the prediction for a row does not depend on the other new rows."""
    data = example(make())
    model = _fitted(make, data)
    together, labels = _read(model, data)
    for row in range(len(data.new)):
        one = slice(row, row + 1)
        tasks = None if data.new_tasks is None else data.new_tasks[one]
        alone, of_row = _read(model, replace(data, new=data.new[one], new_tasks=tasks))
        _same(together[one], alone, 1e-10, "a row's scores depend on the rows beside it")
        _same(labels[one], of_row, 0, "a row's predicted labels depend on the rows beside it")


def check_inputs_left_alone(make: Make) -> None:
    """Check that fitting and predicting change neither X nor Y."""
    data = example(make())
    before = pickle.dumps((data.X, data.Y, data.new))
    _run(make, data)
    assert pickle.dumps((data.X, data.Y, data.new)) == before, "X or Y was changed"


def check_missing_values_refused(make: Make) -> None:
    """Check that missing or infinite values in X are refused, in training and in prediction."""
    data = example(make())
    model = _fitted(make, data)
    for bad in (np.nan, np.inf):
        X, new = data.X.copy(), data.new.copy()
        X[3, 2] = new[3, 2] = bad
        _refused(
            partial(_fitted, make, replace(data, X=X)),
            f"fit accepts {bad} in X; it must raise ValueError",
        )
        known = {} if data.tasks is None else {"tasks": data.new_tasks}
        for name in ("decision_function", "predict_proba", "predict"):
            if hasattr(model, name):
                _refused(
                    partial(getattr(model, name), new, **known),
                    f"{name} accepts {bad} in X; it must raise ValueError",
                )


def check_other_labels_refused(make: Make) -> None:
    """Check that a Y with anything but 0 and 1 is refused by fit itself."""
    data = example(make())
    Y = data.Y.copy()
    Y[3, 0] = 2
    known = {} if data.tasks is None else {"tasks": data.tasks}
    _refused(
        lambda: make().fit(data.X, Y, **known), "fit accepts a label of 2; it must raise ValueError"
    )


def check_path(make: Make) -> None:
    """Check that ``fit_path`` yields every point of a grid once, each model as if fitted alone.

    The grid is the class's ``example_grid``, the tolerance its ``path_tolerance``.
    """
    prototype = set_seed(make(), 0)
    if not hasattr(prototype, "fit_path"):
        return
    grid = list(getattr(prototype, "example_grid", ()))
    assert grid, "a method with fit_path needs an example_grid, to be checked on"
    tolerance = getattr(prototype, "path_tolerance", 1e-8)
    data = example(prototype)
    known = {} if data.tasks is None else {"tasks": data.tasks}
    alone = []
    for point in grid:
        model = make().set_params(**point)
        alone.append(_read(_fitted(partial(clone, model), data), data)[0])
    for order in (range(len(grid)), range(len(grid) - 1, -1, -1)):
        points = [grid[place] for place in order]
        seen = []
        for index, model in clone(prototype).fit_path(data.X, data.Y, points, **known):
            seen.append(index)
            _same(
                _read(model, data)[0],
                alone[order[index]],
                tolerance,
                f"the path's model at {points[index]} is not that of an independent fit",
            )
            for name, value in points[index].items():
                assert model.get_params()[name] == value, f"{name} of a path's model is not set"
        assert sorted(seen) == list(range(len(grid))), f"fit_path yielded the indices {seen}"


CHECKS: dict[str, Callable[[Make], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}
"""Every check of this module, by name."""


def _fitted(make: Make, data: Example, seed: int = 0) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(set_seed(make(), seed), data.X, data.Y, data.tasks)


def _read(model: Any, data: Example) -> tuple[Floats, Ints]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return outputs(model, data.new, data.new_tasks, n_labels=data.Y.shape[1])


def _run(make: Make, data: Example, seed: int = 0) -> tuple[Floats, Ints]:
    return _read(_fitted(make, data, seed), data)


def _deterministic(make: Make, data: Example) -> bool:
    """Return whether two seeds give the same scores, in place of any that the model states."""

    def unseeded() -> Any:
        model = make()
        seeds = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
        return model.set_params(**dict.fromkeys(seeds)) if seeds else model

    return np.array_equal(_run(unseeded, data, seed=0)[0], _run(unseeded, data, seed=1)[0])


def _label_order_counts(make: Make) -> bool:
    """Return whether the method declares that the order of labels matters."""
    return bool(getattr(make(), "label_order_counts", False))


def _with_column(X: Floats, value: float) -> Floats:
    return np.column_stack([X, np.full(len(X), value)])


def _same(one: Any, other: Any, tolerance: float, complaint: str) -> None:
    gap = float(np.max(np.abs(np.asarray(one, dtype=float) - np.asarray(other, dtype=float))))
    assert gap <= tolerance, f"{complaint} (by {gap:.2g}; {tolerance:.2g} is allowed)"


def _refused(action: Callable[[], Any], complaint: str) -> None:
    try:
        action()
    except (ValueError, MlbenchError):
        return
    raise AssertionError(complaint)
