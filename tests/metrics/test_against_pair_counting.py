"""Every rank-based metric against its definition, pair by pair, on any small input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mlbench.metrics import evaluate

SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 5))


@st.composite
def outcomes(draw):
    shape = draw(SHAPES)
    Y = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1)))
    scores = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([-np.inf, -1, 0, 0.5, 2])))
    labels = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1)))
    return Y, scores, labels


def pairs(y, s):
    """Wins, ties and losses of positives against negatives."""
    wins = ties = losses = 0
    for a, b in itertools.product(s[y == 1], s[y == 0]):
        wins, ties, losses = wins + (a > b), ties + (a == b), losses + (a < b)
    return wins, ties, losses


def mean(values):
    return np.mean(values) if values else np.nan


def auc(y, s):
    wins, ties, losses = pairs(y, s)
    return (wins + ties / 2) / (wins + ties + losses)


def precision_at_positives(y, s):
    return np.mean([np.mean(y[s >= t]) for t in s[y == 1]])


def check(actual, expected):
    assert actual == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.slow
@settings(max_examples=150)
@given(outcomes())
def test_metrics_per_label(outcome):
    Y, S, L = outcome
    values = evaluate(Y, S, L).values
    columns = list(zip(Y.T, S.T, strict=True))
    both = [(y, s) for y, s in columns if 0 < y.sum() < len(y)]
    check(values["macro_auc"], mean([auc(y, s) for y, s in both]))
    shares = [pairs(y, s)[1] / (y.sum() * (1 - y).sum()) for y, s in both]
    check(values["auc_tie_share"], mean(shares))
    positive = [(y, s) for y, s in columns if y.any()]
    expected = mean([precision_at_positives(y, s) for y, s in positive])
    check(values["macro_average_precision"], expected)
    flat, scores = Y.ravel(), S.ravel()
    check(values["micro_auc"], auc(flat, scores) if 0 < flat.sum() < flat.size else np.nan)
    strict = values["macro_auc@mulan"]
    check(strict, values["macro_auc"] if len(both) == len(columns) else np.nan)


@pytest.mark.slow
@settings(max_examples=150)
@given(outcomes())
def test_metrics_per_sample(outcome):
    Y, S, L = outcome
    values = evaluate(Y, S, L).values
    rows = list(zip(Y, S, strict=True))
    both = [(y, s) for y, s in rows if 0 < y.sum() < len(y)]
    positive = [(y, s) for y, s in rows if y.any()]

    def loss(y, s):
        _, ties, losses = pairs(y, s)
        return (ties + losses) / (y.sum() * (1 - y).sum())

    check(values["ranking_loss"], mean([loss(y, s) for y, s in both]))
    check(values["average_precision"], mean([precision_at_positives(y, s) for y, s in positive]))
    check(values["coverage"], mean([(s >= s[y == 1].min()).sum() - 1 for y, s in positive]))
    check(values["one_error"], mean([1 - y[s == s.max()].mean() for y, s in positive]))
    check(values["one_error@paper"], mean([1 - y[s == s.max()].mean() for y, s in rows]))
    check(values["subset_accuracy"], np.mean([(y == p).all() for y, p in zip(Y, L, strict=True)]))


@pytest.mark.slow
@settings(max_examples=100)
@given(outcomes())
def test_f1_by_counting(outcome):
    Y, S, L = outcome
    values = evaluate(Y, S, L).values

    def f1s(truth, labels, empty):
        out = []
        for y, p in zip(truth, labels, strict=True):
            found, total = (y & p).sum(), y.sum() + p.sum()
            out += [2 * found / total] if total else empty
        return out

    for convention, empty in {"": [], "@sklearn": [0], "@meka": [0], "@mulan": [1]}.items():
        check(values["macro_f1" + convention], mean(f1s(Y.T, L.T, empty)))
        check(values["example_f1" + convention], mean(f1s(Y, L, empty)))
        pooled = mean(f1s([Y.ravel()], [L.ravel()], empty))
        check(values["micro_f1" + convention], pooled)
    check(values["macro_f1@paper"], mean(f1s(Y.T, L.T, [np.nan])))


@pytest.mark.slow
@settings(max_examples=60)
@given(outcomes())
def test_auc_sees_only_the_order_and_mirrors(outcome):
    Y, S, L = outcome
    values = evaluate(Y, S, L).values
    check(evaluate(Y, np.arctan(S), L).values["macro_auc"], values["macro_auc"])
    check(evaluate(1 - Y, S, L).values["macro_auc"], 1 - values["macro_auc"])
    order = np.arange(len(Y))[::-1]
    check(evaluate(Y[order], S[order], L[order]).values["macro_auc"], values["macro_auc"])
