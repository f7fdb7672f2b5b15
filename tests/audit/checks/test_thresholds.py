"""Leads that are of the cut and not of the scores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.metrics import get_metric
from tests.audit.experiments import Method, changed, cut, essence, swapped, threats

TURNED = {"A": cut(0.6, 0.5, "br", "cv_f1_label", 0.9), "B": cut(0.5, 0.55, "mlknn", ratio=0.2)}


def ranked(f1, auc, use, **more):
    scores = {"macro_f1": f1, "macro_auc": auc, "auc_tie_share": [0.0] * 5}
    return Method(use=use, scores=scores, **more)


ORDERED = {"A": ranked(0.6, 0.7, "br"), "B": ranked(0.5, 0.8, "mlknn")}


def test_a_lead_that_turns_round_at_the_common_cut():
    (found,) = threats("threshold", TURNED)
    assert essence(found) == ("invalidates", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: A leads B by 10.0 points, but it calls 0.90 times as many positives as "
        "there are and B 0.20; cut at the same share of positives, B leads by 5.0 points "
        "(p = 2.62e-04)."
    )


@pytest.mark.parametrize(
    ("more", "policy"), [({}, "cv_f1_label"), ({"hamming_loss": 0.2}, "{f1: cv_f1_label}")]
)
def test_a_threshold_for_f1_is_advised_for_f1_alone_where_other_metrics_lose_by_it(more, policy):
    methods = {name: replace(each, scores={**each.scores, **more}) for name, each in TURNED.items()}
    found = threats("threshold", methods)
    assert {f"`threshold: {policy}`" in each.advice for each in found} == {True}


def test_of_two_that_call_as_many_no_difference_is_told():
    (found,) = threats("threshold", {**TURNED, "B": cut(0.5, 0.55, "mlknn", ratio=0.9)})
    assert ", though both call 0.90 times as many positives as there are;" in found.sentence


def test_of_two_that_call_about_as_many_the_rule_is_told():
    one_rule = changed(TURNED, "A", threshold="cv_f1_label")
    close = cut(0.5, 0.55, "mlknn", "cv_f1_label", 0.91)
    (found,) = threats("threshold", {**one_rule, "B": close})
    assert found.sentence.partition(";")[0] == (
        "toy, Macro F1: A leads B by 10.0 points with one rule for both (cv_f1_label), though both "
        "call about as many positives (0.90 and 0.91 times those that there are)"
    )


def test_a_threshold_of_the_method_s_own_is_to_be_removed():
    own = {"B": {"use": "mlknn", "threshold": "train_f1_label"}}
    for methods in (TURNED, changed(TURNED, "B", threshold="train_f1_label")):
        (found,) = threats("threshold", methods, entries=own)
        assert found.advice.startswith("Remove `threshold:` of B, so that one rule cuts both")


def test_positives_are_counted_on_the_splits_of_both():
    means = {"macro_f1": 0.6, "macro_f1@share": 0.5, "cut_ratio": 0.9}
    fails_once = {name: [*[mean] * 4, "error"] for name, mean in means.items()}
    other = TURNED["B"].scores | {"cut_ratio": [0.2, 0.2, 0.2, 0.2, 0.9]}
    methods = changed(changed(TURNED, "A", scores=fails_once), "B", scores=other)
    (found,) = threats("threshold", methods)
    assert "calls 0.90 times as many positives as there are and B 0.20;" in found.sentence


def test_a_lead_that_stays_at_the_common_cut():
    assert not threats("threshold", changed(TURNED, "B", scores=cut(0.5, 0.4, "").scores))


@pytest.mark.parametrize(
    ("at_share", "advice"),
    [
        (0.55, "The lead is in where"),
        (0.46, "More than half of the lead is in where"),
        ([0.5, 0.49, 0.51, 0.5, 0.5], "The lead may be in where"),
    ],
    ids=["turned", "smaller", "open"],
)
def test_advice_says_how_much_of_the_lead_is_in_the_cut(at_share, advice):
    methods = changed(TURNED, "B", scores=cut(0.5, at_share, "").scores, threshold="cv_f1_label")
    (found,) = threats("threshold", methods)
    assert found.advice.startswith(f"{advice} scores are cut: say so")


def test_a_lead_of_the_method_that_leads_at_the_common_cut():
    assert not threats("threshold", swapped(TURNED, "macro_f1"))


def test_a_lead_that_turns_round_though_both_have_one_policy():
    (found,) = threats("threshold", changed(TURNED, "B", threshold="cv_f1_label"))
    assert essence(found) == ("weakens", ("A",), ("B",), 1)


def test_a_lead_that_loses_more_than_half_at_the_common_cut():
    (found,) = threats("threshold", changed(TURNED, "B", scores=cut(0.5, 0.46, "").scores))
    assert found.severity == "weakens"
    assert found.sentence.endswith(
        "; cut at the same share of positives, A leads by 4.0 points (p = 6.25e-04)."
    )


def test_a_lead_that_vanishes_is_not_told_with_one_that_shrinks():
    methods = {
        **changed(TURNED, "B", scores=cut(0.5, 0.46, "").scores),
        "C": cut(0.6, [0.47, 0.44, 0.46, 0.45, 0.46], "lp", "cv_f1_label", 0.9),
    }
    tests = [{"method": "B", "test": "corrected_t"}]
    shrinks, vanishes = threats("threshold", methods, tests=tests)
    assert (shrinks.ahead, shrinks.behind) == (("A",), ("B",))
    assert (vanishes.ahead, vanishes.behind) == (("C",), ("B",))
    assert "positives, A leads by 4.0 points" in shrinks.sentence
    assert "positives, neither leads significantly (p = " in vanishes.sentence


def test_what_is_left_of_a_lead_is_tested_as_the_lead_is():
    """By Wilcoxon's test A still leads; by the corrected t-test it does not."""
    at_share = [0.42, 0.49, 0.48, 0.41, 0.49, 0.47, 0.49, 0.48]
    methods = {
        "A": cut([0.6] * 8, [0.5] * 8, "br", "0.5"),
        "B": cut([0.5] * 8, at_share, "mlknn", "0.5"),
    }
    ends = {
        "wilcoxon": "A leads by 3.4 points (p = 0.0078, Wilcoxon test).",
        "corrected_t": "neither leads significantly (p = 0.2812).",
    }
    for test, end in ends.items():
        tests = [{"method": "B", "test": test}]
        (found,) = threats("threshold", methods, n_splits=8, tests=tests)
        assert found.sentence.endswith(end)


@pytest.mark.parametrize(
    ("alpha", "end"), [(0.3, "A leads by 3.4 points"), (0.05, "neither leads")]
)
def test_what_is_left_of_a_lead_is_tested_at_its_level(alpha, end):
    at_share = [0.42, 0.49, 0.48, 0.41, 0.49, 0.47, 0.49, 0.48]
    methods = {
        "A": cut([0.6] * 8, [0.5] * 8, "br", "0.5"),
        "B": cut([0.5] * 8, at_share, "mlknn", "0.5"),
    }
    tests = [{"method": "B", "test": "corrected_t", "alpha": alpha}]
    (found,) = threats("threshold", methods, n_splits=8, tests=tests)
    assert f"positives, {end}" in found.sentence
    assert found.sentence.endswith("(p = 0.2812).")


def test_two_of_one_rule_are_not_told_to_take_one():
    one_rule = changed(TURNED, "A", threshold="0.5")
    one_rule = changed(one_rule, "B", threshold="0.5", scores=cut(0.5, 0.46, "").scores)
    (found,) = threats("threshold", one_rule)
    advice = "Tune the thresholds of both, such as by `threshold: cv_f1_label`, or compare Macro"
    assert found.advice.startswith(advice)


@pytest.mark.parametrize(
    ("metric", "judge"),
    [
        ("macro_jaccard", "macro_f1"),
        ("micro_recall", "micro_f1"),
        ("example_precision@mulan", "example_f1"),
        ("balanced_accuracy", "macro_f1"),
    ],
)
def test_metrics_without_a_common_cut_are_judged_by_f1(metric, judge):
    def at(score, f1, at_share, use):
        scores = {metric: score, judge: f1, f"{judge}@share": at_share}
        return Method(use=use, scores=scores)

    methods = {"A": at(0.5, 0.6, 0.5, "br"), "B": at(0.36, 0.5, 0.55, "mlknn")}
    (found,) = threats("threshold", methods, metrics=[metric])
    in_f1 = f"; in {get_metric(judge).title} the lead is 10.0 points, and cut at the same share of "
    assert f"{in_f1}positives, B leads by 5.0 points" in found.sentence
    assert found.numbers[f"lead_in_{judge}"] == pytest.approx(0.1)
    behind = changed(methods, "B", scores=at(0.36, 0.7, 0.55, "").scores)
    (found,) = threats("threshold", behind, metrics=[metric])
    assert f"; in {get_metric(judge).title} it has no lead, and cut at" in found.sentence
    stays = changed(methods, "B", scores=at(0.36, 0.5, 0.42, "").scores)
    assert not threats("threshold", stays, metrics=[metric])
    by_calls = changed(methods, "A", scores=at(0.5, 0.45, 0.5, "").scores)
    assert threats("threshold", by_calls, metrics=[metric]), "its F1 is not even ahead"


def test_an_open_lead_that_turns_round_at_the_common_cut():
    scores = cut([0.62, 0.58, 0.6, 0.63, 0.56], 0.55, "").scores
    (found,) = threats("threshold", changed(TURNED, "B", scores=scores))
    assert essence(found) == ("weakens", ("A",), ("B",), 1)


def test_a_common_cut_that_is_defined_on_one_split():
    scores = {**TURNED["B"].scores, "macro_f1@share": [0.55, None, None, None, None]}
    (found,) = threats("threshold", changed(TURNED, "B", scores=scores))
    assert found.severity == "weakens"
    assert "(p = " not in found.sentence
    assert found.record()["numbers"]["p_at_share"] is None


def test_methods_that_are_compared_because_of_their_thresholds():
    assert not threats("threshold", changed(TURNED, "B", use="br"))


def test_policies_where_the_common_cut_is_unknown():
    methods = {
        "A": Method(scores={"macro_f1": 0.6}, threshold="cv_f1_label"),
        "B": Method(scores={"macro_f1": 0.5}, use="mlknn"),
    }
    (found,) = threats("threshold", methods)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: scores of A are cut by cv_f1_label, those of B by default, and scores at a "
        "common cut are not known."
    )
    assert not threats("threshold", swapped(methods, "macro_f1"))
    for alike in ("cv_f1_label", {"f1": "cv_f1_label"}):
        assert not threats("threshold", changed(methods, "B", threshold=alike))


SMTL = {"use": "smtl", "settings": {"loss": "f1"}}


@pytest.mark.parametrize(
    ("parts", "count"),
    [
        (SMTL, 0),
        ({**SMTL, "settings": {}}, 0),
        ({**SMTL, "settings": {"loss": "auc"}}, 1),
        ({"use": "struct_svm"}, 1),
    ],
    ids=["F1", "F1 by default", "area", "area by default"],
)
def test_the_loss_of_f1_cuts_for_f1(parts, count):
    unknown = {
        "A": Method(scores={"macro_f1": 0.6}, threshold="cv_f1_label"),
        "B": Method(scores={"macro_f1": 0.5}, **parts),
    }
    assert len(threats("threshold", unknown)) == count
    assert len(threats("rank-order", changed(ORDERED, "B", **parts))) == count
    (found,) = threats("threshold", changed(TURNED, "B", **parts))
    assert found.severity == ("invalidates" if count else "weakens")


def test_the_loss_of_f1_is_no_threshold_that_harms_the_hamming_loss():
    methods = {
        "A": Method(scores={"hamming_loss": 0.1}),
        "B": Method(scores={"hamming_loss": 0.2}, **SMTL),
    }
    assert not threats("threshold", methods)


def test_the_same_method_with_the_other_threshold_is_behind_too():
    methods = {
        "A": Method(scores={"macro_f1": 0.6}, threshold="cv_f1_label"),
        "B": Method(scores={"macro_f1": 0.5}, use="mlknn"),
        "B cut alike": Method(scores={"macro_f1": 0.53}, use="mlknn", threshold="cv_f1_label"),
    }
    tests = [{"method": "A"}]
    assert not threats("threshold", methods, tests=tests)
    closer = changed(methods, "B cut alike", scores={"macro_f1": 0.58})
    (found,) = threats("threshold", closer, tests=tests)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)


def test_thresholds_tuned_for_f1_harm_the_hamming_loss():
    methods = {
        "A": Method(scores={"hamming_loss": 0.1}),
        "B": Method(scores={"hamming_loss": 0.2}, use="mlknn", threshold="cv_f1_label"),
    }
    (found,) = threats("threshold", methods)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.advice == "Choose the thresholds of both by one rule."
    assert not threats("threshold", swapped(methods, "hamming_loss"))


def test_thresholds_of_f1_alone_leave_the_hamming_loss():
    methods = {
        "A": Method(scores={"hamming_loss": 0.1}),
        "B": Method(scores={"hamming_loss": 0.2}, use="mlknn", threshold={"f1": "cv_f1_label"}),
    }
    assert not threats("threshold", methods)


def test_a_lead_in_f1_of_a_method_that_ranks_worse():
    (found,) = threats("rank-order", ORDERED)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: A leads B by 10.0 points, but in Macro AUC, which needs no threshold, B is "
        "10.0 points ahead (p = 1.69e-05): the lead may be in where scores are cut."
    )


def test_a_lead_in_f1_of_a_method_that_ranks_better():
    assert not threats("rank-order", swapped(ORDERED, "macro_f1"))


def test_a_rival_whose_thresholds_are_tuned_for_f1():
    assert not threats("rank-order", changed(ORDERED, "B", threshold="cv_f1_label"))


def test_a_lead_over_all_labels_that_macro_f1_does_not_confirm():
    scores = {"A": {"micro_f1": 0.6, "macro_f1": 0.5}, "B": {"micro_f1": 0.5, "macro_f1": 0.6}}
    methods = {
        name: Method(use=each.use, scores={**each.scores, **scores[name]})
        for name, each in ORDERED.items()
    }
    found = threats("rank-order", methods, metrics=["micro_f1"])
    assert not found
    (alone,) = threats("rank-order", swapped(methods, "macro_f1"), metrics=["micro_f1"])
    assert alone.severity == "weakens"


def test_an_order_that_no_test_decides():
    noisy = {"macro_f1": 0.5, "macro_auc": [0.9, 0.6, 0.75, 0.8, 0.62]}
    assert not threats("rank-order", changed(ORDERED, "B", scores=noisy))


@pytest.mark.parametrize(("share", "count"), [(0.3, 1), (0.4, 0)])
def test_a_lead_that_is_of_the_order_on_untied_pairs(share, count):
    tied = {**ORDERED["A"].scores, "auc_tie_share": [share] * 5}
    assert len(threats("rank-order", changed(ORDERED, "A", scores=tied))) == count


def test_the_common_cut_says_what_the_order_would():
    methods = {
        name: Method(use=each.use, scores={**each.scores, "macro_f1@share": 0.5})
        for name, each in ORDERED.items()
    }
    assert not threats("rank-order", methods)
