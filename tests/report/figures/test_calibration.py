"""Reliability diagrams have the bins of scikit-learn's calibration curve."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from mlbench.errors import MlbenchError
from mlbench.report.figures import FigureRequest
from mlbench.report.figures.calibration import reliability
from tests.kept_runs import kept_run

RANDOM = np.random.RandomState(0)


def split(first, **more):
    """Two labels of 40 rows, whose probabilities are somewhat too extreme."""
    truth = RANDOM.randint(0, 2, (40, 2))
    scores = np.clip(truth * 0.5 + RANDOM.rand(40, 2) * 0.6 - 0.05, 0, 1)
    rows = np.arange(first, first + 40)
    return {"rows": rows, "scores": scores, "labels": scores > 0.5, "truth": truth} | more


A = [split(0), split(40)]
B = [split(0, probabilities=RANDOM.rand(40, 2)), split(40, probabilities=RANDOM.rand(40, 2))]
MARGINS = [{**split(0), "scores": RANDOM.randn(40, 2)}]


def figure(folder, methods, **settings):
    return FigureRequest(kept_run(folder, methods, ["sad", "calm"])).plot("calibration", **settings)


def test_the_models_of_one_metric_are_named(tmp_path):
    by_two = {name: [{**each, "labels@hamming_loss": each["labels"]} for each in A] for name in "A"}
    run = kept_run(tmp_path, by_two, ["sad", "calm"], tuned_by=("macro_auc", "hamming_loss"))
    note = FigureRequest(run).plot("calibration").note
    whose = "Where several metrics tuned models, they are of those tuned by macro_auc."
    assert note.endswith(whose)


def pooled(splits, name, columns=slice(None)):
    return np.concatenate([each[name][:, columns].ravel() for each in splits])


def test_an_edge_is_in_the_bin_above_as_in_the_calibration_error():
    found = reliability("A", 0, np.array([0.1, 0.3, 0.95, 1.0]), np.array([0, 1, 1, 1]), 10)
    assert found.predicted == pytest.approx((0.1, 0.3, 0.975))
    assert reliability("A", 0, np.array([0.09, 0.1]), np.array([0, 1]), 10).counts == (1, 1)


@pytest.mark.parametrize(("label", "column"), [("", slice(None)), ("calm", 1)])
@pytest.mark.parametrize("n_bins", [5, 10])
def test_bins_are_those_of_scikit_learn(tmp_path, n_bins, label, column):
    drawn = figure(tmp_path, {"A": A, "B": B}, bins=n_bins, label=label)
    ((_, (first, second)),) = drawn.panels
    for found, splits, name in ((first, A, "scores"), (second, B, "probabilities")):
        truth, likely = pooled(splits, "truth", column), pooled(splits, name, column)
        observed, predicted = calibration_curve(truth, likely, n_bins=n_bins)
        np.testing.assert_allclose(found.observed, observed)
        np.testing.assert_allclose(found.predicted, predicted)
        assert sum(found.counts) == truth.size


def test_the_error_is_the_mean_distance_of_predictions(tmp_path):
    splits = [{"rows": [0, 1, 2, 3], "labels": [[1, 0]] * 4, "truth": [[1, 0], [0, 1]] * 2}]
    splits[0]["scores"] = [[0.9, 0.2]] * 4
    ((_, (found,)),) = figure(tmp_path, {"A": splits}).panels
    assert found.counts == (4, 4)
    assert found.error == pytest.approx((0.3 + 0.4) / 2)


def test_unknown_labels_are_left_out(tmp_path):
    some = {**A[0], "truth": np.where(np.arange(40)[:, None] < 10, -1, A[0]["truth"])}
    ((_, (found,)),) = figure(tmp_path, {"A": [some]}).panels
    assert sum(found.counts) == 60


def test_methods_without_probabilities_are_named(tmp_path):
    drawn = figure(tmp_path, {"A": A, "SVM": MARGINS})
    assert drawn.without == ("SVM",)
    assert "No probabilities: SVM." in drawn.note


def test_wrong_input(tmp_path):
    with pytest.raises(MlbenchError, match="no method has probabilities"):
        figure(tmp_path / "a", {"SVM": MARGINS})
    with pytest.raises(MlbenchError, match="bins=1: give a whole number from 2 to 100"):
        figure(tmp_path / "b", {"A": A}, bins=1)
    with pytest.raises(MlbenchError, match=r"there is no label 'clam' .* \(did you mean 'calm'"):
        figure(tmp_path / "c", {"A": A}, label="clam")
