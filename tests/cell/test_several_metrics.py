"""A search by several metrics: each is that of the model tuned by it, as if it were alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.hashing import canonical_json
from mlbench.metrics.joined import is_of_f1
from mlbench.store import UndefinedScores
from mlbench.store.row import values_by
from tests.cell.cases import BR, Memory, cells, make_dataset, run, without_times

METRICS = ["macro_auc", "micro_f1", "hamming_loss"]
METHOD = {**BR, "tune": {"C": [10.0**exponent for exponent in range(3, -5, -1)]}}

COUNTING = """
from sklearn.linear_model import RidgeClassifier


class Counting(RidgeClassifier):
    fits = []

    def fit(self, X, Y):
        self.fits.append((self.alpha, len(X)))
        return super().fit(X, Y)
"""
COUNTED = {"use": "counting.py:Counting", "tune": {"alpha": [10.0**i for i in range(6, -4, -1)]}}
TRAINING = 24  # rows of the training part, of which each fold has less


def planned(dataset, scoring, method=METHOD, folder=".", tuning=(), **more):
    tuning = {"folds": 3, "scoring": scoring, **dict(tuning)}
    return cells(dataset, method, folder, tuning=tuning, **more)[0]


def in_folds(fits):
    return [fit for fit in fits if fit[1] < TRAINING]


def base(metric):
    return metric.partition("@")[0]


@pytest.fixture
def dataset():
    return make_dataset(n=40, k=4, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("ends", [{}, {"patience": 1}, {"halving": 2}], ids=lambda e: "".join(e))
@pytest.mark.parametrize("threshold", ["default", "cv_f1_label", {"f1": "train_f1_label"}])
def test_each_metric_is_what_a_search_by_it_alone_gives(dataset, ends, threshold):
    joint = run(planned(dataset, METRICS, tuning=ends, threshold=threshold), dataset)
    alone = {
        metric: run(planned(dataset, metric, tuning=ends, threshold=threshold), dataset)
        for metric in METRICS
    }
    assert len({canonical_json(each.params) for each in alone.values()}) > 1
    for metric, single in alone.items():
        named = [name for name in single.metrics if base(name) == metric]
        assert [joint.metrics[name] for name in named] == [single.metrics[name] for name in named]
        assert values_by(metric, joint.params) == single.params
        assert joint.tuning.by(metric).best == single.tuning.best
        assert joint.tuning.by(metric).scores == single.tuning.scores
    first = alone["macro_auc"]
    others = [name for name in first.metrics if base(name) not in METRICS]
    assert [joint.metrics[name] for name in others] == [first.metrics[name] for name in others]


@pytest.fixture
def count_fits(tmp_path):
    """Run a cell, and return the result and the fits: candidate and number of rows."""
    dataset = make_dataset(n=40, k=4, seed=3)
    (tmp_path / "counting.py").write_text(COUNTING)

    def count_fits(scoring, tuning, checkpoint=None):
        cell = planned(dataset, scoring, COUNTED, tmp_path, tuning)
        fits = type(cell.planned_method.make()).fits
        fits.clear()
        return run(cell, dataset, checkpoint=checkpoint), list(fits)

    return count_fits


@pytest.mark.slow
@pytest.mark.parametrize("ends", [{}, {"patience": 2}], ids=lambda e: "".join(e) or "whole")
def test_what_one_metric_needs_is_not_fitted_again_for_another(count_fits, ends):
    result, fits = count_fits(METRICS, ends)
    alone = [count_fits(metric, ends)[1] for metric in METRICS]
    assert len(in_folds(fits)) == max(len(in_folds(each)) for each in alone) > 0
    chosen = [values_by(metric, result.params)["alpha"] for metric in METRICS]
    assert [alpha for alpha, rows in fits if rows == TRAINING] == list(dict.fromkeys(chosen))
    assert len({*chosen}) > 1


@pytest.mark.slow
def test_in_halving_fits_are_shared_as_long_as_the_same_candidates_are_left(count_fits):
    joint = len(in_folds(count_fits(METRICS, {"halving": 2})[1]))
    alone = [len(in_folds(count_fits(metric, {"halving": 2})[1])) for metric in METRICS]
    first_round = 3 * len(COUNTED["tune"]["alpha"])
    assert max(alone) <= joint <= sum(alone) - 2 * first_round


@pytest.mark.slow
def test_a_search_that_was_cut_off_goes_on_where_it_was(count_fits):
    """Halving saves the candidates that each metric has left."""
    saved = Memory()
    whole, fits = count_fits(METRICS, {"halving": 2}, saved)
    assert {"halving", "halving-1", "halving-2"} <= {*saved}
    again, fewer = count_fits(METRICS, {"halving": 2}, saved)
    assert without_times(again) == without_times(whole)
    assert 0 < len(in_folds(fewer)) < len(in_folds(fits))


@pytest.mark.slow
def test_a_recalled_search_gives_what_one_done_again_gives(dataset):
    tuning = {"folds": 3, "scoring": METRICS, "scope": "first-split"}
    first, second, _ = cells(dataset, METHOD, tuning=tuning)
    searches = Memory()
    run(first, dataset, searches)
    assert without_times(run(second, dataset, searches)) == without_times(run(second, dataset))


def test_parameters_of_an_earlier_run_give_what_its_search_gave(dataset):
    cell = planned(dataset, METRICS)
    searched = run(cell, dataset)
    chosen = {m: cell.tuning.candidate(best) for m, best in searched.tuning.best_by.items()}
    by_metric = {metric: chosen[metric] for metric in METRICS}
    given = replace(cell, tuning=None, chosen=by_metric["macro_auc"], chosen_by=by_metric)
    assert without_times(run(given, dataset)) == without_times(replace(searched, tuning=None))


@pytest.mark.slow
def test_labels_counts_and_ties_are_those_of_the_metrics_that_they_explain():
    dataset = make_dataset(n=60, k=4, seed=2)
    metrics = ["hamming_loss", "macro_f1", "macro_auc"]
    joint = run(planned(dataset, metrics), dataset)
    f1, auc = (run(planned(dataset, metric), dataset) for metric in metrics[1:])
    assert f1.params != auc.params
    assert joint.by_label.column("f1") == f1.by_label.column("f1")
    assert joint.by_label.column("auc") == auc.by_label.column("auc")
    assert joint.counts["labels_skipped_f1"] == f1.counts["labels_skipped_f1"]
    assert joint.metrics["auc_tie_share"] == auc.metrics["auc_tie_share"]


def test_a_metric_that_had_no_score_to_choose_by_is_named(tmp_path):
    """Nothing is known of a user's scores before they are computed."""
    (tmp_path / "margins.py").write_text(
        "from sklearn.linear_model import RidgeClassifier\n\n\n"
        "class Margins(RidgeClassifier):\n    pass\n"
    )
    one = make_dataset(k=1)
    method = {"use": "margins.py:Margins", "tune": {"alpha": [0.1, 1.0]}}
    found = run(planned(one, ["micro_f1", "log_loss"], method, tmp_path), one)
    assert found.tuning.undefined == UndefinedScores(scores=6, of=6)
    told = [text for text in found.warnings if "undefined" in text]
    assert len(told) == 1
    assert "log_loss was undefined for every candidate" in told[0]


@pytest.mark.slow
def test_thresholds_for_f1_are_for_f1_and_its_kind_alone(dataset):
    own, cut, both = (
        run(planned(dataset, "macro_f1", threshold=threshold), dataset)
        for threshold in ("default", "cv_f1_label", {"f1": "cv_f1_label"})
    )
    assert own.metrics["hamming_loss"] != cut.metrics["hamming_loss"]
    assert own.metrics["macro_f1"] != cut.metrics["macro_f1"]
    for name, value in both.metrics.items():
        expected = cut if is_of_f1(name) else own
        assert value == expected.metrics[name], name
    assert both.thresholds == cut.thresholds
    assert both.by_label == cut.by_label
    assert (both.predictions["labels"] == own.predictions["labels"]).all()
    assert (both.predictions["labels_f1"] == cut.predictions["labels"]).all()
