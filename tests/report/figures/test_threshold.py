"""F1 over the cut is F1 of scikit-learn, cut by cut."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from mlbench.errors import MlbenchError
from mlbench.report.figures import FigureRequest
from tests.kept_runs import kept_run

RANDOM = np.random.RandomState(0)


def split(first):
    truth = RANDOM.randint(0, 2, (30, 3))
    scores = truth + RANDOM.randn(30, 3)
    rows = np.arange(first, first + 30)
    return {"rows": rows, "scores": scores, "labels": scores > 0.4, "truth": truth}


SPLITS = [split(0), split(30)]


def figure(folder, splits=SPLITS, thresholds=None, **settings):
    results = kept_run(folder, {"A": splits}, ["sad", "calm", "loud"], thresholds)
    return FigureRequest(results).plot("threshold", **settings)


def test_macro_f1_of_one_cut_for_all_labels(tmp_path):
    (found,) = figure(tmp_path).panels
    for cut, mean, *each in list(zip(found.cuts, found.mean, *found.curves, strict=True))[:-1:9]:
        expected = [
            f1_score(s["truth"], s["scores"] > cut, average="macro", zero_division=0)
            for s in SPLITS
        ]
        assert each == pytest.approx(expected)
        assert mean == pytest.approx(np.mean(expected))
    reached = [f1_score(s["truth"], s["labels"], average="macro") for s in SPLITS]
    assert found.reached == pytest.approx(np.mean(reached))
    assert found.chosen == ()


def test_the_lines_have_the_best_cut_and_some_of_the_curve(tmp_path):
    drawn = figure(tmp_path)
    (found,) = drawn.panels
    best = found.cuts[int(np.nanargmax(found.mean))], np.nanmax(found.mean)
    lines = drawn.lines()
    assert any(line.endswith(f"best drawn {best[0]:.5g}\t{best[1]:.4f}") for line in lines)
    assert len(lines) <= 25


def test_f1_of_a_label_and_its_chosen_cuts(tmp_path):
    (found,) = figure(tmp_path, label="calm", thresholds=[0.1, 0.4, 0.9]).panels
    expected = [f1_score(s["truth"][:, 1], s["labels"][:, 1]) for s in SPLITS]
    assert [cut for cut, _ in found.chosen] == [0.4, 0.4]
    assert [f1 for _, f1 in found.chosen] == pytest.approx(expected)
    assert found.reached == pytest.approx(np.mean(expected))


def test_a_cut_is_marked_where_it_is_for_all_labels(tmp_path):
    (found,) = figure(tmp_path / "a", thresholds=[0.4] * 3).panels
    assert [cut for cut, _ in found.chosen] == [0.4, 0.4]
    assert np.mean([f1 for _, f1 in found.chosen]) == pytest.approx(found.reached)
    (found,) = figure(tmp_path / "b", thresholds=[0.4, 0.4, 0.5]).panels
    assert found.chosen == ()


def test_labels_without_positives_do_not_count(tmp_path):
    """Neither predicted nor there: F1 is undefined."""
    bare = {**SPLITS[0], "truth": SPLITS[0]["truth"] * [1, 1, 0]}
    bare["labels"] = bare["labels"] * [1, 1, 0]
    (found,) = figure(tmp_path, [bare]).panels
    two = f1_score(bare["truth"][:, :2], bare["labels"][:, :2], average="macro")
    assert found.reached == pytest.approx(two)


def test_a_label_that_is_not_there(tmp_path):
    with pytest.raises(MlbenchError, match="there is no label 'lout' in the data set toy"):
        figure(tmp_path, label="lout")
