"""What scores average over, and whether they tell methods apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.audit import Facts, find_threats
from mlbench.audit.audit import not_judged
from tests.audit.experiments import Method, changed, essence, made, swapped, threats


def averaged(value, over_all, skipped):
    scores = {"macro_f1": value, "macro_f1@sklearn": over_all}
    return Method(scores=scores, counts={"labels": 3, "labels_skipped_f1": skipped})


LEFT_OUT = {"A": averaged(0.6, 0.4, 1), "B": averaged(0.5, 0.5, 0)}


def test_an_average_over_fewer_labels_that_makes_the_lead():
    (found,) = threats("labels-left-out", LEFT_OUT)
    assert essence(found) == ("invalidates", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: averaged over 2.0 of 3 labels for A and 3.0 for B; with 0/0 = 0 the lead "
        "of 10.0 points is -10.0."
    )
    assert found.advice == "Report macro_f1@sklearn beside it."


def test_a_lead_that_shrinks_over_all_labels():
    methods = changed(LEFT_OUT, "A", scores=averaged(0.6, 0.55, 1).scores)
    assert [each.severity for each in threats("labels-left-out", methods)] == ["weakens"]


def test_a_lead_that_stays_over_all_labels():
    methods = changed(LEFT_OUT, "A", scores=averaged(0.6, 0.595, 1).scores)
    assert not threats("labels-left-out", methods)


def test_a_lead_that_grows_over_all_labels():
    methods = {"A": averaged(0.6, 0.6, 0), "B": averaged(0.5, 0.35, 1)}
    assert not threats("labels-left-out", methods)


def test_averages_over_the_same_labels():
    assert not threats("labels-left-out", changed(LEFT_OUT, "A", counts=LEFT_OUT["B"].counts))


def test_the_method_that_leads_over_all_labels_is_ahead():
    assert not threats("labels-left-out", swapped(LEFT_OUT, "macro_f1", "macro_f1@sklearn"))[1:]
    agree = {"A": averaged(0.5, 0.4, 1), "B": averaged(0.6, 0.5, 0)}
    assert not threats("labels-left-out", agree)


@pytest.mark.parametrize(
    ("metric", "count", "severities"),
    [
        ("macro_jaccard", "labels_skipped_f1", ["invalidates"]),
        ("macro_precision", "labels_skipped_precision", ["invalidates"]),
        ("macro_precision", "labels_skipped_f1", []),
        ("macro_recall", "labels_skipped_f1", []),
        ("macro_auc", "labels_skipped_f1", []),
    ],
)
def test_only_predictions_leave_out_other_labels(metric, count, severities):
    """Recall and the area leave out the labels without positives, the same of both methods."""
    skipped = {"labels_skipped_f1": 0, "labels_skipped_precision": 0}
    methods = {
        "A": Method(
            scores={metric: 0.6, f"{metric}@sklearn": 0.4},
            counts={"labels": 3, **skipped, count: 1},
        ),
        "B": Method(
            scores={metric: 0.5, f"{metric}@sklearn": 0.5}, counts={"labels": 3, **skipped}
        ),
    }
    found = threats("labels-left-out", methods)
    assert [each.severity for each in found] == severities


def tied(value, share):
    return Method(scores={"macro_auc": value, "auc_tie_share": [share] * 5})


TIED = {"A": tied(0.8, 0.0), "B": tied(0.7, 0.44)}


def test_equal_scores_of_many_pairs():
    (found,) = threats("tied-scores", TIED)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro AUC: 44% of the pairs of B have equal scores (of A 0%), and each counts "
        "as half right; if tied pairs were ordered as well as the others, the lead of A, "
        "10.0 points, would be -5.7."
    )
    assert found.numbers["lead_untied"] == pytest.approx(0.8 - (0.7 - 0.22) / 0.56)


@pytest.mark.parametrize(
    ("share", "severities"),
    [(0.24, ["weakens"]), (0.19, [])],
    ids=["3.7 points of 10 are left", "5.3 points"],
)
def test_how_many_pairs_are_tied(share, severities):
    methods = changed(TIED, "B", scores=tied(0.7, share).scores)
    assert [each.severity for each in threats("tied-scores", methods)] == severities


@pytest.mark.parametrize(("share", "count"), [(0.06, 1), (0.04, 0)])
def test_a_small_lead_may_be_of_few_ties(share, count):
    methods = {"A": tied(0.91, 0.0), "B": tied(0.9, share)}
    assert len(threats("tied-scores", methods)) == count


def test_a_lead_that_stands_on_the_other_pairs():
    methods = changed(TIED, "B", scores=tied(0.6, 0.4).scores)
    assert not threats("tied-scores", methods)


@pytest.mark.parametrize("share", [0.5, 0.21])
def test_an_open_lead_that_may_be_of_ties(share):
    level = [0.72, 0.7, 0.71, 0.73, 0.69]
    close = [value - 0.01 for value in reversed(level)]
    methods = {"A": tied(level, 0.0), "B": tied(close, share)}
    assert [each.severity for each in threats("tied-scores", methods)] == ["note"]


def test_scores_of_which_all_are_equal_have_no_other_pairs():
    assert not threats("tied-scores", changed(TIED, "B", scores=tied(0.5, 1.0).scores))


@pytest.mark.parametrize("name", ["micro_auc", "macro_average_precision", "ranking_loss"])
def test_ties_within_labels_say_nothing_of_other_metrics_of_scores(name):
    methods = {
        each: Method(scores={**method.scores, name: 0.3 if each == "A" else 0.5})
        for each, method in TIED.items()
    }
    (found,) = threats("tied-scores", methods)
    assert found.metrics == ("macro_auc",)


@pytest.mark.parametrize(("name", "share"), [("B", 0.1), ("A", 0.44)], ids=["few", "of both"])
def test_equal_scores_that_explain_nothing(name, share):
    methods = changed(TIED, name, scores={**TIED[name].scores, "auc_tie_share": [share] * 5})
    assert not threats("tied-scores", methods)


def test_the_method_with_equal_scores_is_ahead():
    assert not threats("tied-scores", swapped(TIED, "macro_auc"))


def rounded(value, share):
    counts = {"labels_scored_auc": 20, "labels_ranked_by_rounding": round(20 * share)}
    return Method(scores={"macro_auc": value, "macro_f1": value}, counts=counts)


@pytest.mark.parametrize(
    ("of_a", "of_b", "severities"),
    [(0.1, 0.0, ["weakens"]), (0.0, 0.5, ["note"]), (0.05, 0.05, [])],
    ids=["the leader", "the other", "few"],
)
def test_labels_that_are_ranked_by_rounding(of_a, of_b, severities):
    methods = {"A": rounded(0.8, of_a), "B": rounded(0.7, of_b)}
    found = threats("rounded-scores", methods, metrics=["macro_auc", "macro_f1"])
    assert [each.severity for each in found] == severities
    assert all(each.metrics == ("macro_auc",) for each in found)


def test_the_sentence_about_rounding():
    (found,) = threats("rounded-scores", {"A": rounded(0.8, 0.5), "B": rounded(0.7, 0.0)})
    assert found.sentence == (
        "toy, Macro AUC: on 50% of the labels the scores of A differ only by rounding, which "
        "decides the order of their rows."
    )


def test_an_open_lead_that_rounding_may_have_made_is_a_note():
    level = [0.72, 0.7, 0.71, 0.73, 0.69]
    close = [value - 0.01 for value in reversed(level)]
    (found,) = threats("rounded-scores", {"A": rounded(level, 0.5), "B": rounded(close, 0.0)})
    assert found.severity == "note"


def test_results_that_do_not_count_them_are_not_judged():
    methods = {name: Method(scores={"macro_auc": v}) for name, v in (("A", 0.8), ("B", 0.7))}
    assert not threats("rounded-scores", methods)


def test_metrics_of_labels_do_not_care_for_ties():
    methods = {
        name: Method(scores={**each.scores, "macro_f1": each.scores["macro_auc"]})
        for name, each in TIED.items()
    }
    assert not threats("tied-scores", methods, metrics=["macro_f1"])


def beside_constant(value):
    return Method(scores={"macro_f1": value, "macro_f1@constant": [0.55] * 5})


BELOW = {"A": beside_constant(0.6), "B": beside_constant(0.5)}


def test_a_lead_over_less_than_a_constant():
    (found,) = threats("below-constant", BELOW)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: B (50.0) is below every label for every sample (55.0)."
    )


def test_splits_on_which_no_test_is_right_are_examined_too():
    results = made(BELOW)
    facts = {"toy": replace(results.plan.datasets["toy"], uncorrected="windows in time order")}
    plan = results.plan.model_copy(update={"datasets": facts})
    found = find_threats(Facts.of_results(replace(results, plan=plan)), ["below-constant"])
    assert [(each.severity, each.behind) for each in found] == [("weakens", ("B",))]


@pytest.mark.parametrize("value", [0.56, 0.545], ids=["more", "half a point less"])
def test_a_lead_over_what_is_not_worse_than_a_constant(value):
    methods = changed(BELOW, "B", scores=beside_constant(value).scores)
    assert not threats("below-constant", methods)


def test_both_are_below_a_constant():
    (found,) = threats("below-constant", changed(BELOW, "A", scores=beside_constant(0.53).scores))
    assert found.severity == "note"
    assert "B and A are below every label" in found.sentence
    three = {"A": beside_constant(0.53), "B": beside_constant(0.5), "C": beside_constant(0.51)}
    (found,) = threats("below-constant", three, tests=[{"method": "A"}, {"method": "B"}])
    names = found.sentence.partition(" are below")[0]
    assert all(names.count(name) == 1 for name in "ABC"), names


def test_a_constant_is_that_of_other_rows_where_a_row_lacks_it():
    """As beside rows of a base that an older version wrote."""
    old = {
        name: Method(scores={"macro_f1": score}) for name, score in {"A": 0.53, "C": 0.6}.items()
    }
    methods = {**old, "B": beside_constant(0.5)}
    facts = Facts.of_results(made(methods, tests=[{"method": "B"}]))
    found = find_threats(facts, ["below-constant"])
    assert {(each.severity, each.ahead, each.behind) for each in found} == {
        ("weakens", ("C",), ("B",)),
        ("weakens", ("C",), ("A",)),
        ("note", ("A",), ("B",)),
    }
    assert not not_judged(facts, ["below-constant"])
    assert not_judged(Facts.of_results(made(old)), ["below-constant"]) == ["below-constant"]


def test_an_area_below_that_of_chance():
    methods = {"A": Method(scores={"macro_auc": 0.6}), "B": Method(scores={"macro_auc": 0.495})}
    (found,) = threats("below-constant", methods)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert "below scores at random (50.0)" in found.sentence


EQUAL = [0.5, 0.6, 0.55, 0.62, 0.58]
TWICE = {name: Method(scores={"macro_f1": EQUAL, "macro_auc": EQUAL}) for name in "AB"}


def test_one_model_under_two_names():
    (found,) = threats("same-model", TWICE)
    assert essence(found) == ("note", ("A",), ("B",), 2)
    assert found.sentence == (
        "toy, Macro F1 and Macro AUC (2 comparisons): A and B are the same model on every split."
    )


def test_equal_methods_count_twice_in_ranks_that_both_have():
    whole = made(TWICE, ["x", "y"])
    lacking = {key for dataset, name, _, key in whole.cells if (dataset, name) == ("y", "B")}
    rows = {key: row for key, row in whole.rows.items() if key not in lacking}
    found = (
        find_threats(Facts.of_results(each), ["same-model"])
        for each in (whole, replace(whole, rows=rows))
    )
    assert ["count as two" in threat.sentence for (threat,) in found] == [True, False]


def test_methods_may_be_one_model_on_some_data_sets_alone():
    other = [0.52, 0.58, 0.5, 0.6, 0.55]
    differing = changed(TWICE, "B", scores={"macro_f1": other, "macro_auc": other})
    x, y = made(TWICE, ["x"]), made(differing, ["y"])
    both = made(TWICE, ["x", "y"])
    plan = both.plan.model_copy(update={"cells": [*x.cells, *y.cells]})
    mixed = replace(both, plan=plan, rows={**both.rows, **y.rows})
    (found,) = find_threats(Facts.of_results(mixed), ["same-model"])
    assert found.sentence == (
        "x, Macro F1 and Macro AUC (2 comparisons): A and B are the same model on every split, and "
        "differ on other data sets."
    )
    assert found.advice == "Say so: there, one is compared with itself."


def test_models_that_differ_in_one_metric_on_one_split():
    scores = {"macro_f1": EQUAL, "macro_auc": [*EQUAL[:4], 0.59]}
    assert not threats("same-model", changed(TWICE, "B", scores=scores))


@pytest.mark.parametrize(("check", "methods"), [("below-constant", BELOW), ("tied-scores", TIED)])
def test_a_floor_is_there_to_be_below_the_others(check, methods):
    assert threats(check, methods)
    assert not threats(check, changed(methods, "B", use="sklearn.dummy.DummyClassifier"))
