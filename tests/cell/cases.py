"""Cells on a small data set, and how they are run without a store."""

from __future__ import annotations

import json

import numpy as np

from mlbench.cell import run_cell
from mlbench.config.schema import ExperimentConfig
from mlbench.data import Dataset
from mlbench.dataset_facts import DatasetFacts
from mlbench.hashing import canonical_json
from mlbench.plan import make_plan
from mlbench.protocol.splitters import RandomSplits
from mlbench.store import to_plain

BR = {"use": "br", "solver": "liblinear", "tune": {"C": [0.001, 0.1, 10.0]}}


class Nowhere:
    """A checkpoint that keeps nothing."""

    def load(self, name):
        return None

    def save(self, name, value):
        pass


def make_dataset(n=120, k=3, seed=0, **more):
    random = np.random.RandomState(seed)
    X = random.randn(n, 5) * [1, 1, 1, 1, 30] + 2
    Y = ((X[:, :4] - 2) @ random.randn(4, k) + 2 * random.randn(n, k) > 0).astype(np.int64)
    names = tuple(f"y{j}" for j in range(k))
    return Dataset("digits", X, Y, names, tuple("abcde"), **more)


def cells(
    dataset, method, folder=".", others=(), reference="digits", facts=(), metrics=(), **protocol
):
    """Plan the cells of a method, and of others, on a data set that is called `digits`."""
    splits = {"train": 0.6, "repeats": 3, "seed": 7}
    experiment = ExperimentConfig.model_validate(
        {
            "name": "x",
            "datasets": [reference],
            "methods": {"A": method, **dict(others)},
            "protocol": {"splits": splits, "tuning": {"folds": 3}, **protocol},
            **({"metrics": metrics} if metrics else {}),
        }
    )
    known = DatasetFacts(
        fingerprint=dataset.fingerprint,
        n_samples=dataset.n_samples,
        n_features=dataset.n_features,
        n_labels=dataset.n_labels,
        n_tasks=len(dataset.task_names),
        has_published_split=dataset.published_train is not None,
        **dict(facts),
    )
    (named,) = experiment.datasets
    return make_plan(experiment, folder, {named.display: known}).cells


class Memory(dict):
    """A checkpoint that keeps values as JSON keeps them."""

    def load(self, name):
        return self.get(name)

    def save(self, name, value):
        self[name] = json.loads(json.dumps(value))


def run(cell, dataset, searches=None, checkpoint=None):
    shared = searches if cell.shares_search else None
    return run_cell(cell, dataset, Nowhere() if checkpoint is None else checkpoint, shared)


def split_of(dataset, index=0):
    return RandomSplits(train=0.6, seed=7).divide(dataset, index)


def without_times(result):
    """Return the result as one text, bit for bit."""
    predictions = {name: array.tolist() for name, array in result.predictions.items()}
    plain = [
        result.metrics,
        result.counts,
        result.params,
        None if result.tuning is None else to_plain(result.tuning),
        result.thresholds,
        predictions,
    ]
    return canonical_json(plain)


def positive(probabilities):
    return np.column_stack([p[:, 1] for p in probabilities])
