from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import MlbenchError
from mlbench.metrics import METRICS, TrainingLabels, evaluate, get_metric, score


def test_one_absent_label_moves_macro_f1_by_a_third(toy):
    values = evaluate(*toy).values
    assert values["macro_f1"] == pytest.approx(0.8)
    assert values["macro_f1@sklearn"] == values["macro_f1@meka"] == pytest.approx(1.6 / 3)
    assert values["macro_f1@mulan"] == pytest.approx(2.6 / 3)
    assert np.isnan(values["macro_f1@paper"])
    assert values["macro_auc"] == pytest.approx(0.9375)
    assert np.isnan(values["macro_auc@mulan"])


def test_what_was_left_out_is_counted(toy):
    counts = evaluate(*toy).counts
    assert counts["labels"] == 3
    assert counts["labels_without_positives"] == 1
    assert counts["labels_scored_auc"] == 2
    assert counts["labels_skipped_f1"] == 1
    assert counts["labels_never_predicted"] == 1
    assert counts["samples_without_positives"] == 0


@pytest.mark.parametrize(
    ("scores", "count"),
    [
        ([-1, -1 + 1e-9, -1], 1),
        ([1e-17, -1e-17, 3e-18], 1),
        ([-1, -1, -1], 0),
        ([-1, -1 + 1e-6, -1], 0),
        ([1e-9, 3e-9, 2e-9], 0),
        ([-np.inf, np.inf, 0], 0),
    ],
    ids=["a constant", "around 0", "equal", "far from rounding", "small", "infinite"],
)
def test_labels_whose_scores_differ_by_rounding_are_counted(scores, count):
    Y = np.array([[1, 1], [0, 0], [0, 1]])
    table = np.column_stack([[0.9, 0.1, 0.4], scores])
    assert evaluate(Y, table, Y).counts["labels_ranked_by_rounding"] == count
    order = [0, 3, 1, 4, 2, 5]
    tasks = np.repeat([0, 1], 3)[order]
    one = (each.T.reshape(-1, 1)[order] for each in (Y, table, Y))
    assert evaluate(*one, tasks=tasks).counts["labels_ranked_by_rounding"] == count


def test_rounding_within_a_label_of_one_class_matters_to_no_metric():
    Y, table = np.array([[1, 0], [0, 0]]), np.array([[0.9, 1e-17], [0.1, 2e-17]])
    assert evaluate(Y, table, Y).counts["labels_ranked_by_rounding"] == 0


def test_the_cut_ratio_compares_how_many_are_called_positive():
    Y, L = np.array([[1, 1], [1, 0]]), np.array([[0, 1], [0, 0]])
    assert score("cut_ratio", Y, None, L) == pytest.approx(1 / 3)
    assert np.isnan(score("cut_ratio", 0 * Y, None, L))
    assert not get_metric("cut_ratio").is_quality


def test_mulan_gives_nothing_to_a_label_that_is_there_but_never_predicted():
    Y, L = np.array([[1], [0]]), np.array([[0], [0]])
    assert score("macro_precision@mulan", Y, None, L) == 0
    assert np.isnan(score("macro_precision", Y, None, L))
    assert score("macro_recall@mulan", Y, None, L) == 0


def test_a_constant_score_ties_every_pair():
    Y = np.array([[1, 0], [0, 1], [0, 1]])
    values = evaluate(Y, np.zeros(Y.shape), Y).values
    assert values["macro_auc"] == 0.5
    assert values["auc_tie_share"] == 1.0
    assert values["one_error"] == 0.5


def test_nothing_defined_is_nan_not_a_number():
    Y = np.zeros((3, 2), dtype=int)
    values = evaluate(Y, np.random.default_rng(0).normal(size=Y.shape), Y).values
    defined = {name for name, value in values.items() if not np.isnan(value)}
    fixed = {name for name in values if name.endswith(("@sklearn", "@meka", "@mulan", "@constant"))}
    fixed -= {"macro_auc@sklearn", "macro_auc@mulan"}
    zero = {f"precision_at_{k}" for k in (1, 3, 5)}
    assert defined == fixed | zero | {"hamming_loss", "subset_accuracy", "one_error@paper"}


@pytest.mark.parametrize("name", METRICS)
def test_score_equals_evaluate(tied, name):
    Y, scores, labels = tied
    training = TrainingLabels(np.arange(9), 60)
    outcome = Y, scores / 10 + 0.5, labels  # some metrics are of probabilities
    values = evaluate(*outcome, training=training).values
    for reading in (name, *(f"{name}@{c}" for c in METRICS[name].conventions)):
        assert score(reading, *outcome, training=training) == values[reading]


def test_no_label_at_all_is_right_for_mulan_and_meka():
    Y, L = np.array([[0, 0], [1, 0]]), np.array([[0, 0], [1, 1]])
    values = evaluate(Y, L, L).values
    assert values["example_jaccard"] == 0.5
    assert values["example_jaccard@mulan"] == values["example_jaccard@meka"] == 0.75
    assert values["example_jaccard@sklearn"] == 0.25


def test_without_training_labels_what_needs_them_is_left_out(toy):
    assert not any(METRICS[name.partition("@")[0]].uses_training for name in evaluate(*toy).values)


def test_every_reading_has_a_value_and_a_distinct_title(toy):
    values = evaluate(*toy).values
    titles = {get_metric(name).title for name in values}
    assert len(titles) == len(values)
    assert all(get_metric(name).name == name for name in values)


def test_an_alias_is_no_second_metric(toy):
    assert get_metric("misclassification") is METRICS["hamming_loss"]
    assert "misclassification" not in evaluate(*toy).values


def test_unknown_names_are_answered_with_the_nearest_right_one():
    with pytest.raises(MlbenchError, match="did you mean 'macro_f1'"):
        get_metric("makro_f1")
    with pytest.raises(MlbenchError, match="did you mean 'mulan'"):
        get_metric("macro_f1@mulam")
    with pytest.raises(MlbenchError, match="hamming_loss has no conventions"):
        get_metric("hamming_loss@mulan")
    assert get_metric("macro_f1@skip") is METRICS["macro_f1"]
