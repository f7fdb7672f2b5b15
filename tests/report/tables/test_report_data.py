from __future__ import annotations

from pathlib import Path

from mlbench.comparisons.settings import report_settings
from mlbench.report.tables.report_data import report_data
from mlbench.results.results import Results
from tests.audit.experiments import Method, Search, made
from tests.plans import make_plan


def test_a_comparison_is_laid_out_as_the_experiment_says():
    wanted = {"method": "A", "against": None, "test": ["t"], "correction": "none"}
    plan = make_plan(methods=["A", "B"], tests=[wanted, {**wanted, "layout": "wide"}])
    settings = report_settings(Results(Path(), plan, {}))
    assert [each.layout for each in settings.comparisons] == ["long", "wide"]
    assert settings.comparisons[1].against == ["B"]


def test_comparisons_that_differ_in_the_test_alone_are_one():
    wanted = {"method": "A", "against": None, "test": ["corrected_t"]}
    asked = [wanted, {**wanted, "test": ["t", "corrected_t"]}, {**wanted, "against": ["B"]}]
    plan = make_plan(methods=["A", "B", "C"], tests=asked)
    settings = report_settings(Results(Path(), plan, {}))
    assert [each.test for each in settings.comparisons] == [["corrected_t", "t"], ["corrected_t"]]


def test_notes_say_which_labels_are_ranked_by_rounding():
    few = {"labels": 3, "labels_scored_auc": 3, "labels_ranked_by_rounding": 1}
    methods = {
        "A": Method(scores={"macro_auc": 0.6}, counts=few),
        "B": Method(scores={"macro_auc": 0.5}),
    }
    assert any(note.endswith("toy, A: 1 of 3.") for note in report_data(made(methods)).notes)


def test_threats_are_those_of_the_comparisons_that_are_shown():
    methods = {
        "A": Method(scores={"macro_f1": 0.6}, search=Search()),
        "B": Method(scores={"macro_f1": 0.59}, search=Search(), use="lp"),
        "C": Method(scores={"macro_f1": 0.55}, use="mlknn"),
    }
    results = made(methods, tests=[{"method": "A"}])
    (threat,) = report_data(results).threats
    assert "C ran at fixed settings" in threat.sentence
    assert not report_data(results, methods=["A", "B"]).threats
