"""Searches that ended at the edge of their grid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.audit import Facts, find_threats
from tests.audit.experiments import Method, Search, changed, essence, made, swapped, threats


def by_f1(value, search=None, use="br"):
    return Method(use=use, scores={"macro_f1": value}, search=search)


AT_EDGE = {"A": by_f1(0.6), "B": by_f1(0.55, Search(best=2), "mlknn")}


def test_a_search_that_ended_at_the_edge_of_its_grid():
    (found,) = threats("grid-edge", AT_EDGE)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: B chose C = 10, the largest of 3 values, in 5 of 5 searches; in those, the "
        "last step still gained 10.0 points in the tuning folds."
    )
    assert found.advice == "Extend the grid beyond 10."
    assert found.metrics == ("macro_f1",)


def test_an_edge_on_a_data_set_that_had_another_name_when_it_ran():
    results = made(AT_EDGE)
    rows = {key: replace(row, dataset="old") for key, row in results.rows.items()}
    (found,) = find_threats(Facts.of_results(replace(results, rows=rows)), ["grid-edge"])
    assert found.datasets == ("toy",)


def test_the_gain_of_another_metric_names_it():
    methods = {
        name: replace(each, scores={"macro_auc": each.scores["macro_f1"]})
        for name, each in AT_EDGE.items()
    }
    (found,) = threats("grid-edge", methods)
    assert "the last step still gained 10.0 points of Macro F1 in the" in found.sentence


@pytest.mark.parametrize(("gains", "severity"), [([0.2, 0.4, 0.6], "weakens"), ([0.5] * 3, "note")])
def test_where_a_metric_of_another_kind_decided_the_compared_one_judges_the_step(gains, severity):
    record = {"also": {"macro_auc": [[gain] * 2 for gain in gains]}}
    methods = {
        name: replace(
            each,
            scores={"macro_auc": each.scores["macro_f1"]},
            search=each.search and replace(each.search, record=record),
        )
        for name, each in AT_EDGE.items()
    }
    (found,) = threats("grid-edge", methods)
    assert found.severity == severity
    rises = "gained 10.0 points of Macro F1 in the tuning folds (and 20.0 points of Macro AUC)."
    assert (rises in found.sentence) == (severity == "weakens")


def test_of_values_that_were_drawn_more_should_be():
    entry = {"use": "mlknn", "tune": {"C": {"log_uniform": [0.01, 100]}}, "draws": 3}
    (found,) = threats("grid-edge", AT_EDGE, entries={"B": entry})
    assert "B chose C = 10, the largest of 3 drawn values, in 5 of 5 searches" in found.sentence
    assert found.advice == "Draw more values beyond 10."


OF_SHARES = changed(AT_EDGE, "B", use="mine.py:Mine", search=Search(values=(0.4, 0.7, 1.0), best=2))


def test_a_parameter_of_ones_own_method_may_end_at_1():
    (found,) = threats("grid-edge", OF_SHARES)
    assert found.advice == (
        "Extend the grid beyond 1. If C ends at 1, accept this with the key `parameters`."
    )
    (known,) = threats("grid-edge", changed(OF_SHARES, "B", use="mlknn"))
    assert known.advice == "Extend the grid beyond 1."


@pytest.mark.parametrize(("parameters", "is_open"), [("C", False), (["D", "E*"], True)])
def test_the_edge_of_one_parameter_is_accepted_alone(parameters, is_open):
    rule = {"check": "grid-edge", "parameters": parameters, "because": "a share ends at 1"}
    facts = Facts.of_results(made(OF_SHARES, audit={"accept": [rule]}))
    (found,) = find_threats(facts, ["grid-edge"])
    assert found.is_open == is_open


def test_a_search_that_ended_inside_its_grid():
    assert not threats("grid-edge", changed(AT_EDGE, "B", search=Search(best=1)))


def test_the_method_at_the_edge_is_ahead():
    assert not threats("grid-edge", swapped(AT_EDGE, "macro_f1"))


@pytest.mark.parametrize(
    "search",
    [
        Search(best=0, values=(0.0, 0.1, 1.0)),
        Search(best=0, values=(1, 2, 3)),
        Search(best=0, scope="first-split"),
    ],
    ids=["0 is the least", "no count is below 1", "one search serves all splits"],
)
def test_edges_that_say_nothing(search):
    assert not threats("grid-edge", changed(AT_EDGE, "B", search=search))


def test_one_search_of_one_split_is_too_few():
    assert not threats("grid-edge", AT_EDGE, n_splits=1)


@pytest.mark.parametrize(
    ("score", "last", "severity"),
    [(0.45, 0.55, "note"), (0.45, 0.6, "weakens"), (0.55, 0.501, "note"), (0.55, 0.55, "weakens")],
    ids=["a large lead", "a step of most of it", "a last step that gained little", "a step"],
)
def test_edges_that_hardly_explain_a_lead(score, last, severity):
    search = Search(best=2, folds=[[0.5] * 2, [0.5] * 2, [last] * 2])
    methods = changed(AT_EDGE, "B", scores={"macro_f1": score}, search=search)
    assert [each.severity for each in threats("grid-edge", methods)] == [severity]


@pytest.mark.parametrize(
    ("values", "n_found"), [((0.1, 1.0, 10.0), 0), ((1.0, 10.0, 100.0), 1), ((0.01, 0.1, 1.0), 0)]
)
def test_one_base_with_a_grid_that_reaches_beyond_the_edge_of_the_other(values, n_found):
    base = {"base": {"name": "logistic"}}
    methods = {
        "A": replace(AT_EDGE["A"], search=Search(values=values), settings=base),
        "B": replace(AT_EDGE["B"], settings=base),
    }
    assert len(threats("grid-edge", methods)) == n_found


def test_an_edge_at_which_both_are():
    methods = changed(AT_EDGE, "A", search=Search(best=2))
    assert [each.severity for each in threats("grid-edge", methods)] == ["note"]


def test_an_edge_that_a_far_metric_chose():
    scores = {"A": {"macro_auc": 0.6}, "B": {"macro_auc": 0.55}}
    methods = {name: replace(AT_EDGE[name], scores=given) for name, given in scores.items()}
    assert [each.severity for each in threats("grid-edge", methods)] == ["note"]


@pytest.mark.parametrize(("by_own", "severity"), [(0.62, "note"), (0.58, "weakens")])
def test_an_edge_of_a_method_that_leads_in_the_metric_of_its_search(by_own, severity):
    ahead, behind = ({"micro_f1": 0.6, "macro_f1": value} for value in (0.6, by_own))
    methods = {
        "A": Method(scores=ahead, use="mlknn"),
        "B": Method(scores={**behind, "micro_f1": 0.55}, search=Search(best=2)),
    }
    (found,) = threats("grid-edge", methods, metrics=["micro_f1"])
    assert essence(found) == (severity, ("A",), ("B",), 1)


@pytest.mark.parametrize("threshold", ["cv_f1_label", {"f1": "cv_f1_label"}])
def test_the_gain_in_tuning_folds_may_be_that_of_another_threshold(threshold):
    behind = replace(by_f1(0.55, Search(best=2), "mlknn"), threshold=threshold)
    (found,) = threats("grid-edge", {"A": replace(by_f1(0.6), threshold=threshold), "B": behind})
    assert found.sentence.endswith(
        "; in those, the last step still gained 10.0 points in the tuning folds (cut there at "
        "the method's own threshold, and not as in the tables)."
    )
    assert found.severity == "note", "the threshold may make up for it"


def test_the_edge_of_the_metric_that_decided():
    scores = {"macro_f1": 0.55, "macro_auc": 0.65}
    methods = {
        "A": Method(scores={"macro_f1": 0.6, "macro_auc": 0.7}),
        "B": Method(scores=scores, search=Search(also={"macro_auc": 2}), use="mlknn"),
    }
    (found,) = threats("grid-edge", methods)
    assert found.sentence == (
        "toy, Macro AUC: B chose C = 10, the largest of 3 values, in 5 of 5 searches; in those, "
        "the last step still gained 10.0 points in the tuning folds."
    )


def test_an_edge_behind_a_lead_of_no_importance_is_a_note():
    level = [0.51, 0.47, 0.5, 0.53, 0.48]
    for lead, severity in ((0.004, "note"), (0.02, "weakens")):
        noisy = [value - lead for value in reversed(level)]
        methods = {
            "A": Method(scores={"macro_f1": level}, use="mlknn"),
            "B": Method(scores={"macro_f1": noisy}, search=Search(best=2)),
        }
        (found,) = threats("grid-edge", methods)
        assert found.severity == severity


@pytest.mark.parametrize(("left", "severity"), [(0.03, "weakens"), (0.39, "note")])
def test_a_large_lead_is_what_is_left_of_it_at_the_common_cut(left, severity):
    methods = {
        "A": Method(use="br", scores={"macro_f1": 0.9, "macro_f1@share": 0.5 + left}),
        "B": Method(
            use="mlknn", scores={"macro_f1": 0.5, "macro_f1@share": 0.5}, search=Search(best=2)
        ),
    }
    (found,) = threats("grid-edge", methods)
    assert found.severity == severity
