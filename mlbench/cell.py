"""The work of one cell: one method on one split of one data set, from data to scores."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from mlbench.fitting import LockedFitter, RatingFitter, TransferFitter
from mlbench.hashing import seed_from
from mlbench.metrics import evaluate
from mlbench.protocol.fit_reports import fit_report
from mlbench.protocol.imbalance import draw_imbalanced, folds_of_drawn
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.ratings import RatingSplit, make_rating_split
from mlbench.protocol.splits import Split, make_split, tuning_folds
from mlbench.protocol.thresholds import POLICIES, choose_cuts, cut
from mlbench.protocol.tuning import Checkpoint, held_out_scores, tune
from mlbench.registry import make_method, method_parameters, set_seed
from mlbench.store import search_key

if TYPE_CHECKING:
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
    fit: dict[str, Any] | None
    seconds: dict[str, float]
    warnings: list[str]
    predictions: dict[str, Any] = field(repr=False)


class Part(NamedTuple):
    """The training or the test part of a split.

    ``rows`` are the data set's behind its samples, and ``known`` tells whose truth is known, if
    that of some is not.
    """

    X: Any
    Y: Any
    tasks: Any
    rows: Any
    known: Any = None


@dataclass(frozen=True)
class Work:
    """A cell's identity with what it takes to carry it out.

    Parameters
    ----------
    identity : mapping
        All that the result depends on, as plain values; see :func:`mlbench.plan.make_plan`.
    recipe : Recipe
    dataset : Dataset
    """

    identity: Mapping[str, Any]
    recipe: Recipe
    dataset: Dataset

    @property
    def index(self) -> int:
        """The number of the split."""
        return int(self.identity["split"]["index"])

    def split(self, index: int) -> Split:
        """Draw a split; all methods get the same."""
        if self.identity["split"]["kind"] == "ratings":
            spec = {**self.identity["split"], "index": index}
            return make_rating_split(spec, self._known, self.identity["dataset"]["name"])
        return make_split(
            {**self.identity["split"], "index": index},
            self.dataset.n_samples,
            self.identity["dataset"]["name"],
            self.dataset.tasks,
            self.dataset.published_train,
            self.dataset.n_labels,
        )

    def part(self, index: int, name: Literal["train", "test"]) -> Part:
        """Return a part of a split, drawn anew where a class imbalance is asked for.

        What a source has prepared is prepared. Ratings have the numbers of their rows for X, and
        their users for tasks.
        """
        X, Y = self.dataset.X, self.dataset.Y
        split = self.split(index)
        rows, tasks = getattr(split, name), self._tasks(split, name)
        if isinstance(split, RatingSplit):
            places = rows, split.users[tasks]
            return Part(rows, Y[places][:, None], tasks, rows, self._known[places])
        if split.labels is not None:
            Y = Y[:, split.labels]
        if split.source is not None:
            _, prepared = prepare(self.identity["preprocess"], X[split.source.rows], X[rows])
            return Part(prepared, Y[rows], tasks, rows)
        if "imbalance" not in self.identity:
            return Part(X[rows], Y[rows], tasks, rows)
        ratio = self.identity["imbalance"]["ratio"]
        drawn = draw_imbalanced(Y[rows], tasks, ratio, (*self._axes(index), name))
        rows = rows[drawn.places]
        return Part(X[rows], drawn.y[:, None], drawn.tasks, rows)

    def folds(self, index: int) -> list[Split]:
        """Divide the samples of a split's training part for tuning."""
        split = self.split(index)
        rows, tasks = split.train, self._tasks(split, "train")
        folds = tuning_folds(len(rows), self.identity["folds"], self._axes(index), tasks)
        if "imbalance" not in self.identity:
            return folds
        places = np.searchsorted(rows, self.part(index, "train").rows)
        return folds_of_drawn(folds, places)

    @property
    def steps(self) -> Sequence[str]:
        """Preparation that is fitted to training parts: none where other rows prepare them."""
        split = self.split(self.index)
        prepared = split.source is not None or isinstance(split, RatingSplit)
        return () if prepared else self.identity["preprocess"]

    def model(self, index: int, point: Mapping[str, Any]) -> Any:
        """Return an unfitted model; its random numbers depend on the named axes alone."""
        model = self.recipe.make().set_params(**self.recipe.translate(point))
        return set_seed(model, self._seed(index))

    def grid(self, index: int) -> list[dict[str, Any]]:
        """Return the grid for ``set_params``; estimators in it are seeded like the model."""
        seed = self._seed(index)
        return [
            {
                name: set_seed(value, seed) if hasattr(value, "get_params") else value
                for name, value in self.recipe.translate(point).items()
            }
            for point in self.identity["tuning"]["grid"]
        ]

    def fitter(self, index: int) -> LockedFitter:
        """Return how models of a split are fitted and read."""
        split, steps, seed = self.split(index), self.identity["preprocess"], self._seed(index)
        if isinstance(split, RatingSplit):
            X, _ = prepare(steps, self.dataset.X, self.dataset.X)
            ratings = np.where(self._known, 2.0 * self.dataset.Y - 1, np.nan)
            ratings[:, split.labels] = np.nan
            return RatingFitter(seed, X, ratings, split.labels)
        if (source := split.source) is None:
            return LockedFitter(seed)
        X, Y = self.dataset.X[source.rows], self.dataset.Y[source.rows][:, source.labels]
        X, _ = prepare(steps, X, X)
        return TransferFitter(seed, X, Y)

    @property
    def _known(self) -> Any:
        if self.dataset.known is None:
            return np.ones(self.dataset.Y.shape, dtype=bool)
        return self.dataset.known

    def _tasks(self, split: Split, name: Literal["train", "test"]) -> Any:
        if isinstance(split, RatingSplit):
            return getattr(split, f"{name}_tasks")
        tasks = self.dataset.tasks
        return None if tasks is None else tasks[getattr(split, name)]

    def _axes(self, index: int) -> tuple[str | int, ...]:
        return (self.identity["split"]["seed"], self.identity["dataset"]["name"], index)

    def _seed(self, index: int) -> int:
        return seed_from("method", *self._axes(index), self.identity["method"]["name"])


def run_cell(work: Work, checkpoint: Checkpoint, searches: Checkpoint | None = None) -> Result:
    """Divide, tune, prepare, fit, cut, score.

    Parameters
    ----------
    work : Work
    checkpoint : Checkpoint
        Where this cell's search keeps its finished folds.
    searches : Checkpoint, optional
        Where cells share finished searches, if other cells need this one's.

    Returns
    -------
    Result
    """
    seconds: dict[str, float] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train, test = work.part(work.index, "train"), work.part(work.index, "test")
        with _clock(seconds, "tune"):
            tuning = _tuning(work, checkpoint, searches)
        params = {} if tuning is None else tuning["grid"][tuning["best"]]

        X_train, X_test = prepare(work.steps, train.X, test.X)
        model, fitter = work.model(work.index, params), work.fitter(work.index)
        with _clock(seconds, "fit"):
            model = fitter.fit(model, X_train, train.Y, train.tasks)
        report = fit_report(model)
        with _clock(seconds, "predict"):
            scores, labels = fitter.outputs(model, X_test, test.tasks, test.Y.shape[1])

        cuts = None
        if (policy := work.identity["threshold"]) != "default":
            with _clock(seconds, "threshold"):
                if POLICIES[policy].held_out:
                    known = _held_out_scores(work, train, params)
                else:
                    known, _ = fitter.outputs(model, X_train, train.tasks, train.Y.shape[1])
                cuts = choose_cuts(policy, train.Y, known, train.tasks)
                labels = cut(scores, cuts, test.tasks)

        evaluation = evaluate(test.Y, scores, labels, test.tasks, test.known)
    split = work.split(work.index)
    return Result(
        metrics={
            name: float(value) if np.isfinite(value) else None
            for name, value in evaluation.values.items()
        },
        counts={
            "train_samples": len(train.Y),
            "test_samples": len(test.Y) if test.known is None else int(test.known.sum()),
            **({} if split.source is None else {"projection_samples": len(split.source.rows)}),
            **_one_class_labels(train),
            **{name: int(count) for name, count in evaluation.counts.items()},
        },
        params=params,
        tuning=tuning,
        cuts=None if cuts is None else [c if np.isfinite(c) else str(c) for c in cuts.tolist()],
        fit=report,
        seconds=seconds,
        warnings=_summary(caught),
        predictions={
            "rows": test.rows,
            **({"tasks": test.tasks} if _tasks_are_drawn(work) else {}),
            **({} if split.labels is None else {"columns": split.labels}),
            "scores": scores,
            "labels": labels,
        },
    )


def _tuning(
    work: Work, checkpoint: Checkpoint, searches: Checkpoint | None
) -> dict[str, Any] | None:
    """Search on this split's training part or, if so wanted, on the first split's for all.

    A search that another cell has done is recalled.
    """
    spec = work.identity["tuning"]
    if spec is None:
        return None
    name = search_key(work.identity)
    if searches is not None and (known := searches.load(name)) is not None:
        return dict(known)
    index = 0 if spec["scope"] == "first-split" else work.index
    part = work.part(index, "train")
    tuned = tune(
        work.model(index, {}),
        work.grid(index),
        part.X,
        part.Y,
        work.folds(index),
        spec["select"],
        work.steps,
        work.fitter(index),
        checkpoint,
        part.tasks,
        spec.get("patience"),
    )
    search = {
        "metric": tuned.metric,
        "split": index,
        "grid": spec["grid"],
        "best": tuned.best,
        "scores": tuned.scores,
        "not_converged": tuned.not_converged,
        "stopped": tuned.stopped,
    }
    if searches is not None:
        searches.save(name, search)
    return search


def _tasks_are_drawn(work: Work) -> bool:
    return "imbalance" in work.identity or work.identity["split"]["kind"] == "ratings"


def _held_out_scores(work: Work, train: Part, params: Mapping[str, Any]) -> Any:
    return held_out_scores(
        lambda: work.model(work.index, params),
        train.X,
        train.Y,
        work.folds(work.index),
        work.steps,
        work.fitter(work.index),
        train.tasks,
    )


def _one_class_labels(train: Part) -> dict[str, int]:
    """Count the labels (or tasks) that have no positive, or no negative, in training."""
    if train.tasks is None:
        positive, total = train.Y.sum(axis=0), np.full(train.Y.shape[1], len(train.Y))
    else:
        _, places = np.unique(train.tasks, return_inverse=True)
        positive, total = np.bincount(places, weights=train.Y[:, 0]), np.bincount(places)
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
    counted = Counter(f"{w.category.__name__}: {_words(w.message)}" for w in caught)
    lines = [f"{text[:500]} ({n} times)" if n > 1 else text[:500] for text, n in counted.items()]
    if len(lines) > _MOST_WARNINGS:
        left = len(lines) - _MOST_WARNINGS
        lines = [*lines[:_MOST_WARNINGS], f"and {left} other warnings"]
    return lines


def _words(message: object) -> str:
    try:
        text = " ".join(str(message).split())
    except Exception:
        text = "a message that cannot be printed"
    return text.encode("utf-8", "replace").decode()
