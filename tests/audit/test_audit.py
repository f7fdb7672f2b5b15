"""All checks over all comparisons: what silences, joins and accepts alarms."""

from __future__ import annotations

import math

import pytest

from mlbench.audit import Facts, check_rules, find_threats, not_judged
from mlbench.audit.pairs import pairs
from mlbench.errors import MlbenchError
from tests.audit.experiments import Method, Search, changed, cut, made, swapped, threats, with_base

KEYS = {
    "check",
    "severity",
    "metrics",
    "datasets",
    "methods",
    "ahead",
    "behind",
    "n_comparisons",
    "numbers",
    "sentence",
    "advice",
    "accepted",
}

ACROSS = {
    "A": Method(scores={"macro_auc": 0.8}, search=Search(scoring="macro_auc")),
    "B": Method(scores={"macro_auc": 0.72}, search=Search(scoring="macro_f1"), use="mlknn"),
}
RULE = {"check": "tuning-metric", "because": "as the paper did"}


def audited(methods, *args, **more):
    return find_threats(Facts.of_results(made(methods, *args, **more)))


def accepting(*rules, methods=ACROSS, **more):
    return Facts.of_results(made(methods, audit={"accept": [*rules]}, **more))


def test_a_threat_has_every_key():
    (found,) = audited(ACROSS)
    assert found.record() == {
        "check": "tuning-metric",
        "severity": "invalidates",
        "metrics": ["macro_auc"],
        "datasets": ["toy"],
        "methods": ["A", "B"],
        "ahead": ["A"],
        "behind": ["B"],
        "n_comparisons": 1,
        "numbers": {},
        "sentence": "toy, Macro AUC: Macro AUC chose the parameters of A, Macro F1 those of B.",
        "advice": "Tune B by macro_auc as well; `scoring: each` shows for each metric the model "
        "tuned by it.",
        "accepted": "",
    }
    assert set(audited(ACROSS).frame()) == KEYS


def test_of_a_method_that_is_taken_over_it_is_said_how_to_change_it():
    (found,) = find_threats(Facts.of_results(with_base(made(ACROSS), "B")))
    assert found.advice.endswith(" B is taken over: to change it, run it under a name of your own.")


def test_results_find_their_threats():
    results = made(ACROSS)
    assert results.threats() == audited(ACROSS)
    assert not results.threats("micro_auc")


def test_of_one_model_only_that_is_said():
    same = {"macro_auc": [0.7, 0.72, 0.71, 0.69, 0.7]}
    methods = changed(changed(ACROSS, "A", scores=same), "B", scores=same)
    assert [each.check for each in audited(methods)] == ["same-model"]


def test_undecided_comparisons_are_never_invalid():
    undecided = [0.5, 0.7, 0.6, 0.61, 0.5]
    blind = Search(best=0, folds=[[None] * 2] * 3, record={"undefined": {"scores": 6, "of": 6}})
    behind = Method(scores={"macro_auc": undecided}, search=blind, use="mlknn")
    methods = {"A": changed(ACROSS, "A", scores={"macro_auc": 0.6})["A"], "B": behind}
    for order in (methods, swapped(methods, "macro_auc")):
        found = audited(order)
        assert {"tuning-metric", "undefined-tuning"} <= {each.check for each in found}
        assert "invalidates" not in {each.severity for each in found}


def test_equal_means_have_none_behind():
    equal = changed(ACROSS, "A", scores={"macro_auc": [0.7, 0.6, 0.65, 0.6, 0.7]})
    equal = changed(equal, "B", scores={"macro_auc": [0.6, 0.7, 0.65, 0.7, 0.6]})
    assert not threats("tuning-metric", equal)


def test_comparisons_of_which_the_same_is_said_are_one_threat():
    (found,) = threats("tuning-metric", ACROSS, ["x", "y", "z"])
    assert (found.n_comparisons, found.datasets) == (3, ("x", "y", "z"))
    assert found.sentence.startswith("x, y and z, Macro AUC (3 comparisons): ")


def test_the_worst_comes_first():
    methods = changed(ACROSS, "A", fit={"converged": False, "gap": 0.2})
    methods = changed(methods, "B", fit={"converged": False, "gap": 0.5})
    assert [each.severity for each in audited(methods, ["x", "y"])] == [
        "invalidates",
        "weakens",
        "note",
    ]


def test_one_method_is_compared_with_none():
    assert not audited({"A": Method(scores={"macro_f1": 0.5})}, ["x", "y"])


@pytest.mark.parametrize("values", [["error"] * 5, [...] * 5], ids=["all failed", "nothing ran"])
def test_where_there_is_nothing_to_compare(values):
    methods = {name: Method(scores={"macro_f1": values}) for name in "AB"}
    assert [each.check for each in audited(methods)] == ["failed-cells"]


def test_one_split_is_compared_without_a_test():
    (found,) = threats("tuning-metric", ACROSS, n_splits=1)
    assert found.severity == "weakens"


def test_scores_that_are_undefined_are_not_compared():
    methods = changed(ACROSS, "B", scores={"macro_auc": [None] * 5})
    assert not audited(methods)


def test_an_accepted_threat_keeps_its_reason_and_comes_last():
    facts = accepting(RULE)
    check_rules(facts)
    (found,) = find_threats(facts)
    assert (found.severity, found.accepted, found.is_open) == (
        "invalidates",
        "as the paper did",
        False,
    )


@pytest.mark.parametrize(
    ("only", "n_accepted"),
    [
        ({"methods": "B"}, 2),
        ({"methods": ["C*", "A"]}, 2),
        ({"datasets": "x"}, 1),
        ({"metrics": "*_auc"}, 2),
    ],
)
def test_a_rule_may_be_for_some_comparisons(only, n_accepted):
    facts = accepting({**RULE, **only}, datasets=["x", "y"])
    found = find_threats(facts, ["tuning-metric"])
    accepted = sum(each.n_comparisons for each in found if each.accepted)
    assert (accepted, sum(each.n_comparisons for each in found)) == (n_accepted, 2)


@pytest.mark.parametrize(
    ("only", "words"),
    [
        ({"methods": "C"}, r"audit\.accept\.0\.methods: this experiment has no method 'C'"),
        ({"datasets": ["toy", "tody"]}, r"has no data set 'tody' \(did you mean 'toy'\?\)"),
        ({"metrics": "*_f1"}, r"audit\.accept\.0\.metrics: this experiment has no metric '\*_f1'"),
        ({"check": "grid-edge"}, r"audit\.accept\.0: no threat of .* remove the rule"),
    ],
)
def test_a_rule_that_meets_nothing_is_refused(only, words):
    with pytest.raises(MlbenchError, match=words):
        check_rules(accepting({**RULE, **only}))


def test_a_rule_is_not_for_methods_that_it_is_without():
    facts = accepting({**RULE, "without": ["A"]})
    check_rules(facts)
    assert [each.accepted for each in find_threats(facts)] == [""]
    with pytest.raises(MlbenchError, match=r"audit\.accept\.0\.without: .* no method 'C'"):
        check_rules(accepting({**RULE, "without": "C"}))


def test_a_rule_of_a_check_that_the_rows_do_not_tell():
    methods = {name: Method(scores={"macro_f1": 0.5}, use=name) for name in "AB"}
    check_rules(accepting({**RULE, "check": "below-constant"}, methods=methods))
    known = {
        name: Method(scores={"macro_f1": 0.5, "macro_f1@constant": 0.4}, use=name) for name in "AB"
    }
    with pytest.raises(MlbenchError, match="no threat of below-constant"):
        check_rules(accepting({**RULE, "check": "below-constant"}, methods=known))


def test_a_first_try_need_not_meet_every_rule():
    check_rules(accepting({**RULE, "check": "grid-edge"}, name="trial-quick"))


def test_a_rule_for_no_check_is_refused():
    with pytest.raises(
        MlbenchError, match=r"audit\.accept: there is no check 'tuning_metric'.*'tuning-metric'"
    ):
        check_rules(accepting({**RULE, "check": "tuning_metric"}))


def test_a_check_that_does_not_exist():
    with pytest.raises(MlbenchError, match=r"there is no check 'grid-ege'.*'grid-edge'"):
        threats("grid-ege", ACROSS)


def test_checks_that_need_numbers_which_rows_lack():
    both = made({name: Method(scores={"macro_f1": 0.5}, use=name) for name in "AB"})
    lacking = not_judged(Facts.of_results(both))
    assert lacking == ["threshold", "labels-left-out", "below-constant"]
    nothing = made({name: Method(scores={"macro_f1": [...] * 5}) for name in "AB"})
    assert not not_judged(Facts.of_results(nothing))


def test_numbers_are_finite():
    values = [value for each in audited(ACROSS, ["x", "y"]) for value in each.numbers.values()]
    assert values
    assert all(map(math.isfinite, values))


RANKED = {
    "A": cut(0.9, 0.9, "A"),
    **{name: Method(scores={"macro_f1": 0.8 - i / 10}) for i, name in enumerate("BCD")},
    "E": cut(0.2, 0.95, "E", "cv_f1_label", ratio=0.3),
}
"""Six data sets show by mean ranks that A is ahead of D and E (Nemenyi)."""


def test_methods_that_a_verdict_tells_apart_by_mean_rank_are_compared_on_each_data_set():
    datasets = [f"d{i}" for i in range(6)]
    facts = Facts.of_results(made(RANKED, datasets))
    assert facts.mean_ranks["macro_f1"].beaten == ["D", "E"]
    compared = {each.place for each in pairs(facts)}
    assert compared == {
        (d, "macro_f1", frozenset({"A", other})) for d in datasets for other in "BDE"
    }
    one = pairs(Facts.of_results(made(RANKED)))
    assert [each.place[2] for each in one] == [frozenset("AB")]


def test_a_lead_by_mean_rank_that_a_threshold_explains():
    (found,) = threats("threshold", RANKED, [f"d{i}" for i in range(6)])
    assert (found.severity, found.ahead, found.behind) == ("invalidates", ("A",), ("E",))
    assert found.n_comparisons == 6


def test_copies_are_found_though_nothing_compares_them():
    means = {"A": 0.9, "B": 0.8, "C": 0.7, "D": 0.7, "E": 0.6}
    methods = {name: Method(scores={"macro_f1": mean}) for name, mean in means.items()}
    (found,) = threats("same-model", methods, tests=[{"method": "A"}])
    assert found.sentence.startswith("toy, Macro F1: C and D are the same model on every split")
    assert not threats("same-model", changed(methods, "D", scores={"macro_f1": 0.71}))
    assert not {each.check for each in audited(methods)} - {"same-model"}


def test_rows_of_which_some_lack_a_number_are_not_judged_in_full():
    scores = {"macro_f1": 0.5, "macro_f1@share": 0.5, "macro_f1@sklearn": 0.5}
    methods = {"A": Method(scores=scores), "B": Method(scores={"macro_f1": 0.4})}
    found = find_threats(Facts.of_results(made(methods)))
    assert found.not_judged == ("threshold", "labels-left-out", "below-constant")
    assert threats("threshold", methods).not_judged == ("threshold",)
    assert threats("grid-edge", methods).not_judged == ()


def test_a_lead_by_mean_rank_that_ties_explain_though_no_data_set_decides_it():
    def tied(name, scores, share):
        return Method(use=name, scores={"macro_auc": scores, "auc_tie_share": [share] * 5})

    methods = {
        "A": tied("A", OPEN_LEAD, 0.0),
        "B": tied("B", 0.6, 0.0),
        "C": tied("C", 0.595, 0.4),
    }
    datasets = [f"d{i}" for i in range(9)]
    facts = Facts.of_results(made(methods, datasets))
    assert facts.mean_ranks["macro_auc"].beaten == ["C"]
    (pair,) = [each for each in pairs(facts) if each.place[::2] == ("d0", frozenset("AC"))]
    assert (pair.is_decided, pair.is_ranked, pair.is_claimed) == (False, True, True)
    (found,) = threats("tied-scores", methods, datasets)
    assert (found.severity, found.behind) == ("weakens", ("C",))


OPEN_LEAD = [0.68, 0.55, 0.7, 0.57, 0.6]
"""A mean of 0.62, and scores that no test tells from 0.595."""
