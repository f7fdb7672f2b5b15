from __future__ import annotations

import pytest

from mlbench.config.load import load_experiment
from mlbench.errors import ConfigError

GOOD = """\
name: good
datasets: [digits]
methods:
  A: {use: mlknn}
"""

EVERYTHING = """\
name: every-thing_1.0
title: Everything
description: All that a file may hold.
datasets:
  - digits
  - emotions
  - {use: nam-toy, as: toy, tasks: 4, samples: 100}
  - {use: nam-toy, tasks: 4, samples: 200}
  - {use: corel5k, labels: 35, rows: 1021, seed: 1}
protocol:
  splits: {train: 0.6, test: 100, repeats: 3, seed: 2017}
  tuning: {folds: 10, scope: first-split, scoring: hamming_loss}
  preprocess: [impute, standardize]
  threshold: cv_f1_label
methods:
  short: mlknn
  tuned: {use: lspc, width: 2, tune: {rho: ke-grid}, scoring: macro_f1@mulan}
  base: {use: br, base: logistic, tune: {C: {log10: [-3, 3, 7]}, base__max_iter: [50, 100]}}
  own: {use: "mine.py:Mine", alpha: 0.1, threshold: default, preprocess: none}
  forest: {use: sklearn.ensemble.RandomForestClassifier, params: {max_depth: 3}}
  limited: {use: mlknn, limits: {time: 2 h}}
metrics: [macro_f1, micro_auc, misclassification]
tests:
  - {method: tuned, against: [short, base], test: [t, wilcoxon], correction: none}
  - {method: own}
limits: {time: 1 h, memory: 4 GB}
report: {unit: fraction, decimals: 3}
published: ke
keep_predictions: true
threads: 2
"""

MINE = """
from sklearn.base import BaseEstimator, ClassifierMixin
from mlbench.errors import MethodError

class Mine(ClassifierMixin, BaseEstimator):
    def __init__(self, alpha, beta=1):
        if beta < 0:
            raise ValueError("beta is negative")
        self.alpha, self.beta = alpha, beta
    def fit(self, X, Y):
        return self
    def predict(self, X):
        return X
    decision_function = predict

class Asked(Mine):
    def __init__(self, alpha=0):
        self.alpha = alpha
    def check_parameters(self):
        if self.alpha >= 1:
            raise MethodError(f"alpha must be below 1; got {self.alpha}")

class Names(Mine):
    def __init__(self, selection=0):
        self.selection = selection
    def check_parameters(self):
        if isinstance(self.selection, str):
            raise MethodError("selection must be no text")

class Range(Mine):
    def __init__(self, low=0, high=10):
        self.low, self.high = low, high
    def check_parameters(self):
        if self.low >= self.high:
            raise MethodError("low must be below high")

class NoEstimator:
    pass
"""

SPLITTERS = """
from dataclasses import dataclass
from typing import Annotated
from pydantic import Field
from mlbench.protocol.splitters import RowSplitter, TrainTest

@dataclass(frozen=True, kw_only=True)
class Last(RowSplitter):
    n: Annotated[int, Field(ge=1)] = 10
    gap: int = 0
    def __post_init__(self):
        if self.gap > self.n:
            raise ValueError("gap is larger than n")
        1 / (self.gap + 1)
    def divide(self, data, index):
        return TrainTest(range(self.n), range(self.n))

class NoSplitter:
    pass
"""


@pytest.fixture
def load(tmp_path):
    """Read an experiment from its text; mine.py and splits.py stand beside it."""

    def load(text):
        (tmp_path / "mine.py").write_text(MINE)
        (tmp_path / "splits.py").write_text(SPLITTERS)
        path = tmp_path / "x.yaml"
        path.write_text(text)
        return load_experiment(path)

    return load


@pytest.fixture
def problems(load, tmp_path):
    """Return the errors of an experiment as (line, column, key and message)."""

    def problems(text):
        with pytest.raises(ConfigError) as refused:
            load(text)
        found = []
        for line in str(refused.value).splitlines():
            assert line.startswith(f"{tmp_path / 'x.yaml'}:")
            row, column, message = line.removeprefix(f"{tmp_path / 'x.yaml'}:").split(":", 2)
            found.append((int(row), int(column), message.strip()))
        return found

    return problems


@pytest.fixture(scope="session")
def write(tmp_path_factory):
    """Write a text or bytes to a file and return its path, which is the same every time."""
    path = tmp_path_factory.mktemp("config") / "x.yaml"

    def write(content):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def good():
    return GOOD


@pytest.fixture(scope="session")
def everything():
    return EVERYTHING
