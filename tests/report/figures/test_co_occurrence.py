"""Which labels, and which errors, come together: counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import MlbenchError
from mlbench.report.figures import FigureRequest
from tests.kept_runs import kept_run

TRUTH = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
WRONG = {
    "A": [np.array([[1, 0, 0], [1, 0, 1]]), np.array([[0, 0, 0], [1, 0, 1]])],
    "B": [np.array([[0, 1, 0], [0, 0, 0]])],
}


def splits(method):
    """Row 1 is in both test parts of A."""
    found = []
    for rows, wrong in zip(([0, 1], [2, 1]), WRONG[method], strict=False):
        labels = np.abs(TRUTH[rows] - wrong)
        found.append({"rows": rows, "scores": labels, "labels": labels, "truth": TRUTH[rows]})
    return found


def figure(folder, methods, **settings):
    results = kept_run(folder, methods, ["sad", "calm", "loud"])
    return FigureRequest(results).plot("co-occurrence", **settings)


def test_each_row_counts_once_for_labels(tmp_path):
    found = figure(tmp_path, {"A": splits("A"), "B": splits("B")})
    assert found.counts == (3, 2, 0)
    np.testing.assert_allclose(found.shares[0], [1, 2 / 3, 0])
    np.testing.assert_allclose(found.shares[1], [1, 1, 0])
    assert np.isnan(found.shares[2]).all()
    assert found.lines()[0] == "toy\tsad\tcalm\t0.6667 of 3"
    assert found.lines()[-1] == "toy\tloud\tcalm\tnever"


def test_each_prediction_counts_for_errors(tmp_path):
    found = figure(tmp_path / "a", {"A": splits("A"), "B": splits("B")}, of="errors")
    assert found.what == "errors of A"
    assert found.counts == (3, 0, 2)
    np.testing.assert_allclose(found.shares[0], [1, 0, 2 / 3])
    named = figure(tmp_path / "b", {"A": splits("A"), "B": splits("B")}, of="errors", method="B")
    assert named.counts == (0, 1, 0)


def test_unknown_labels_count_for_nothing(tmp_path):
    truth = np.array([[1, -1, 0], [1, 1, 0]])
    zeros = np.zeros((2, 3), dtype=int)
    part = {"rows": [0, 1], "scores": zeros, "labels": zeros, "truth": truth}
    found = figure(tmp_path, {"A": [part]})
    assert found.counts == (2, 1, 0)
    assert found.shares[0][1] == 1.0  # of the one row where both are known
    assert found.lines()[0] == "toy\tsad\tcalm\t1.0000 of 1"
    assert "Shares are of those where the other is known." in found.note


def test_wrong_input(tmp_path):
    with pytest.raises(MlbenchError, match=r"of=error: .*did you mean 'errors'.*known: labels, er"):
        figure(tmp_path / "a", {"A": splits("A")}, of="error")
    with pytest.raises(MlbenchError, match="labels are of no method"):
        figure(tmp_path / "b", {"A": splits("A")}, method="A")
    with pytest.raises(MlbenchError, match="there is no method 'C' in the figure"):
        figure(tmp_path / "c", {"A": splits("A")}, of="errors", method="C")


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", [3, 50])
def test_the_map_is_drawn_with_the_most_frequent_labels(tmp_path, n_labels):
    drawing = pytest.importorskip("mlbench.report.figures.drawing")
    truth = np.random.RandomState(0).randint(0, 2, (60, n_labels))
    truth[:, 7:8] = 0
    part = {"rows": range(60), "scores": truth, "labels": truth, "truth": truth}
    names = [f"a long name of label {number}" for number in range(n_labels)]
    found = FigureRequest(kept_run(tmp_path, {"A": [part]}, names)).plot("co-occurrence")
    assert len(found.labels) == min(n_labels, 40)
    assert "a long name of label 7" not in found.labels
    assert ("The 40 most frequent of 50 labels" in found.note) == (n_labels == 50)
    assert drawing.svg(found).count("<svg") == 1
