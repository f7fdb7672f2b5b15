"""Each metric is read from the model that was tuned by it, and each count from what it explains."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.metrics import TrainingLabels, evaluate
from mlbench.metrics.joined import is_of_f1, joined_labels, joined_models, model_of


@pytest.fixture
def evaluations():
    random = np.random.RandomState(0)
    Y = random.randint(0, 2, (30, 3))

    def evaluation():
        scores = random.rand(30, 3)
        labels = (scores > random.rand()).astype(int)
        return evaluate(Y, scores, labels, training=TrainingLabels.of(Y))

    return [evaluation() for _ in range(3)]


@pytest.mark.parametrize(
    ("name", "tuned_by", "expected"),
    [
        ("macro_f1", ["macro_auc", "macro_f1"], "macro_f1"),
        ("macro_f1@mulan", ["macro_auc", "macro_f1"], "macro_f1"),
        ("macro_f1@mulan", ["macro_f1@mulan", "macro_f1"], "macro_f1@mulan"),
        ("macro_f1", ["macro_auc", "macro_f1@mulan"], "macro_auc"),
        ("hamming_loss", ["macro_auc", "macro_f1"], "macro_auc"),
        ("auc_tie_share", ["macro_f1", "macro_auc"], "macro_auc"),
        ("labels_skipped_f1", ["macro_auc", "macro_f1"], "macro_f1"),
        ("my.py:gain", ["macro_auc", "my.py:gain"], "my.py:gain"),
    ],
)
def test_the_model_of_a_metric(name, tuned_by, expected):
    assert model_of(name, tuned_by) == expected


def test_values_counts_and_labels_of_several_models(evaluations):
    first, by_f1, by_auc = evaluations
    joined = joined_models({"hamming_loss": first, "macro_f1": by_f1, "macro_auc": by_auc})
    assert joined.values.keys() == first.values.keys()
    assert joined.values["macro_f1@sklearn"] == by_f1.values["macro_f1@sklearn"]
    assert joined.values["macro_auc"] == by_auc.values["macro_auc"]
    assert joined.values["micro_f1"] == first.values["micro_f1"]
    assert joined.counts["labels_never_predicted"] == by_f1.counts["labels_never_predicted"]
    assert joined.by_label.tp is by_f1.by_label.tp
    assert joined.by_label.auc is by_auc.by_label.auc
    assert joined.by_label.average_precision is first.by_label.average_precision


def test_labels_for_f1_give_f1_and_its_kind(evaluations):
    own, cut, _ = evaluations
    joined = joined_labels(own, cut)
    for name in ("macro_f1", "micro_f1@mulan", "example_jaccard", "micro_recall", "cut_ratio"):
        assert is_of_f1(name)
        assert joined.values[name] == cut.values[name]
    for name in ("hamming_loss", "subset_accuracy", "balanced_accuracy", "macro_auc"):
        assert not is_of_f1(name)
        assert joined.values[name] == own.values[name]
    assert joined.by_label == cut.by_label
