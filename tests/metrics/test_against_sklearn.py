"""scikit-learn is the oracle wherever it defines the same thing, ties included."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics as sk

from mlbench.metrics import evaluate, score, ties

EXACT = {"rel": 1e-13, "abs": 1e-13}
PARTS = [
    ("f1", sk.f1_score),
    ("jaccard", sk.jaccard_score),
    ("precision", sk.precision_score),
    ("recall", sk.recall_score),
]


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("macro_auc", lambda Y, S: sk.roc_auc_score(Y, S, average="macro")),
        ("micro_auc", lambda Y, S: sk.roc_auc_score(Y, S, average="micro")),
        ("macro_average_precision", lambda Y, S: sk.average_precision_score(Y, S)),
        ("micro_average_precision", lambda Y, S: sk.average_precision_score(Y, S, average="micro")),
        ("ranking_loss", sk.label_ranking_loss),
        ("average_precision", sk.label_ranking_average_precision_score),
        ("coverage", lambda Y, S: sk.coverage_error(Y, S) - 1),
        ("coverage@sklearn", sk.coverage_error),
    ],
)
def test_scores_with_ties(tied, name, oracle):
    Y, S, _ = tied
    assert score(name, Y, S, None) == pytest.approx(oracle(Y, S), **EXACT)


@pytest.mark.parametrize("n_positives", [0, 1, 3, 6, 120])
def test_blocks_of_scores_change_nothing(monkeypatch, n_positives):
    rng = np.random.default_rng(n_positives)
    Y = np.zeros(120, dtype=int)
    Y[rng.choice(120, n_positives, replace=False)] = 1
    Y, S = Y.reshape(30, 4), np.round(rng.normal(size=(30, 4)), 1)
    whole = evaluate(Y, S, S > 0).values
    monkeypatch.setattr(ties, "_AT_ONCE", 1)
    assert evaluate(Y, S, S > 0).values == pytest.approx(whole, nan_ok=True, **EXACT)
    if 0 < n_positives < 120:
        expected = sk.roc_auc_score(Y.ravel(), S.ravel())
        assert whole["micro_auc"] == pytest.approx(expected, **EXACT)


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize(
    ("part", "oracle"),
    PARTS,
)
def test_label_metrics(tied, average, part, oracle):
    Y, _, L = tied
    assert score(f"{average}_{part}", Y, None, L) == pytest.approx(
        oracle(Y, L, average=average), **EXACT
    )


def test_metrics_per_sample(tied):
    Y, S, L = tied
    values = evaluate(Y, S, L).values
    for part, oracle in PARTS:
        expected = oracle(Y, L, average="samples")
        assert values[f"example_{part}"] == pytest.approx(expected, **EXACT)
    assert values["hamming_loss"] == pytest.approx(sk.hamming_loss(Y, L), **EXACT)
    assert values["subset_accuracy"] == pytest.approx(sk.accuracy_score(Y, L), **EXACT)


@pytest.fixture
def ragged():
    """Labels and samples without positives, without negatives, and labels never predicted."""
    rng = np.random.default_rng(1)
    Y = (rng.random((40, 8)) < 0.3).astype(int)
    Y[:, 2], Y[:, 5] = 0, 1
    Y[:4], Y[4:6] = 0, 1
    scores = np.round(rng.normal(size=Y.shape), 1)
    labels = (scores > 0.8).astype(int)
    labels[:, [2, 3]] = 0
    return Y, scores, labels


def jaccard(y, p, zero_division):
    return sk.jaccard_score(y, p) if (y | p).any() else zero_division


@pytest.mark.parametrize(("convention", "zero_division"), [("", np.nan), ("@sklearn", 0.0)])
@pytest.mark.parametrize(
    ("part", "oracle"),
    [*PARTS[:1], ("jaccard", jaccard), *PARTS[2:]],
)
def test_zero_division(ragged, part, oracle, convention, zero_division):
    Y, _, L = ragged
    of_labels = [oracle(y, p, zero_division=zero_division) for y, p in zip(Y.T, L.T, strict=True)]
    of_samples = [oracle(y, p, zero_division=zero_division) for y, p in zip(Y, L, strict=True)]
    for kind, values in (("macro", of_labels), ("example", of_samples)):
        value = score(f"{kind}_{part}{convention}", Y, None, L)
        assert value == pytest.approx(np.nanmean(values), **EXACT)


def test_balanced_accuracy(ragged):
    Y, L = ragged[0][6:], ragged[2][6:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = [sk.balanced_accuracy_score(y, p) for y, p in zip(Y.T, L.T, strict=True)]
    of_two_classes = np.delete(values, [2, 5])
    assert score("balanced_accuracy", Y, None, L) == pytest.approx(of_two_classes.mean(), **EXACT)
    assert score("balanced_accuracy@sklearn", Y, None, L) == pytest.approx(np.mean(values), **EXACT)
    assert np.isnan(score("balanced_accuracy@paper", Y, None, L))


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("ranking_loss@sklearn", sk.label_ranking_loss),
        ("coverage@sklearn", sk.coverage_error),
        ("average_precision@sklearn", sk.label_ranking_average_precision_score),
        ("macro_average_precision@sklearn", sk.average_precision_score),
    ],
)
def test_undefined_parts_as_in_sklearn(ragged, name, oracle):
    Y, S, _ = ragged
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = oracle(Y, S)
    assert score(name, Y, S, None) == pytest.approx(expected, **EXACT)
