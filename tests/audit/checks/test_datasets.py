"""Whether data sets are enough, and distinct, for tests and ranks over them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.audit import Facts, find_threats
from mlbench.audit.checks.datasets import sources_of
from tests.audit.experiments import Method, essence, made, threats
from tests.plans import FACTS, facts_of

METHODS = {"A": Method(scores={"macro_f1": 0.6}), "B": Method(scores={"macro_f1": 0.5})}
SIX = ["a", "b", "c", "d", "e", "f"]
TESTS = [{"method": "A", "over_datasets": "win_tie_loss"}]


def test_ranks_over_data_sets_that_are_one():
    datasets = ["arts[5 %]", "arts[10 %]", "yeast"]
    (found,) = threats("pseudo-replicates", METHODS, datasets, tests=TESTS)
    assert essence(found) == ("invalidates", (), (), 0)
    assert found.sentence == "The mean ranks over 3 data sets rest on 2 of them (arts, 2 times)."


def test_ranks_of_which_no_test_says_more():
    (found,) = threats("pseudo-replicates", METHODS, ["arts[5 %]", "arts[10 %]", "yeast"])
    assert found.severity == "note"


@pytest.mark.parametrize(("value", "severity"), [(0.4, "invalidates"), (0.5, "note")])
def test_ranks_by_which_the_first_is_significantly_ahead(value, severity):
    methods = {**METHODS, "C": Method(scores={"macro_f1": value})}
    datasets = [f"arts[{n} %]" for n in (5, 10, 20, 30)]
    (found,) = threats("pseudo-replicates", methods, datasets)
    assert found.severity == severity


def test_copies_of_a_data_set_count_once():
    results = made(METHODS, ["a", "b", "c"])
    alike = {name: FACTS if name != "c" else facts_of("c") for name in results.plan.datasets}
    copies = replace(results, plan=results.plan.model_copy(update={"datasets": alike}))
    facts = Facts.of_results(copies)
    assert sources_of(facts) == {"a": "a", "b": "a", "c": "c"}


def test_what_is_made_of_copies_counts_once():
    names = ["a", "b", "b[5 %]", "c"]
    results = made(METHODS, names)
    alike = {name: FACTS if name in {"a", "b"} else facts_of(name) for name in names}
    copies = replace(results, plan=results.plan.model_copy(update={"datasets": alike}))
    facts = Facts.of_results(copies)
    assert sources_of(facts) == {"a": "a", "b": "a", "b[5 %]": "a", "c": "c"}
    (found,) = find_threats(facts, ["pseudo-replicates"])
    assert found.sentence == "The mean ranks over 4 data sets rest on 2 of them (a, 3 times)."


def test_every_data_set_is_the_same():
    (found,) = threats("pseudo-replicates", METHODS, ["arts[5 %]", "arts[10 %]"], tests=TESTS)
    assert found.severity == "weakens"
    assert found.sentence == "The mean ranks over 2 data sets rest on one (arts, 2 times)."


def test_ranks_over_distinct_data_sets():
    assert not threats("pseudo-replicates", METHODS, ["arts[5 %]", "yeast"])


def test_one_method_has_no_rank():
    assert not threats("pseudo-replicates", {"A": METHODS["A"]}, ["arts[5 %]", "arts[10 %]"])
    assert not threats("few-datasets", {"A": METHODS["A"]}, ["a", "b"])


def test_data_sets_of_which_no_cell_has_run_do_not_count():
    results = made(METHODS, SIX[:3])
    rows = {key: row for key, row in results.rows.items() if row.dataset == "a"}
    facts = Facts.of_results(replace(results, rows=rows))
    assert not find_threats(facts, ["few-datasets"])


def test_too_few_data_sets_for_a_test():
    (found,) = threats("few-datasets", METHODS, SIX[:5])
    assert essence(found) == ("note", (), (), 0)
    assert found.sentence == "Wilcoxon's test of two methods over 5 data sets cannot reach 0.05."


def test_mean_ranks_of_two_methods_have_no_test():
    (found,) = threats("few-datasets", METHODS, SIX)
    assert found.sentence == "Mean ranks over 6 data sets stand without a test."


def test_a_test_of_two_methods_over_data_sets():
    assert not threats("few-datasets", METHODS, SIX, tests=TESTS)


def test_mean_ranks_of_three_methods_have_friedmans_test():
    assert not threats("few-datasets", {**METHODS, "C": METHODS["B"]}, SIX)


def test_one_data_set_has_no_ranks():
    assert not threats("few-datasets", METHODS, ["a"])
