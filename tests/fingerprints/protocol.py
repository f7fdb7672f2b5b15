"""The numbers of the protocol on small data: rows, cuts, features, metrics, seeds, grids."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import sparse

from . import imports as mlbench
from .fitting import estimator_outputs, parameter_search
from .scoring import metrics

Cases = dict[str, dict[str, Any]]

TASKS = np.array([0, 0, 1, 0, 1, 2, 1, 2, 0, 1, 2, 2, 1, 0, 0, 2])
LABELS = (np.arange(48).reshape(16, 3) * 7 % 5 < 2).astype(np.int64)
STEPS = ("impute", "standardize", "minmax", "unit-norm", "dense")


def splits() -> Cases:
    """Divide rows in all ways but those for ratings."""
    random = mlbench.RandomSplits(seed=3, train=0.6)
    kfold = mlbench.KFold(seed=3, folds=3)
    seen = mlbench.Transfer(seed=3, source_rows=5, source_labels=2, target="source_labels")
    other = mlbench.Transfer(
        seed=3, source_rows=0.4, source_labels=2, target="other_labels", folds=2
    )
    of_rows: dict[str, tuple[Any, int]] = {
        "random share": (random, 0),
        "random share, second": (random, 1),
        "random share, other seed": (replace(random, seed=4), 0),
        "random shares of both": (replace(random, train=0.53, test=0.47), 0),
        "random numbers": (replace(random, train=5, test=4), 0),
        **{f"fold {index} of 3": (kfold, index) for index in (0, 2, 3)},
        "published": (mlbench.PublishedSplit(), 0),
        **{f"transfer, seen labels {index}": (seen, index) for index in (0, 1)},
        **{f"transfer, unseen labels {index}": (other, index) for index in (0, 1, 2)},
    }
    of_tasks: dict[str, tuple[Any, int]] = {
        "random share of tasks": (random, 0),
        "random numbers of tasks": (replace(random, train=2, test=1), 0),
        **{f"fold {index} of 3 of tasks": (kfold, index) for index in (1, 4)},
    }
    return {
        name: _drawn(splitter, index, tasks)
        for specs, tasks in ((of_rows, None), (of_tasks, TASKS))
        for name, (splitter, index) in specs.items()
    }


def _drawn(splitter: Any, index: int, tasks: Any) -> dict[str, str]:
    """Write the rows of a split; labels and the source where it has some."""
    if isinstance(splitter, mlbench.Transfer):
        rows = splitter.divide(16, 5, "name", index)
        parts = {"train": rows.train, "test": rows.test, "labels": rows.labels}
        if rows.source_rows is not None:
            parts |= {"source rows": rows.source_rows, "source labels": rows.source_labels}
        return {name: _text(numbers) for name, numbers in parts.items()}
    Y = np.zeros((16, 5 if tasks is None else 1), dtype=np.int64)
    data = SimpleNamespace(
        name="name",
        X=np.zeros((16, 1)),
        Y=Y,
        tasks=tasks,
        known=None,
        groups=None,
        published_train=np.array([4, 1, 8, 9, 2, 14]),
    )
    split = splitter.draw(data, index)
    return {"train": _text(split.train.rows), "test": _text(split.test.rows)}


def tuning_folds() -> Cases:
    """Divide a training part for a search."""
    found = {}
    for name, tasks in (("rows", None), ("rows of tasks", TASKS)):
        for number, fold in enumerate(mlbench.tuning_folds(16, 3, (3, "name", 1), tasks)):
            found[f"{name}, fold {number}"] = _split(fold)
    return found


def ratings() -> Cases:
    """Divide users, and their ratings."""
    known = np.arange(70).reshape(10, 7) * 13 % 5 < 3
    data = SimpleNamespace(
        name="name", X=np.zeros((10, 1)), Y=known.astype(np.int64), tasks=None, known=known
    )
    splitter = mlbench.Ratings(seed=3, folds=3, given=2)
    found = {}
    for index in (0, 2, 3):
        split = splitter.draw(data, index)
        found[f"fold {index}"] = {
            **_split(SimpleNamespace(train=split.train.rows, test=split.test.rows)),
            "labels": _text(split.users),
            "train users": _text(split.train.tasks),
            "test users": _text(split.test.tasks),
        }
    return found


def unknown_labels() -> Cases:
    """Divide rows whose labels are partly unknown, and fold them."""
    known = np.arange(48).reshape(16, 3) * 11 % 7 < 5
    data = SimpleNamespace(
        name="name",
        X=np.zeros((16, 1)),
        Y=LABELS * known,
        label_names=("a", "b", "c"),
        tasks=None,
        known=known,
        groups=None,
    )
    found = {}
    for name, splitter in (
        ("random", mlbench.RandomSplits(seed=3, train=0.6)),
        ("fold", mlbench.KFold(seed=3, folds=3)),
    ):
        split = splitter.draw(data, 1)
        found[name] = {
            **_split(SimpleNamespace(train=split.train.rows, test=split.test.rows)),
            "train labels": _text(split.train.tasks),
            "test labels": _text(split.test.tasks),
        }
        for number, fold in enumerate(split.folds(2)):
            found[f"{name}, tuning fold {number}"] = _split(fold)
    return found


def imbalance() -> Cases:
    """Draw samples with a stated imbalance, and divide them."""
    Y = LABELS.copy()
    Y[:, 2] = 0
    folds = mlbench.tuning_folds(16, 2, (3, "name"))
    found = {}
    for name, tasks in (("labels", None), ("tasks", TASKS)):
        for ratio in (1, 5.0):
            labels = Y if tasks is None else Y[:, :1]
            drawn = mlbench.draw_imbalanced(labels, tasks, ratio, (3, "name", 0))
            fold = mlbench.folds_of_drawn(folds, drawn.places)[0]
            found[f"{name} 1:{ratio:g}"] = {
                **{part: _text(getattr(drawn, part)) for part in ("places", "y", "tasks")},
                **_split(fold),
            }
    return found


def thresholds(name: str) -> Cases:
    """Choose cuts by a policy, and cut."""
    scores = np.round(np.arange(48).reshape(16, 3) * 11 % 17 / 10 + 0.4 * LABELS - 0.3, 1)
    Y = LABELS.copy()
    wrong = np.column_stack([Y, 0 * Y[:, 0], 0 * Y[:, 0] + 1, Y[:, 0], Y[:, 1]])
    shown = np.column_stack([scores, scores[:, :2], 0 * Y[:, 0], -scores[:, 1]])
    found = {}
    for data, (labels, given, tasks) in {
        "labels": (Y, scores, None),
        "labels that no score tells": (wrong, shown, None),
        "tasks": (Y[:, :1], scores[:, :1], TASKS),
        "tasks, one without rows": (Y[:, :1], scores[:, :1], TASKS + (TASKS > 0)),
    }.items():
        cuts = mlbench.choose_thresholds(name, labels, given, tasks).values
        found[f"{name}, {data}"] = {
            "cuts": cuts,
            "held out": mlbench.POLICIES[name].held_out,
            "labels": [_text(row, "") for row in mlbench.apply_thresholds(given, cuts, tasks)],
        }
    return found


def preparation() -> Cases:
    """Prepare features by every step and every two steps, dense and sparse."""
    whole = np.array([[1, 0, 3, 2], [0, 0.5, 3, 0], [4, 0, 3, 0], [0, -2, 3, 1], [2.5, 1, 3, 0]])
    new = np.array([[2, 0, 3, 5], [0, -3, 4, 0.5]])
    missing = whole.copy()
    missing[1, 1] = missing[2, 3] = np.nan
    found = {}
    for steps in [(), *((step,) for step in STEPS), *permutations(STEPS, 2)]:
        train = missing if "impute" in steps and steps[0] != "unit-norm" else whole
        for form, make in (("dense", np.asarray), ("sparse", sparse.csr_matrix)):
            prepared = mlbench.prepare(steps, make(train), make(new))
            kinds = {"sparse" if sparse.issparse(X) else "dense" for X in prepared}
            plain = [X.toarray() if sparse.issparse(X) else X for X in prepared]
            found[f"{form}, {' '.join(steps) or 'nothing'}"] = {
                "comes out": " ".join(sorted(kinds)),
                **dict(zip(("train", "test"), plain, strict=True)),
            }
    return found


def seeds() -> Cases:
    """Derive seeds and streams from names and numbers."""
    axes: list[tuple[str | int, ...]] = [("split", 0, "name", 1), ("a",), (1, "1"), ("\u00e4", -3)]
    return {
        " ".join(map(repr, each)): {
            "seed": str(mlbench.seed_from(*each)),
            "permutation": _text(mlbench.random_state(*each).permutation(8)),
            "bits": _text(mlbench.random_state(*each).randint(2**31, size=2)),
        }
        for each in axes
    }


def grids() -> Cases:
    """List the grids that have a name, and ranges."""
    ranges: list[dict[str, Any]] = [
        {"linear": [0, 1, 4]},
        {"linear": [2, -1, 1]},
        {"log10": [-3, 2, 6]},
        {"log2": [-5, 5, 4]},
    ]
    found = {str(each): {"values": _exact(mlbench.expand(each))} for each in ranges}
    found |= {name: {"values": _exact(mlbench.expand(name))} for name in mlbench.NAMED_GRIDS}
    points = mlbench.combinations({"C": [1, 10], "loss": ["a", "b"]})
    written = " ".join(f"{point['C']}{point['loss']}" for point in points)
    return found | {"combinations": {"values": written}}


PARTS = {
    part.__name__: part
    for part in (
        splits,
        tuning_folds,
        ratings,
        unknown_labels,
        imbalance,
        preparation,
        metrics,
        estimator_outputs,
        parameter_search,
        seeds,
        grids,
    )
} | {f"thresholds/{name}": partial(thresholds, name) for name in mlbench.POLICIES}


def _split(split: Any) -> dict[str, str]:
    """Write the row numbers of a split's parts."""
    return {"train": _text(split.train), "test": _text(split.test)}


def _exact(values: Any) -> str:
    return " ".join(map(repr, values))


def _text(numbers: Any, between: str = " ") -> str:
    return between.join(str(int(number)) for number in numbers)
