"""By what, among which candidates, and on which rows parameters were chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit.experiments import Method, Search, changed, essence, swapped, threats

OPEN = [0.62, 0.58, 0.6, 0.63, 0.56]
"""Scores that no test tells from 0.6."""


def by_f1(value, search=None, use="br", **more):
    return Method(use=use, scores={"macro_f1": value}, search=search, **more)


def by_auc(value, scoring, use="br", **more):
    return Method(use=use, scores={"macro_auc": value}, search=Search(scoring=scoring, **more))


ACROSS = {"A": by_auc(0.8, "macro_auc"), "B": by_auc(0.72, "macro_f1", "mlknn")}


def test_a_rival_that_was_tuned_by_another_metric():
    (found,) = threats("tuning-metric", ACROSS)
    assert essence(found) == ("invalidates", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro AUC: Macro AUC chose the parameters of A, Macro F1 those of B."
    )
    assert found.advice == (
        "Tune B by macro_auc as well; `scoring: each` shows for each metric the model tuned by it."
    )


def test_a_metric_of_the_method_s_own_is_to_be_removed():
    own = {"B": {"use": "mlknn", "tune": {"k": [1, 2]}, "scoring": "macro_f1"}}
    (found,) = threats("tuning-metric", ACROSS, entries=own)
    assert found.advice == "Remove `scoring:` of B, so that the metric of the protocol chooses."
    other = {"A": {"use": "br", "tune": {"C": [1, 2]}, "scoring": "macro_auc"}}
    for entries in (other, {**own, **other}):
        (found,) = threats("tuning-metric", ACROSS, entries=entries)
        assert found.advice.startswith("Tune B by macro_auc as well")


@pytest.mark.parametrize(
    ("scoring", "severity"), [("hamming_loss", "invalidates"), ("micro_auc", "weakens")]
)
def test_how_far_the_metric_is(scoring, severity):
    (found,) = threats("tuning-metric", changed(ACROSS, "B", search=Search(scoring=scoring)))
    assert found.severity == severity


def test_a_rival_that_was_tuned_by_the_same_metric():
    assert not threats("tuning-metric", changed(ACROSS, "B", search=Search(scoring="macro_auc")))


def test_the_method_that_was_tuned_by_another_metric_is_ahead():
    assert not threats("tuning-metric", swapped(ACROSS, "macro_auc"))


def test_methods_that_are_compared_because_of_the_metric():
    assert not threats("tuning-metric", changed(ACROSS, "B", use="br"))


def test_a_lead_that_no_choice_of_parameters_explains():
    methods = changed(ACROSS, "B", scores={"macro_auc": 0.65})
    assert [each.severity for each in threats("tuning-metric", methods)] == ["note"]


@pytest.mark.parametrize(("loss", "severity"), [("f1", "note"), ("hinge", "invalidates")])
def test_a_rival_that_was_tuned_by_its_own_loss(loss, severity):
    methods = changed(ACROSS, "B", use="smtl", settings={"loss": loss})
    assert [each.severity for each in threats("tuning-metric", methods)] == [severity]


def test_an_open_comparison_is_weakened_or_noted():
    behind = {
        "A": by_auc(0.6, "macro_auc"),
        "B": by_auc([0.5, 0.7, 0.6, 0.61, 0.5], "macro_f1", "mlknn"),
    }
    assert [each.severity for each in threats("tuning-metric", behind)] == ["weakens"]
    ahead = swapped(behind, "macro_auc")
    assert [essence(each) for each in threats("tuning-metric", ahead)] == [
        ("note", ("B",), ("A",), 1)
    ]
    assert threats("tuning-metric", ahead)[0].sentence == (
        "toy, Macro AUC: Macro AUC chose the parameters of A, Macro F1 those of B."
    )


BY_SCORES = {
    "A": by_f1(0.6, Search(scoring="macro_f1")),
    "B": by_f1(0.5, Search(scoring="macro_auc"), "mlknn"),
}


def test_labels_of_a_rival_that_was_tuned_by_its_scores():
    assert [each.severity for each in threats("tuning-metric", BY_SCORES)] == ["note"]


@pytest.mark.parametrize(("lost", "severity"), [(0.03, "weakens"), (0.08, "invalidates")])
def test_what_tuning_by_scores_costs_in_the_folds(lost, severity):
    folds = {"also": {"macro_f1": [[0.7 + lost] * 2, [0.7] * 2, [0.6] * 2]}}
    search = Search(scoring="macro_auc", record=folds)
    methods = changed(BY_SCORES, "B", search=search)
    (found,) = threats("tuning-metric", methods)
    assert found.severity == severity
    assert found.sentence.endswith(f"{100 * lost:.1f} points in its own tuning folds.")
    cut = {name: replace(each, threshold="cv_f1_label") for name, each in methods.items()}
    (found,) = threats("tuning-metric", cut)
    assert found.sentence.endswith(
        " (cut there at the method's own threshold, and not as in the tables)."
    )
    assert found.severity == "weakens", "the threshold may make up for it"


@pytest.mark.parametrize(
    ("lost", "severity"), [(0.001, None), (0.03, "weakens"), (0.08, "invalidates")]
)
def test_what_the_choice_costs_in_the_folds(lost, severity):
    folds = {"also": {"macro_auc": [[0.7 + lost] * 2, [0.7] * 2, [0.6] * 2]}}
    found = threats("tuning-metric", changed(ACROSS, "B", search=Search(record=folds)))
    assert [each.severity for each in found] == ([severity] if severity else [])


def test_beside_a_rival_that_nothing_tuned_the_folds_tell_the_cost():
    """A grid of one point tunes as little as fixed settings. Half of the lead has to be lost."""
    folds = {"also": {"macro_auc": [[0.78] * 2, [0.7] * 2, [0.6] * 2]}}
    alone = Search(values=[10.0], best=0, scoring="macro_auc")
    for search in (None, alone):
        methods = changed(ACROSS, "A", search=search)
        assert not threats("tuning-metric", methods), "the cost is not known"
        (found,) = threats("tuning-metric", changed(methods, "B", search=Search(record=folds)))
        assert essence(found) == ("invalidates", ("A",), ("B",), 1)
        assert found.sentence == (
            "toy, Macro AUC: Macro F1 chose the parameters of B, which costs it 8.0 points in its "
            "own tuning folds."
        )
        assert found.advice.startswith("Tune B by macro_auc; `scoring: each` shows")
        little = Search(record={"also": {"macro_auc": [[0.73] * 2, [0.7] * 2, [0.6] * 2]}})
        assert not threats("tuning-metric", changed(methods, "B", search=little))
    alone = Search(values=[10.0], best=0, scoring="macro_f1")
    assert not threats("tuning-metric", changed(ACROSS, "B", search=alone)), "it chose nothing"


def test_a_choice_that_costs_nothing_where_the_common_cut_turns_the_lead():
    scores = {"A": {"macro_f1": 0.55, "macro_f1@share": 0.4}, "B": {"macro_f1": 0.5}}
    scores["B"]["macro_f1@share"] = 0.5
    for lost, severities in ((0.0, []), (0.01, ["weakens"])):
        folds = {"also": {"macro_f1": [[0.7 + lost] * 2, [0.7] * 2, [0.6] * 2]}}
        methods = {name: changed(BY_SCORES, name)[name] for name in "AB"}
        methods["B"] = replace(methods["B"], search=Search(scoring="macro_auc", record=folds))
        methods = {name: replace(each, scores=scores[name]) for name, each in methods.items()}
        assert [each.severity for each in threats("tuning-metric", methods)] == severities


def test_a_method_tuned_by_each_metric_has_the_model_of_the_one_that_is_compared():
    each = Search(also={"macro_auc": 2})
    assert not threats("tuning-metric", changed(ACROSS, "B", search=each))


def retuned(scoring):
    """Return a method tuned by macro AUC beside five that a metric tuned, on three data sets."""
    rivals = {f"R{i}": by_auc(0.7 + 0.01 * i, scoring, f"rival{i}") for i in range(5)}
    return {"A": by_auc(0.8, "macro_auc"), **rivals}


def test_rivals_are_controlled_once_they_are_retuned():
    comparison = {"tests": [{"method": "A"}]}
    (found,) = threats("tuning-metric", retuned("macro_f1"), ["x", "y", "z"], **comparison)
    assert (found.severity, found.n_comparisons) == ("invalidates", 15)
    assert not threats("tuning-metric", retuned("macro_auc"), ["x", "y", "z"], **comparison)


UNTUNED = {"A": by_f1(0.6, Search()), "B": by_f1(0.55, use="mlknn")}


def test_a_rival_at_fixed_settings():
    (found,) = threats("untuned-rival", UNTUNED)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: B ran at fixed settings, while A chose among 3 candidates."
    )


def test_one_method_at_fixed_settings_beside_several_that_were_tuned_is_one_threat():
    more = Search(values=[1.0, 2.0, 3.0, 4.0])
    methods = {**UNTUNED, "C": by_f1(0.6, more, "lspc")}
    tests = [{"method": "B"}]
    (found,) = threats("untuned-rival", methods, tests=tests)
    assert found.sentence == (
        "toy, Macro F1 (2 comparisons): B ran at fixed settings, while A and C chose among "
        "candidates."
    )
    methods["D"] = replace(UNTUNED["B"], use="ecc")
    assert len(threats("untuned-rival", methods, tests=[*tests, {"method": "D"}])) == 2


def test_a_rival_with_a_single_candidate():
    alone = Search(values=[1000.0], best=0)
    (found,) = threats("untuned-rival", changed(UNTUNED, "B", search=alone))
    assert found.sentence == (
        "toy, Macro F1: B had a single candidate, while A chose among 3 candidates."
    )
    assert found.advice == "Give B more candidates, or write that these are fixed settings."
    both = changed(changed(UNTUNED, "A", search=alone), "B", search=alone)
    assert not threats("untuned-rival", both)


def test_a_rival_that_was_tuned():
    assert not threats("untuned-rival", changed(UNTUNED, "B", search=Search()))


SEARCH = "sklearn.model_selection.GridSearchCV"


def test_an_estimator_that_searches_by_itself_is_no_rival_at_fixed_settings():
    assert not threats("untuned-rival", changed(UNTUNED, "B", use=SEARCH))
    inside = {"settings": {"base": {"name": "sklearn.linear_model.RidgeClassifierCV"}}}
    assert not threats("untuned-rival", changed(UNTUNED, "B", **inside))
    calibrated = {"use": "sklearn.calibration.CalibratedClassifierCV"}
    assert threats("untuned-rival", changed(UNTUNED, "B", **calibrated))


def test_a_leader_that_searches_by_itself():
    methods = {"A": by_f1(0.6, use=SEARCH), "B": by_f1(0.55, use="mlknn")}
    (found,) = threats("untuned-rival", methods)
    assert found.sentence == (
        "toy, Macro F1: B ran at fixed settings, while A chose among candidates."
    )


def test_the_method_at_fixed_settings_is_ahead():
    assert not threats("untuned-rival", swapped(UNTUNED, "macro_f1"))


@pytest.mark.parametrize(
    "parts",
    [{"use": "br"}, {"use": "sklearn.dummy.DummyClassifier"}],
    ids=["the tuning is compared", "nothing to tune"],
)
def test_fixed_settings_that_are_meant(parts):
    assert not threats("untuned-rival", changed(UNTUNED, "B", **parts))


def test_fixed_settings_of_a_method_that_is_hardly_behind():
    level = [0.51, 0.47, 0.5, 0.53, 0.48]
    for lead, severity in ((0.004, "note"), (0.02, "weakens")):
        noisy = [value - lead for value in reversed(level)]
        methods = {"A": by_f1(level, Search()), "B": by_f1(noisy, use="mlknn")}
        assert [each.severity for each in threats("untuned-rival", methods)] == [severity]


def with_base(name, **settings):
    return {"settings": {"base": {"name": name, "params": settings}}}


def test_one_base_at_the_same_settings():
    base = with_base("tree", max_depth=3)
    methods = changed(changed(UNTUNED, "A", **base), "B", **base)
    assert not threats("untuned-rival", methods)


def test_one_base_of_which_the_search_changed_the_settings():
    base = with_base("logistic", C=1.0)
    methods = changed(changed(UNTUNED, "A", **base), "B", **base)
    assert [each.severity for each in threats("untuned-rival", methods)] == ["weakens"]


@pytest.mark.parametrize(("base", "count"), [("logistic", 0), ("tree", 1)])
def test_one_method_around_another_base_is_a_rival(base, count):
    methods = changed(UNTUNED, "A", **with_base("logistic", C=0.5))
    methods = changed(methods, "B", use="br", **with_base(base, C=1.0))
    assert len(threats("untuned-rival", methods)) == count


def test_a_large_lead_over_fixed_settings_is_a_note():
    methods = changed(UNTUNED, "B", scores={"macro_f1": 0.4})
    assert [each.severity for each in threats("untuned-rival", methods)] == ["note"]


BUDGETS = {
    "A": by_f1(0.6, Search(values=[*map(float, range(1, 31))])),
    "B": by_f1(0.55, Search(), "mlknn"),
}


def test_ten_times_the_candidates():
    (found,) = threats("search-budget", BUDGETS)
    assert essence(found) == ("note", ("A",), ("B",), 1)
    assert found.sentence == "toy, Macro F1: A chose among 30 candidates, B among 3."


def test_less_than_ten_times_the_candidates():
    fewer = Search(values=[*map(float, range(1, 30))])
    assert not threats("search-budget", changed(BUDGETS, "A", search=fewer))


def test_the_method_with_fewer_candidates_is_ahead():
    assert not threats("search-budget", swapped(BUDGETS, "macro_f1"))


def blind(n_undefined):
    folds = [[None] * 2] * 3 if n_undefined == 6 else [[0.5, 0.4]] * 2 + [[None] * 2]
    undefined = {"undefined": {"scores": n_undefined, "of": 6}}
    return Search(best=0, folds=folds, record=undefined)


BLIND = {"A": by_f1(0.6), "B": by_f1(0.55, blind(6), "mlknn")}


def test_a_search_without_a_score():
    (found,) = threats("undefined-tuning", BLIND)
    assert essence(found) == ("invalidates", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: 5 of 5 searches of B had no defined Macro F1 and took the first candidate."
    )


def test_a_search_with_scores_of_the_chosen_candidate():
    assert not threats("undefined-tuning", changed(BLIND, "B", search=blind(2)))


def test_the_method_without_a_score_to_choose_by_is_ahead():
    assert not threats("undefined-tuning", swapped(BLIND, "macro_f1"))


def test_an_open_comparison_with_a_blind_search():
    methods = changed(BLIND, "A", scores={"macro_f1": 0.57})
    methods = changed(methods, "B", scores={"macro_f1": [0.6, 0.5, 0.55, 0.59, 0.51]})
    assert [each.severity for each in threats("undefined-tuning", methods)] == ["weakens"]


@pytest.mark.parametrize(
    ("folds", "words"),
    [
        ([[0.6, None], [0.5, 0.5], [0.5, 0.5]], "fewer than half of the folds, or over fewer"),
        ([[0.5, 0.5]] * 3, "all candidates had the same Macro F1: the search could not choose"),
    ],
    ids=["few folds", "equal means"],
)
def test_a_search_with_little_to_choose_by(folds, words):
    search = Search(best=0, folds=folds)
    (found,) = threats("undefined-tuning", changed(BLIND, "B", search=search))
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert words in found.sentence


@pytest.mark.parametrize(("n_splits", "severity"), [(1, "note"), (2, "weakens")])
def test_one_search_that_could_not_choose_may_be_chance(n_splits, severity):
    search = Search(best=0, folds=[[0.5, 0.5]] * 3)
    methods = changed(BLIND, "B", search=search)
    (found,) = threats("undefined-tuning", methods, n_splits=n_splits)
    assert found.severity == severity


@pytest.mark.parametrize("folds", [[[0.5] * 2] * 3, [[None] * 2] * 3], ids=["equal", "blind"])
def test_a_search_that_another_metric_decided_is_not_blamed(folds):
    record = {"undefined": {"scores": 6, "of": 6} if None in folds[0] else None}
    search = Search(best=0, folds=folds, also={"macro_auc": 0}, record=record)
    scores = {"macro_f1": 0.55, "macro_auc": 0.6}
    warnings = ["tuning: macro_f1 was undefined for every candidate; the first was taken"]
    methods = {
        "A": Method(scores={"macro_f1": 0.6, "macro_auc": 0.7}),
        "B": Method(scores=scores, search=search, use="mlknn", warnings=warnings),
    }
    (found,) = threats("undefined-tuning", methods)
    assert found.sentence.startswith("toy, Macro F1: ")


SHARED = {
    "A": by_f1(0.6, Search(scope="first-split")),
    "B": by_f1(0.55, Search(), "mlknn"),
}


def test_one_search_for_all_splits():
    (found,) = threats("shared-search", SHARED)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: parameters were chosen on the training part of one split, whose rows are "
        "in the test parts of others, for A but not for B."
    )


def test_one_search_for_all_splits_of_both():
    methods = changed(SHARED, "B", search=Search(scope="first-split"))
    found = threats("shared-search", methods, ["x", "y"])
    assert [(each.severity, each.n_comparisons) for each in found] == [("note", 2)]


def test_a_search_for_every_split():
    assert not threats("shared-search", changed(SHARED, "A", search=Search()))


def test_the_method_with_a_search_for_every_split_is_ahead():
    assert not threats("shared-search", swapped(SHARED, "macro_f1"))


def test_a_search_of_one_candidate_chose_nothing():
    alone = Search(values=[1.0], best=0, scope="first-split")
    assert not threats("shared-search", changed(SHARED, "A", search=alone))


def test_one_split_has_no_other_test_parts():
    assert not threats("shared-search", SHARED, n_splits=1)
