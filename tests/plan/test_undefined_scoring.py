"""A search by a metric that cannot have a value is refused at planning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.plan import ImpossiblePlan
from tests.plan.conftest import FACTS

LINEAR_SVC = "sklearn.svm.LinearSVC"


def problems(plan, scoring, method, **more):
    protocol = {"splits": {"train": 0.6}, "tuning": {"folds": 3, "scoring": scoring}}
    with pytest.raises(ImpossiblePlan) as raised:
        plan(datasets=["emotions"], methods={"A": method}, protocol=protocol, **more)
    return raised.value.problems


@pytest.mark.parametrize("scoring", ["log_loss", "brier_score"])
@pytest.mark.parametrize(
    "method",
    [
        {"use": "svm_ovr"},
        {"use": "br", "base": LINEAR_SVC},
        {"use": "sklearn.linear_model.RidgeClassifier", "tune": {"alpha": [1.0, 2.0]}},
        {"use": "sklearn.multiclass.OneVsRestClassifier", "estimator": {"use": LINEAR_SVC}},
    ],
)
def test_margins_have_no_log_loss(plan, scoring, method):
    tune = {"estimator__C": [1.0, 2.0]} if "estimator" in method else {"C": [1.0, 2.0]}
    ((location, message),) = problems(plan, scoring, {"tune": tune, **method})
    assert location == ("methods", "A")
    assert "gives margins, not probabilities" in message


def test_each_metric_of_several_is_checked(plan):
    method = {"use": "svm_ovr", "tune": {"C": [1.0, 2.0]}}
    shown = ["macro_f1", "log_loss", "brier_score"]
    first, second = (message for _, message in problems(plan, "each", method, metrics=shown))
    assert "Log loss cannot be its `scoring`; tune by the others: `scoring: [macro_f1]`" in first
    assert "Brier score cannot be its `scoring`" in second


@pytest.mark.parametrize("method", [{"use": "br"}, {"use": "br", "base": "sklearn.svm.SVC"}])
def test_what_may_have_probabilities_is_planned(plan, method):
    grid = {"probability": [False, True]} if "base" in method else {"C": [0.1, 1.0]}
    tuning = {"folds": 3, "scoring": "log_loss"}
    protocol = {"splits": {"train": 0.6}, "tuning": tuning}
    plan(methods={"A": {**method, "tune": grid}}, protocol=protocol)


def test_without_a_search_margins_are_planned(plan):
    tuning = {"folds": 3, "scoring": "log_loss"}
    plan(methods={"A": "svm_ovr"}, protocol={"splits": {"train": 0.6}, "tuning": tuning})


@pytest.mark.parametrize("scoring", ["example_f1", "ranking_loss", "subset_accuracy"])
def test_metrics_of_whole_rows_are_undefined_for_tasks(plan, facts, scoring):
    tasked = {"emotions": facts.__class__(**{**vars(facts), "n_labels": 1, "n_tasks": 5})}
    method = {"use": "br", "tune": {"C": [0.1, 1.0]}}
    ((_, message),) = problems(plan, scoring, method, facts=tasked)
    assert message.endswith("is undefined for tasks, so it cannot be the `scoring`")


def test_a_single_label_has_no_ranking(plan, facts):
    single = {"emotions": facts.__class__(**{**vars(facts), "n_labels": 1})}
    method = {"use": "br", "tune": {"C": [0.1, 1.0]}}
    ((_, message),) = problems(plan, "ranking_loss", method, facts=single)
    assert "is undefined for a single label" in message


def test_advice_names_the_metrics_that_can_all_be_tuned_by(plan):
    protocol = {
        "splits": {"train": 0.5},
        "tuning": {"folds": 3, "scoring": ["macro_f1", "ranking_loss", "coverage", "macro_auc"]},
    }
    method = {"use": "br", "tune": {"C": [0.1, 1.0]}}
    facts = {"emotions": replace(FACTS, fewest_known=20)}
    with pytest.raises(ImpossiblePlan) as raised:
        plan(facts, datasets=["emotions"], methods={"A": method}, protocol=protocol)
    told = [message for _, message in raised.value.problems]
    assert len(told) == 2
    assert all("undefined where labels of rows are unknown" in message for message in told)
    assert all(message.endswith("`scoring: [macro_f1, macro_auc]`") for message in told)
