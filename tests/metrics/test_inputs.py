"""Truth and predictions in the forms in which people hold them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import mlbench as mb
from mlbench.errors import MethodError
from mlbench.metrics.evaluation import score

Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
SCORES = np.array([[0.9, 0.2], [0.4, 0.8], [0.7, 0.6], [0.1, 0.3]])
LABELS = (SCORES > 0.5).astype(int)


def frame(array):
    return pd.DataFrame(array, index=list("wxyz"), columns=["a", "b"])


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_labels_are_those_of_the_array(form):
    plain = mb.evaluate(Y, SCORES, LABELS)
    assert mb.evaluate(form(Y), SCORES, form(LABELS)).plain_values == plain.plain_values


def test_data_frames_are_aligned_by_the_names_of_rows_and_columns():
    found = mb.evaluate(frame(Y), frame(SCORES)[["b", "a"]].iloc[::-1], frame(LABELS)[["b", "a"]])
    assert found.values["macro_f1"] == 1.0
    assert found.plain_values == mb.evaluate(Y, SCORES, LABELS).plain_values


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.rename(columns={"a": "c"}), "same names in their columns: 'a' is in one"),
        (lambda f: f.iloc[:3], "same names in their index: 'z' is in one alone"),
        (lambda f: f[["a", "a"]], "same names in their columns"),
    ],
)
def test_frames_with_other_names_are_refused(change, words):
    with pytest.raises(MethodError, match=words):
        mb.evaluate(frame(Y), change(frame(SCORES)), frame(LABELS))


@pytest.mark.parametrize(
    "hide",
    [
        lambda truth, hidden: np.ma.masked_array(truth, mask=hidden),
        lambda truth, hidden: np.where(hidden, np.nan, truth),
    ],
)
def test_unknown_labels_are_left_out_of_their_label(hide):
    hidden = np.zeros(Y.shape, dtype=bool)
    hidden[0, 0] = hidden[3, 1] = True
    wrong = np.where(hidden, 1 - Y, Y)
    found = mb.evaluate(hide(wrong, hidden), SCORES, LABELS)
    by_hand = [score("macro_auc", Y[1:, :1], SCORES[1:, :1], None)]
    by_hand += [score("macro_auc", Y[:3, 1:], SCORES[:3, 1:], None)]
    assert found.values["macro_auc"] == pytest.approx(np.mean(by_hand))
    assert found.values["macro_f1"] == 1.0
    assert np.isnan(found.values["example_f1"])
    assert score("macro_f1", hide(wrong, hidden), None, LABELS) == 1.0


def test_what_cannot_be_evaluated_is_refused():
    everything = np.ones(Y.shape, dtype=bool)
    with pytest.raises(MethodError, match="every label of Y is unknown"):
        mb.evaluate(np.ma.masked_array(1 - Y, mask=everything), SCORES, LABELS)
    with pytest.raises(MethodError, match="scores is masked"):
        mb.evaluate(Y, np.ma.masked_array(SCORES, mask=everything), LABELS)
    assert mb.evaluate(np.ma.masked_array(Y), SCORES, LABELS).values["macro_f1"] == 1.0


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
def test_missing_labels_of_a_data_frame_are_unknown(dtype):
    hidden = np.array([[True, False]] + [[False, False]] * 3)
    typed = frame(Y == 1 if dtype == "boolean" else Y).astype(dtype).mask(hidden)
    masked = np.ma.masked_array(Y, hidden)
    found = mb.evaluate(typed, frame(SCORES), frame(LABELS)).plain_values
    assert found == mb.evaluate(masked, SCORES, LABELS).plain_values


def test_probabilities_are_called_so():
    with pytest.raises(MethodError, match=r"probabilities has shape \(4, 1\), but Y has shape"):
        mb.evaluate(Y, SCORES, LABELS, probabilities=SCORES[:, :1])


@pytest.mark.parametrize(
    ("positives", "words"),
    [([1, 2, 3], "positives of 3 labels, but Y has 2"), ([1, 12], "a label with 12 positives")],
)
def test_labels_of_training_must_be_those_of_the_test(positives, words):
    with pytest.raises(MethodError, match=words):
        mb.evaluate(Y, SCORES, LABELS, training=mb.metrics.TrainingLabels(np.array(positives), 9))
