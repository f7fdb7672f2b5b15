"""Whether the test suits the splits."""

from __future__ import annotations

import pytest

from tests.audit.experiments import Method, changed, essence, threats

CAREFUL = {
    name: Method(scores={"macro_f1": scores}, counts={"train_samples": 10, "test_samples": 110})
    for name, scores in {
        "A": [0.52, 0.53, 0.51, 0.54, 0.52],
        "B": [0.49, 0.497, 0.488, 0.50, 0.492],
    }.items()
}


TESTS = [{"method": "A", "test": "corrected_t"}]


def test_a_test_that_is_too_careful_for_large_test_parts():
    (found,) = threats("over-corrected", CAREFUL, tests=TESTS)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: A is ahead of B on 5 of 5 splits, by 3.1 ± 0.7 points, yet they cannot be "
        "told apart (p = 0.2393): the test part is 11.0 times the training part, for "
        "which the corrected t-test is too careful."
    )


def test_methods_that_no_test_of_the_experiment_compares():
    assert not threats("over-corrected", CAREFUL, tests=[])


def test_test_parts_of_twice_the_training_part():
    methods = {
        name: Method(scores=each.scores, counts={"train_samples": 10, "test_samples": 20})
        for name, each in CAREFUL.items()
    }
    assert not threats("over-corrected", methods, tests=TESTS)


def test_differences_that_the_plain_test_leaves_open_too():
    noisy = {"macro_f1": [0.56, 0.497, 0.53, 0.50, 0.492]}
    assert not threats("over-corrected", changed(CAREFUL, "B", scores=noisy), tests=TESTS)


LEADER = [0.52, 0.53, 0.51, 0.54, 0.52, 0.53, 0.51, 0.54]
CLOSE = [0.516, 0.51, 0.508, 0.524, 0.519, 0.519, 0.509, 0.52]
FAR = [0.42, 0.43, 0.412, 0.438, 0.42, 0.43, 0.412, 0.438]


def overlapping(scores, test):
    methods = {
        "A": Method(scores={"macro_f1": LEADER}),
        "B": Method(scores={"macro_f1": scores}),
    }
    tests = [{"method": "A", "test": test}]
    return threats("optimistic-test", methods, n_splits=8, tests=tests)


def test_a_decision_by_a_test_that_takes_splits_as_independent():
    (found,) = overlapping(CLOSE, "wilcoxon")
    assert essence(found) == ("invalidates", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: A leads B by a test that takes overlapping splits as independent; the "
        "corrected t-test has p = 0.2508."
    )


def test_a_decision_that_the_corrected_test_confirms():
    (found,) = overlapping(FAR, "wilcoxon")
    assert found.severity == "weakens"


def test_a_decision_by_the_corrected_test():
    assert not overlapping(FAR, "corrected_t")


def test_an_open_comparison_shows_nothing_that_a_test_could_spoil():
    assert not overlapping([*reversed(LEADER)], "wilcoxon")


def against_three(correction, test="corrected_t"):
    return compared_by([{"method": "A", "test": test, "correction": correction}])


def compared_by(tests, lead=0.01):
    """Compare A with rivals over which it leads by a hair, or by more with a larger `lead`."""
    rivals = {
        f"R{place}": Method(scores={"macro_f1": CLOSE}, use=f"r{place}") for place in range(3)
    }
    methods = {"A": Method(scores={"macro_f1": [each + lead for each in LEADER]}), **rivals}
    return threats("optimistic-test", methods, n_splits=8, tests=tests)


def test_a_decision_is_held_against_the_corrected_test_as_its_comparison_is_corrected():
    plain, holm = (against_three(correction, "wilcoxon")[0] for correction in ("none", "holm"))
    assert plain.numbers["p_corrected"] < holm.numbers["p_corrected"]
    assert "after Holm" in holm.sentence
    assert "after Holm" not in plain.sentence


def test_many_rivals_without_a_correction():
    (found,) = against_three("none")
    assert essence(found) == ("weakens", ("A",), ("R0", "R1", "R2"), 3)
    assert "without a correction for 3 comparisons; Holm's p = " in found.sentence
    assert not against_three("holm")


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_an_entry_for_each_rival_is_no_correction(correction):
    names = ("R0", "R1", "R2")
    (found,) = compared_by(
        [{"method": each, "against": ["A"], "correction": correction} for each in names]
    )
    assert essence(found) == ("weakens", ("A",), ("R0", "R1", "R2"), 3)
    assert "without a correction for 3 comparisons; Holm's p = " in found.sentence
    assert found.advice == "Write them as one entry of `tests:`, with `method: A`."


@pytest.mark.parametrize("test", ["wilcoxon", ["wilcoxon", "t"], "corrected_t"])
def test_an_entry_with_another_test_counts_among_the_comparisons(test):
    entries = [{"method": "A", "against": [name]} for name in ("R0", "R1")]
    found = compared_by([*entries, {"method": "A", "against": ["R2"], "test": test}])
    (threat,) = (each for each in found if "without a correction" in each.sentence)
    assert {"R0", "R1"} <= {*threat.behind}
    assert "without a correction for 3 comparisons; Holm's p = " in threat.sentence


def test_two_entries_around_one_method():
    entries = [{"method": "A", "against": ["R0", "R1"]}, {"method": "R2", "against": ["A"]}]
    (found,) = compared_by(entries, lead=0.013)
    assert essence(found) == ("weakens", ("A",), ("R0", "R1", "R2"), 3)
    assert "with a correction for 2 of 3 comparisons with A; Holm's p for all" in found.sentence


def test_entries_of_their_own_questions():
    assert not compared_by(
        [{"method": "A", "against": ["R0"]}, {"method": "R1", "against": ["R0", "R2"]}]
    )


def test_a_comparison_that_two_entries_make_counts_once():
    (found,) = compared_by([{"method": "A"}, {"method": "R0", "against": ["A"]}])
    assert "without a correction for 3 comparisons" in found.sentence
    assert found.n_comparisons == 1


APART = {"A": [0.9, 0.88, 0.91, 0.9], "B": [0.5, 0.481, 0.509, 0.5]}


@pytest.mark.parametrize(("n_splits", "n_found"), [(2, 1), (3, 1), (4, 0)])
def test_decisions_over_few_splits(n_splits, n_found):
    methods = {name: Method(scores={"macro_f1": each}) for name, each in APART.items()}
    found = threats("few-splits", methods, n_splits=n_splits, tests=TESTS)
    assert [essence(each) for each in found] == [("weakens", ("A",), ("B",), 1)] * n_found
    assert all(f"is over {n_splits} splits, and other seeds" in each.sentence for each in found)
    assert not threats("few-splits", methods, n_splits=n_splits, tests=[])


def test_few_splits_of_many_are_to_become_more():
    a, b = ([value, value + 0.01, value - 0.01, *[...] * 5] for value in (0.7, 0.4))
    methods = {"A": Method(scores={"macro_f1": a}), "B": Method(scores={"macro_f1": b}, use="lp")}
    (found,) = threats("few-splits", methods, n_splits=8, tests=TESTS)
    assert found.advice == "Run the experiment to its end."


def test_a_comparison_that_few_splits_leave_open():
    methods = {"A": Method(scores={"macro_f1": 0.6}), "B": Method(scores={"macro_f1": 0.59})}
    assert not threats("few-splits", methods, n_splits=3, tests=TESTS)
