"""Whether methods ran to their end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.audit import Facts, find_threats
from tests.audit.experiments import Method, changed, essence, made, swapped, threats, with_base


def fitted(value, use, **fit):
    return Method(scores={"macro_f1": value}, use=use, fit=fit)


STOPPED = {
    "A": fitted(0.6, "br", converged=True),
    "B": fitted(0.5, "smtl", converged=False, gap=0.46),
}


def test_fits_that_stopped_early():
    (found,) = threats("not-converged", STOPPED)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == "toy, Macro F1: 5 of 5 final fits of B stopped early (gap 0.46)."


def test_fits_that_converged():
    assert not threats("not-converged", changed(STOPPED, "B", fit={"converged": True}))


def test_the_method_that_stopped_early_is_ahead():
    assert not threats("not-converged", swapped(STOPPED, "macro_f1"))


@pytest.mark.parametrize(
    ("fit", "severities"),
    [({"gap": 0.001}, []), ({"gap": 0.005}, ["note"]), ({}, ["weakens"])],
    ids=["small", "middling", "unknown"],
)
def test_the_gap_says_how_much_is_missing(fit, severities):
    methods = changed(STOPPED, "B", fit={"converged": False, **fit})
    assert [each.severity for each in threats("not-converged", methods)] == severities


@pytest.mark.parametrize(
    "entry",
    [
        {"use": "smtl", "max_iter": 100},
        {"use": "smtl", "tune": {"max_iter": [1, 3]}},
        {"use": "br", "base": {"use": "mlp", "max_iter": 100}},
        {"use": "br", "base__max_iter": 100},
    ],
    ids=["stated", "tuned", "of the base", "of the base in one line"],
)
def test_the_number_of_steps_is_what_the_experiment_sets(entry):
    assert not threats("not-converged", STOPPED, entries={"B": entry})


def test_one_method_of_which_two_solvers_are_compared():
    assert not threats("not-converged", changed(STOPPED, "B", use="br"))


@pytest.mark.parametrize(("n_splits", "severity"), [(1, "note"), (2, "weakens")])
def test_one_fit_of_which_the_gap_is_not_known_may_be_chance(n_splits, severity):
    methods = changed(STOPPED, "B", fit={"converged": False})
    (found,) = threats("not-converged", methods, n_splits=n_splits)
    assert found.severity == severity


def test_other_parameters_that_the_experiment_sets():
    (found,) = threats("not-converged", STOPPED, entries={"B": {"use": "smtl", "lam": 2}})
    assert found.severity == "weakens"


def test_fits_that_the_method_ahead_stopped_as_early():
    assert not threats("not-converged", changed(STOPPED, "A", fit=STOPPED["B"].fit))


COMPLETE = {"A": Method(scores={"macro_f1": 0.6}), "B": Method(scores={"macro_f1": 0.5})}


def failing(*values):
    return changed(COMPLETE, "B", scores={"macro_f1": [*values]})


def test_means_over_the_splits_that_are_left():
    (found,) = threats("failed-cells", failing(0.5, 0.51, "timeout", ..., 0.5))
    assert essence(found) == ("weakens", ("A",), ("B",), 1)
    assert found.sentence == (
        "toy, Macro F1: 2 of 5 cells of B have no result (1 timeout, 1 missing); scores are "
        "compared on the 3 splits that both have."
    )
    assert found.advice == "Run the experiment to its end, with a higher `limits.time`."


@pytest.mark.parametrize(
    ("failure", "advice"),
    [
        ("timeout", "With a higher `limits.time`, `mlbench run` runs them again."),
        ("memory", "With a higher `limits.memory`, `mlbench run` runs them again."),
        (
            "error",
            "`mlbench why` says why they failed; `mlbench run --retry-failed` runs them",
        ),
    ],
)
def test_cells_that_ran_into_a_limit_need_a_higher_one(failure, advice):
    methods = failing(0.5, failure, 0.51, failure, "given up")
    (found,) = threats("failed-cells", methods, tests=[{"method": "A", "test": "corrected_t"}])
    assert found.advice.startswith(advice)


def test_the_limit_of_the_method_s_own_is_named():
    own = {"B": {"use": "mlknn", "limits": {"time": "1 s"}}}
    (found,) = threats("failed-cells", failing(0.5, "timeout", 0.51, 0.5, 0.5), entries=own)
    assert found.advice == "With a higher `methods.B.limits.time`, `mlbench run` runs them again."


def test_each_of_several_methods_without_a_result_has_its_own_advice():
    none = {name: Method(scores={"macro_f1": [name] * 5}) for name in ("timeout", "error")}
    slow, wrong = threats("failed-cells", {**COMPLETE, **none})
    assert (slow.behind, wrong.behind) == (("timeout",), ("error",))
    assert slow.advice.startswith("With a higher `limits.time`, `mlbench run` runs them again")
    assert "--retry-failed" in wrong.advice


def test_a_run_that_has_not_come_to_its_end():
    (found,) = threats("failed-cells", failing(0.5, 0.51, 0.49, ..., 0.5))
    assert found.sentence == (
        "toy, Macro F1: of 10 cells of the experiment, 1 has no result; scores are compared on the "
        "splits that both methods have."
    )
    assert found.advice == "Run the experiment to its end."


def test_what_has_not_run_is_one_threat_to_all_comparisons():
    half = changed(
        failing(0.5, 0.51, 0.49, ..., ...), "A", scores={"macro_f1": [0.6, 0.6, ..., ..., 0.5]}
    )
    (found,) = threats("failed-cells", half)
    assert found.n_comparisons == 1
    assert found.numbers == {"without_result": 4, "cells": 10}
    assert "of 10 cells of the experiment, 4 have no result" in found.sentence


def test_of_an_unfinished_run_cells_that_failed_have_no_result_either():
    scores = {"C": [0.4, "error", 0.4, 0.4, 0.4], "D": [0.3, 0.3, 0.3, ..., 0.3]}
    more = {name: Method(scores={"macro_f1": each}) for name, each in scores.items()}
    tests = [{"method": "A", "test": "corrected_t"}]
    of_c, of_d = threats("failed-cells", {**COMPLETE, **more}, tests=tests)
    assert "1 of 5 cells of C has no result (1 error)" in of_c.sentence
    assert "of 20 cells of the experiment, 2 have no result" in of_d.sentence


def test_comparisons_with_a_method_that_failed_are_one_threat():
    methods = changed(failing(0.5, 0.51, "crash", ..., 0.5), "A", use="mlknn")
    methods["C"] = Method(scores={"macro_f1": [0.4, 0.4, "error", 0.4, 0.4]})
    tests = [{"method": "B", "test": "corrected_t"}]
    found = threats("failed-cells", methods, tests=tests)
    assert [(each.n_comparisons, each.sentence.count("of B have")) for each in found] == [
        (2, 1),
        (1, 0),
    ]
    assert found[0].advice == "Run the experiment to its end."


def test_every_cell_has_a_result():
    assert not threats("failed-cells", COMPLETE)


def test_a_comparison_on_fewer_than_half_of_the_splits():
    methods = failing(0.4, 0.41, "error", "error", "error")
    found = threats("failed-cells", methods, tests=[{"method": "A", "test": "corrected_t"}])
    assert [each.severity for each in found] == ["invalidates"]


def test_each_number_of_splits_that_both_have_has_its_sentence():
    methods = {
        **failing(0.5, 0.51, "error", "error", 0.5),
        "C": Method(scores={"macro_f1": ["error", 0.4, 0.41, 0.4, 0.4]}, use="lp"),
    }
    tests = [{"method": "B", "test": "corrected_t"}]
    found = threats("failed-cells", methods, tests=tests)
    told = [each.sentence.partition("compared on ")[2] for each in found if "of B" in each.sentence]
    assert sorted(told) == ["the 2 splits that both have.", "the 3 splits that both have."]


def test_the_method_that_failed_is_ahead():
    methods = swapped(failing(0.5, 0.51, "timeout", 0.5, 0.5), "macro_f1")
    assert [essence(each) for each in threats("failed-cells", methods)] == [
        ("weakens", ("B",), ("A",), 1)
    ]


def test_a_method_that_failed_and_is_ahead_all_the_same():
    methods = failing(0.7, 0.71, "timeout", 0.69, 0.7)
    (found,) = threats("failed-cells", methods)
    assert (found.ahead, found.behind) == (("B",), ("A",))
    assert "1 of 5 cells of B" in found.sentence


def test_a_method_without_any_result():
    (found,) = threats("failed-cells", failing(*["memory"] * 5), ["x", "y"])
    assert essence(found) == ("weakens", (), ("B",), 0)
    assert found.datasets == ("x", "y")
    assert (
        found.sentence == "B has no result on x and y (10 memory), and is in no comparison there."
    )


@pytest.mark.parametrize("values", [[0.7, 0.7, *["timeout"] * 3], [0.7, 0.7, ..., ..., ...]])
def test_a_method_that_failed_on_most_splits_and_that_nothing_tests(values):
    """The verdict leaves it out; one that has not run to its end is compared."""
    methods = failing(*values) | {"C": Method(scores={"macro_f1": 0.5})}
    tests = [{"method": "A", "against": "C"}]
    found = threats("failed-cells", methods, ["x", "y"], tests=tests)
    left_out = [each.sentence for each in found if not each.ahead]
    assert left_out == [
        "B has no result on most splits of x and y (6 timeouts), and is in no comparison there."
    ] * ("timeout" in values)


def test_own_methods_and_those_of_a_base_without_any_result_are_two_threats():
    methods = failing(*["memory"] * 5) | {"C": Method(scores={"macro_f1": ["memory"] * 5})}
    facts = Facts.of_results(with_base(made(methods), "C"))
    own, of_base = find_threats(facts, ["failed-cells"])
    assert (own.behind, of_base.behind) == (("B",), ("C",))
    assert "runs them again" in own.advice
    assert of_base.advice == (
        "`mlbench why` says why cells failed that were taken over. C is taken over: to change it, "
        "run it under a name of your own."
    )


def test_of_a_part_only_its_data_sets_are_told():
    facts = Facts.of_results(made(failing(*["memory"] * 5), ["x", "y"]))
    part = replace(facts, settings=replace(facts.settings, shown_datasets=("y",)))
    (found,) = find_threats(part, ["failed-cells"])
    assert found.sentence.startswith("B has no result on y (5 memory), and")


def test_a_name_that_begins_a_sentence_stays_as_it_is():
    methods = {"kNN": Method(scores={"macro_f1": 0.6}), "BR": Method(scores={"macro_f1": 0.5})}
    methods["mine"] = Method(scores={"macro_f1": ["memory"] * 5})
    (found,) = threats("failed-cells", methods)
    assert found.sentence.startswith("mine has no result on toy")


def test_an_experiment_that_has_not_run():
    methods = {name: Method(scores={"macro_f1": [...] * 5}) for name in "AB"}
    found = threats("failed-cells", methods)
    assert [each.behind for each in found] == [("A", "B")]
    assert found[0].sentence == (
        "A and B have no result on toy (10 missing), and are in no comparison there."
    )


def test_a_fit_that_says_nothing_counts_as_converged():
    """So it is with scikit-learn, whose fits warn if they stop."""
    warned = {"A": Method(scores={"macro_f1": 0.6}), "B": fitted(0.5, "lr", converged=False)}
    (found,) = threats("not-converged", warned)
    assert found.numbers == {"stopped": 5, "fits": 5}
    assert not threats("not-converged", changed(warned, "B", fit={}))


@pytest.mark.parametrize(
    ("seconds", "severity"), [(2.0, "weakens"), (1.05, None)], ids=["beyond", "within"]
)
def test_results_beyond_a_limit_that_others_reached(seconds, severity):
    scores = {"macro_f1": 0.6}
    methods = {
        "A": Method(scores=scores),
        "B": Method(scores={"macro_f1": ["timeout"] * 5}, use="x"),
    }
    results = made(methods, limits={"time": 1})
    rows = {key: replace(row, seconds={"total": seconds}) for key, row in results.rows.items()}
    found = find_threats(Facts.of_results(replace(results, rows=rows)), ["failed-cells"])
    beyond = [each for each in found if each.ahead]
    assert [each.severity for each in beyond] == [severity] * bool(severity)
    if severity:
        assert beyond[0].sentence == (
            "5 cells of A on toy ran under a higher limit than the experiment states, or in "
            "several tries (the first took 2 s, and `limits.time` is 1 s)."
        )


def test_results_beyond_a_limit_that_nothing_reached():
    results = made({"A": Method(scores={"macro_f1": 0.6})}, limits={"time": 1})
    rows = {key: replace(row, seconds={"total": 2.0}) for key, row in results.rows.items()}
    (found,) = find_threats(Facts.of_results(replace(results, rows=rows)), ["failed-cells"])
    assert (found.severity, found.advice) == ("note", "State a limit that is enough.")
