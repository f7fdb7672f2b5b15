"""The work of one cell: one method on one split of one data set, from data to scores."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mlbench.hashing import seed_from
from mlbench.methods import adapter, make_method, method_parameters, set_seed
from mlbench.metrics import evaluate
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splits import Split, make_split, tuning_folds
from mlbench.protocol.thresholds import choose_cuts, cut
from mlbench.protocol.tuning import Checkpoint, held_out_scores, tune

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mlbench.data import Dataset

_MOST_WARNINGS = 20


@dataclass(frozen=True)
class Recipe:
    """How to build the method: its name and parameters as the experiment states them."""

    use: str
    params: Mapping[str, Any]
    folder: Path

    def make(self) -> Any:
        """Return a new, unfitted estimator."""
        return make_method(self.use, self.folder, **self.params)

    def translate(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Return a grid point as the estimator's ``set_params`` takes it."""
        return method_parameters(self.use, point, self.folder)


@dataclass
class Result:
    """What a cell found out; the fields are those of :class:`mlbench.store.Row`."""

    metrics: dict[str, float | None]
    counts: dict[str, int]
    params: dict[str, Any]
    tuning: dict[str, Any] | None
    cuts: list[float | str] | None
    seconds: dict[str, float]
    warnings: list[str]
    predictions: dict[str, Any] = field(repr=False)


def run_cell(
    identity: Mapping[str, Any],
    recipe: Recipe,
    dataset: Dataset,
    checkpoint: Checkpoint,
    tuning_of_first_split: Callable[[], dict[str, Any] | None] = lambda: None,
) -> Result:
    """Divide, tune, fit, predict, score.

    Parameters
    ----------
    identity : mapping
        All that the result depends on, as plain values; see :func:`mlbench.plan.make_plan`.
    recipe : Recipe
    dataset : Dataset
    checkpoint : Checkpoint
        Where a long search keeps its finished folds.
    tuning_of_first_split : callable
        Returns the search of the first split, if it is known already; only asked where the
        experiment tunes once, on the first split, and keeps the values.

    Returns
    -------
    Result
    """
    seconds: dict[str, float] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        split = _split(identity, dataset)
        with _clock(seconds, "tune"):
            tuning = _tuning(identity, recipe, dataset, split, checkpoint, tuning_of_first_split)
        params = {} if tuning is None else tuning["grid"][tuning["best"]]

        X, Y, tasks = dataset.X, dataset.Y, dataset.tasks
        steps = identity["preprocess"]
        train_tasks = None if tasks is None else tasks[split.train]
        test_tasks = None if tasks is None else tasks[split.test]
        X_train, X_test = prepare(steps, X[split.train], X[split.test])
        model = _seeded(identity, recipe, identity["split"]["index"], params)
        with _clock(seconds, "fit"):
            model = adapter.fit(model, X_train, Y[split.train], train_tasks)
        with _clock(seconds, "predict"):
            scores, labels = adapter.outputs(model, X_test, test_tasks, dataset.n_labels)

        cuts = None
        if (policy := identity["threshold"]) != "native":
            with _clock(seconds, "threshold"):
                train_scores = (
                    adapter.outputs(model, X_train, train_tasks, dataset.n_labels)[0]
                    if policy.startswith("train_")
                    else _held_out(identity, recipe, dataset, split, params)
                )
            cuts = choose_cuts(policy, Y[split.train], train_scores)
            labels = cut(scores, cuts)

        evaluation = evaluate(Y[split.test], scores, labels, test_tasks)
    return Result(
        metrics={
            name: float(value) if np.isfinite(value) else None
            for name, value in evaluation.values.items()
        },
        counts={
            "train_samples": len(split.train),
            "test_samples": len(split.test),
            **_one_class_labels(Y[split.train], train_tasks),
            **{name: int(count) for name, count in evaluation.counts.items()},
        },
        params=params,
        tuning=tuning,
        cuts=None if cuts is None else [c if np.isfinite(c) else str(c) for c in cuts.tolist()],
        seconds=seconds,
        warnings=_summary(caught),
        predictions={"rows": split.test, "scores": scores, "labels": labels},
    )


def _split(identity: Mapping[str, Any], dataset: Dataset, index: int | None = None) -> Split:
    spec = identity["split"] if index is None else {**identity["split"], "index": index}
    return make_split(
        spec,
        dataset.n_samples,
        identity["dataset"]["name"],
        dataset.tasks,
        dataset.published_train,
    )


def _seeded(
    identity: Mapping[str, Any], recipe: Recipe, index: int, params: Mapping[str, Any]
) -> Any:
    """Return an unfitted model whose random numbers depend on the named axes alone."""
    model = recipe.make()
    model.set_params(**recipe.translate(params))
    return set_seed(model, _seed(identity, index))


def _seeded_point(
    identity: Mapping[str, Any], recipe: Recipe, index: int, point: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a grid point for ``set_params``; estimators in it are seeded like the model."""
    seed = _seed(identity, index)
    return {
        name: set_seed(value, seed) if hasattr(value, "get_params") else value
        for name, value in recipe.translate(point).items()
    }


def _seed(identity: Mapping[str, Any], index: int) -> int:
    axes = (identity["split"].get("seed", 0), identity["dataset"]["name"], index)
    return seed_from("method", *axes, identity["method"]["class"])


def _folds(identity: Mapping[str, Any], dataset: Dataset, split: Split, index: int) -> list[Split]:
    tasks = None if dataset.tasks is None else dataset.tasks[split.train]
    axes = (identity["split"].get("seed", 0), identity["dataset"]["name"], index)
    return tuning_folds(len(split.train), identity["folds"], axes, tasks)


def _tuning(
    identity: Mapping[str, Any],
    recipe: Recipe,
    dataset: Dataset,
    split: Split,
    checkpoint: Checkpoint,
    tuning_of_first_split: Callable[[], dict[str, Any] | None],
) -> dict[str, Any] | None:
    spec = identity["tuning"]
    if spec is None:
        return None
    index = identity["split"]["index"]
    if spec["scope"] == "first-split" and index != 0:
        if (known := tuning_of_first_split()) is not None:
            return known
        index, split = 0, _split(identity, dataset, 0)
    tuned = tune(
        _seeded(identity, recipe, index, {}),
        [_seeded_point(identity, recipe, index, point) for point in spec["grid"]],
        dataset.X[split.train],
        dataset.Y[split.train],
        _folds(identity, dataset, split, index),
        spec["select"],
        identity["preprocess"],
        adapter,
        checkpoint,
        None if dataset.tasks is None else dataset.tasks[split.train],
    )
    return {
        "metric": tuned.metric,
        "split": index,
        "grid": spec["grid"],
        "best": tuned.best,
        "scores": tuned.scores,
    }


def _held_out(
    identity: Mapping[str, Any],
    recipe: Recipe,
    dataset: Dataset,
    split: Split,
    params: Mapping[str, Any],
) -> Any:
    index = identity["split"]["index"]
    return held_out_scores(
        lambda: _seeded(identity, recipe, index, params),
        dataset.X[split.train],
        dataset.Y[split.train],
        _folds(identity, dataset, split, index),
        identity["preprocess"],
        adapter,
        None if dataset.tasks is None else dataset.tasks[split.train],
    )


def _one_class_labels(Y: Any, tasks: Any) -> dict[str, int]:
    """Count the labels (or tasks) that have no positive, or no negative, in training."""
    if tasks is not None:
        known = np.unique(tasks)
        positive = np.array([Y[tasks == task, 0].sum() for task in known])
        total = np.array([np.sum(tasks == task) for task in known])
    else:
        positive, total = Y.sum(axis=0), np.full(Y.shape[1], len(Y))
    return {
        "train_labels_without_positives": int(np.sum(positive == 0)),
        "train_labels_without_negatives": int(np.sum(positive == total)),
    }


@contextmanager
def _clock(seconds: dict[str, float], step: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[step] = time.perf_counter() - start


def _summary(caught: list[warnings.WarningMessage]) -> list[str]:
    counted = Counter(f"{w.category.__name__}: {' '.join(str(w.message).split())}" for w in caught)
    lines = [f"{text[:500]} ({n} times)" if n > 1 else text[:500] for text, n in counted.items()]
    if len(lines) > _MOST_WARNINGS:
        left = len(lines) - _MOST_WARNINGS
        lines = [*lines[:_MOST_WARNINGS], f"and {left} other warnings"]
    return lines
