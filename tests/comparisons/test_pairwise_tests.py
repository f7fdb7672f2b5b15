from __future__ import annotations

import dataclasses
import random

import pytest

from mlbench.comparisons.pairwise_tests import compare_methods
from mlbench.config.comparison import Comparison
from mlbench.results.scores import Scores
from mlbench.statistics import corrected_t, holm, wilcoxon
from tests.report.experiment_tables import experiment_tables

RATIO = 40 / 60


def scores(values, method, splits):
    found = {v[2]: v[4] for v in values if (*v[:2], v[3]) == ("emotions", method, "macro_f1")}
    return [found[split] for split in splits]


def test_only_splits_where_both_have_a_score_are_paired(frames, settings):
    values, statuses = frames
    results = Scores(values, statuses, 10)
    found = compare_methods(results, settings.comparisons[0], "emotions", "macro_f1", RATIO)
    tree, ecc = found
    shared = [0, 1, 3, 4, 6, 8, 9]
    a, b = scores(values, "SMTL(l21)", shared), scores(values, "ECC 50%", shared)
    assert ecc.tests["wilcoxon"] == wilcoxon(a, b)
    assert ecc.tests["corrected_t"] == corrected_t(a, b, 60, 40)
    assert ecc.any_test.n == 7
    assert tree.any_test.n == 10


def test_order_of_the_rows_does_not_matter(frames, settings):
    values, statuses = frames
    shuffled = random.Random(0).sample(values, len(values))
    there, again = (
        compare_methods(
            Scores(v, statuses, 10), settings.comparisons[0], "emotions", "macro_f1", RATIO
        )
        for v in (values, shuffled)
    )
    assert repr(there) == repr(again)  # NaN is not equal to NaN


def test_holm_goes_over_the_methods(frames, settings):
    found = compare_methods(
        Scores(*frames, 10), settings.comparisons[0], "emotions", "macro_f1", RATIO
    )
    for test in ("t", "corrected_t", "wilcoxon"):
        plain = [finding.tests[test].p_value for finding in found]
        assert [finding.adjusted[test] for finding in found] == holm(plain).tolist()


def test_the_corrected_test_stands_beside_t_where_split_sizes_are_known(frames):
    results = Scores(*frames, 10)
    asked = Comparison(method="SMTL(l21)", against=("BR_tree",), test=("t",), correction="none")
    known = compare_methods(results, asked, "emotions", "macro_f1", RATIO)[0]
    assert list(known.tests) == ["t", "corrected_t"]
    assert known.headline == "corrected_t"
    unknown = compare_methods(results, asked, "emotions", "macro_f1", None)[0]
    assert list(unknown.tests) == ["t"]
    assert unknown.adjusted["t"] == unknown.tests["t"].p_value


def test_unknown_split_sizes_are_said(frames, settings):
    without = dataclasses.replace(settings, test_train_ratio={"emotions": RATIO})
    table = experiment_tables(*frames, without)[1]
    assert any("No corrected t-test on flags" in note for note in table.notes)


def test_fewer_pairs_and_the_floor_of_wilcoxon_are_said(frames, settings):
    table = experiment_tables(*frames, settings)[1]
    assert any("emotions, ECC 50%: 7 of 10; flags, BR_tree: 0 of 10" in n for n in table.notes)
    assert any("cannot fall below 0.0020" in note for note in table.notes)


def test_the_normal_floor_of_ten_splits(frames, settings):
    comparison = settings.comparisons[0].model_copy(update={"test": ("wilcoxon_normal",)})
    table = experiment_tables(*frames, dataclasses.replace(settings, comparisons=(comparison,)))[1]
    assert any(
        "below 0.0051, and the smallest of 2 p-values not below 0.0101" in n for n in table.notes
    )


def test_a_method_is_not_tested_against_itself(frames):
    asked = Comparison(method="BR_tree", against=("BR_tree", "ECC 50%"))
    found = compare_methods(Scores(*frames, 10), asked, "emotions", "macro_f1", RATIO)
    assert [finding.against for finding in found] == ["ECC 50%"]
    assert found[0].adjusted["wilcoxon"] == pytest.approx(found[0].tests["wilcoxon"].p_value)


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_a_mark_follows_the_test_and_not_the_mean(greater_is_better):
    """Better on eleven splits of twelve by the ranks, worse in the mean for one bad split."""
    sign = 1 if greater_is_better else -1
    wins = [sign * d / 1000 for d in (*range(1, 12), -200)]
    lines = [("d", "A", i, "m", 0.5 + wins[i]) for i in range(12)]
    lines += [("d", "B", i, "m", 0.5) for i in range(12)]
    asked = Comparison(method="A", against=("B",), test=("wilcoxon",))
    (found,) = compare_methods(Scores(lines, (), 12), asked, "d", "m", None, greater_is_better)
    assert found.any_test.mean_difference * sign < 0
    assert found.adjusted["wilcoxon"] < 0.05
    assert found.decision() == 1


def test_a_method_named_twice_is_compared_and_corrected_for_once(frames):
    results = Scores(*frames, 10)
    once, twice = (
        compare_methods(
            results, Comparison(method="SMTL(l21)", against=against), "emotions", "macro_f1", RATIO
        )
        for against in (("BR_tree", "ECC 50%"), ("BR_tree", "BR_tree", "ECC 50%"))
    )
    assert repr(once) == repr(twice)


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        (("corrected_t",), None),
        (("t",), "the plain t-test ignores"),
        (("corrected_t", "wilcoxon"), "Wilcoxon's test ignores"),
        (("two_sample_t", "wilcoxon"), "the other tests ignore"),
    ],
)
def test_which_test_to_decide_by_is_said_of_the_tests_that_ran(frames, settings, tests, words):
    asked = Comparison(method="SMTL(l21)", against=("BR_tree", "ECC 50%"), test=tests)
    tables = experiment_tables(*frames, dataclasses.replace(settings, comparisons=(asked,)))
    said = [note for table in tables for note in table.notes if note.startswith("Decide by")]
    if words is None:
        assert said == []
    else:
        assert {note.rpartition("which ")[2] for note in said} == {f"{words}."}


@pytest.mark.parametrize(
    ("test", "made"),
    [(["corrected_t", "t", "wilcoxon"], []), (["t", "wilcoxon"], ["t", "wilcoxon"])],
)
def test_no_test_decides_in_the_place_of_a_corrected_one_that_is_refused(frames, test, made):
    asked = Comparison(method="SMTL(l21)", against=("BR_tree",), test=test, correction="none")
    results = Scores(*frames, 10)
    found = compare_methods(results, asked, "emotions", "macro_f1", None, refused="windows move on")
    assert [[*finding.tests] for finding in found] == ([made] if made else [])
    assert all(finding.uncorrected == "windows move on" for finding in found)
