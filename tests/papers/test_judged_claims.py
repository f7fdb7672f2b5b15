"""Claims of a paper, judged by controlled comparisons alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError

from mlbench.papers.claim_tables import PaperClaims, claim_table, claims_as_plain
from mlbench.papers.claims import Claim, read_claims
from mlbench.papers.judged_claims import ClaimOutcome, judge_claims
from tests.audit.experiments import Method, Search, made

SETS = [f"set {number}" for number in range(1, 8)]
"""Seven data sets: Wilcoxon's test over them reaches p = 2 / 2^7."""


METHODS = [("A", 0.8, "br"), ("B", 0.7, "mlknn")]
"""Two methods by name, with the score and the kind of each."""


def claim(**changed):
    stated = {
        "claim": "A above B",
        "where": "table 1",
        "method": "A",
        "against": ["B"],
        "metric": "macro_auc",
    }
    return Claim(**{**stated, **changed})


def results(a, b, datasets=SETS, **more):
    """A and B with these means on every data set, both tuned by what is compared."""
    search = Search(scoring="macro_auc")
    a = a if isinstance(a, Method) else Method(scores={"macro_auc": a}, search=search)
    b = b if isinstance(b, Method) else Method(scores={"macro_auc": b}, search=search, use="mlknn")
    return made({"A": a, "B": b}, datasets, **more)


def judged(found, **changed):
    (only,) = judge_claims([claim(**changed)], [found])
    return only


@pytest.mark.parametrize(
    ("a", "b", "outcome", "won", "lost"),
    [
        (0.80, 0.70, ClaimOutcome.HOLDS, 7, 0),
        (0.70, 0.80, ClaimOutcome.CONTRADICTED, 0, 7),
        (0.701, 0.70, ClaimOutcome.HOLDS, 0, 0),  # never significant, but ahead on all seven
        (0.699, 0.70, ClaimOutcome.CONTRADICTED, 0, 0),
    ],
)
def test_the_outcome_follows_the_lead(a, b, outcome, won, lost):
    found = judged(results(a, b))
    assert (found.outcome, found.won, found.lost) == (outcome, won, lost)
    assert found.p_over_datasets == pytest.approx(2 / 2**7)


def test_few_data_sets_decide_nothing_that_no_split_shows():
    found = judged(results(0.701, 0.70, datasets=SETS[:5]))
    assert (found.outcome, found.ahead) == (ClaimOutcome.UNDECIDED, 5)


def test_sizes_of_one_data_set_count_once():
    """Seven sizes of a set are one in Wilcoxon's test, which then says nothing."""
    sizes = [f"toy[tasks={number}]" for number in range(1, 8)]
    found = judged(results(0.701, 0.70, datasets=sizes))
    assert math.isnan(found.p_over_datasets)
    assert found.outcome is ClaimOutcome.UNDECIDED


def test_a_rival_that_was_tuned_by_another_metric_does_not_count():
    rival = Method(scores={"macro_auc": 0.74}, search=Search(scoring="macro_f1"), use="mlknn")
    found = judged(results(0.8, rival))
    assert found.outcome is ClaimOutcome.NOT_COMPARABLE
    assert (len(found.compared), found.controlled) == (7, [])
    assert found.objections == {"tuning-metric": 7}


def test_a_rival_of_whom_no_comparison_counts_is_named():
    search = Search(scoring="macro_auc")
    methods = {
        "A": Method(scores={"macro_auc": 0.8}, search=search),
        "B": Method(scores={"macro_auc": 0.7}, search=search, use="lp"),
        "C": Method(scores={"macro_auc": 0.74}, search=Search(scoring="macro_f1"), use="mlknn"),
    }
    found = judged(made(methods, SETS), against=["B", "C"])
    assert (found.outcome, found.not_counted) == (ClaimOutcome.HOLDS, ["C"])
    table = claim_table([PaperClaims("trial", (found,))])
    assert "tuning-metric 7. No comparison that counts: C." in table.notes[0]


def test_the_handicap_of_the_claimed_method_is_no_objection_to_its_lead():
    ours = Method(scores={"macro_auc": 0.8}, search=Search(scoring="macro_f1"))
    assert judged(results(ours, 0.74)).outcome is ClaimOutcome.HOLDS


@pytest.mark.parametrize("on", ["all", "most"])
def test_a_weak_rival_does_not_make_up_for_a_strong_one(on):
    methods = {
        name: Method(scores={"macro_auc": value}, use=use)
        for name, value, use in [("A", 0.7, "br"), ("B", 0.701, "lp"), ("C", 0.5, "ecc")]
    }
    found = made(methods, SETS)
    (both,) = judge_claims([claim(against=["B", "C"], on=on)], [found])
    assert (both.won, both.lost, both.ahead) == (7, 0, 7)
    assert both.p_over_datasets < 0.05  # over the mean of both leads
    assert both.outcome is ClaimOutcome.CONTRADICTED


def test_a_claim_about_all_does_not_hold_where_the_method_is_behind_once():
    ahead, behind = results(0.702, 0.7, SETS), results(0.6995, 0.7, ["set 8"])
    for on, outcome in [("most", ClaimOutcome.HOLDS), ("all", ClaimOutcome.UNDECIDED)]:
        (found,) = judge_claims([claim(on=on)], [ahead, behind])
        assert (found.ahead, found.lost, len(found.controlled)) == (7, 0, 8)
        assert found.outcome is outcome


def test_one_loss_refutes_a_claim_about_all():
    methods = {
        name: Method(scores={"macro_auc": value}, use=use)
        for name, value, use in [("A", 0.8, "br"), ("B", 0.7, "lp"), ("C", 0.9, "ecc")]
    }
    found = made(methods, SETS)
    (some, every) = judge_claims(
        [claim(against=["B", "C"]), claim(against=["B", "C"], on="all")], [found]
    )
    assert (some.won, some.lost) == (7, 7)
    assert some.outcome is ClaimOutcome.CONTRADICTED  # half are lost
    assert every.outcome is ClaimOutcome.CONTRADICTED
    (all_others,) = judge_claims([claim(against=["*"])], [found])
    assert repr(all_others.compared) == repr(some.compared)


@pytest.mark.parametrize(
    ("b", "outcome"),
    [(0.8, ClaimOutcome.HOLDS), (0.79, ClaimOutcome.UNDECIDED), (0.6, ClaimOutcome.CONTRADICTED)],
)
def test_equality_is_judged_by_the_interval(b, outcome):
    assert judged(results(0.8, b), equal_within=0.012).outcome is outcome


def test_won_and_lost_are_decided_at_the_same_level_in_a_claim_of_equality():
    between = 0
    for b in np.linspace(0.77, 0.8, 31):
        plain, equal = (
            judged(results(0.8, float(b), SETS[:1]), **more) for more in ({}, {"equal_within": 0.2})
        )
        assert (plain.won, plain.lost) == (equal.won, equal.lost)
        between += 0.05 <= equal.compared[0].finding.adjusted["corrected_t"] < 0.1
    assert between


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"method": "A({r})"}, r"\{r\} stands for nothing"),
        ({"each": {"r": ["x"]}}, r"each.r: neither method nor against has \{r\}"),
        ({"against": ["A"]}, "A cannot be its own rival"),
        ({"method": "A({r})", "each": {"r": []}}, "at least 1 item"),
        ({"not_judged": "-"}, "'-' is no reason; say why in words"),
        ({"metric": "cut_ratio"}, "cut_ratio describes methods, and ranks none"),
    ],
)
def test_names_that_mean_nothing_are_refused(changed, words):
    with pytest.raises(ValidationError, match=words):
        claim(**changed)


def test_a_data_set_that_did_not_run_is_named():
    assert judged(results(0.8, 0.7), datasets=["set 1", "flags"]).missing == ("data set flags",)
    misspelled = judged(results(0.8, 0.7), datasets=["set 1", "set 77"]).missing
    assert misspelled == ("data set set 77 (did you mean 'set 7'?)",)


def test_a_sentence_has_all_names_in_the_place_of_a_letter():
    one = claim(claim="A({r}) above B", method="A({r})", each={"r": ["x", "y"]})
    assert one.sentence == "A(x and y) above B"


def test_names_stand_in_turn_for_a_letter():
    one = claim(method="A({r})", against=["B({r})", "C"], each={"r": ["x", "y"]})
    assert list(one.pairs()) == [("A(x)", ["B(x)", "C"]), ("A(y)", ["B(y)", "C"])]


def test_the_first_folder_with_both_methods_counts():
    first, second = results(0.8, 0.7), results(0.6, 0.7, path="runs/second")
    (found,) = judge_claims([claim()], [first, second])
    assert (found.won, found.lost) == (7, 0)
    (found,) = judge_claims([claim()], [second, first])
    assert (found.won, found.lost) == (0, 7)


def test_the_table_says_what_was_left_out():
    rival = Method(scores={"macro_auc": 0.74}, search=Search(scoring="macro_f1"), use="mlknn")
    found = judge_claims(
        [
            claim(),
            claim(claim="A above D", against=["D"]),
            claim(claim="fast", not_judged="a matter of seconds", against=[], metric=""),
            claim(claim="A above A", other_data="toys", against=["B"], datasets=["set 1"]),
        ],
        [results(0.8, rival)],
    )
    table = claim_table([PaperClaims("lee", tuple(found))])
    assert [row.cells[0].printed for row in table.rows] == [
        "not comparable",
        "not comparable",
        "not judged",
        "not comparable",
    ]
    assert table.notes[:3] == (
        "1: Table 1. 7 of 7 comparisons not controlled: tuning-metric 7.",
        "2: Table 1. Not run: D.",
        "3: Table 1. Not judged: a matter of seconds.",
    )
    plain = claims_as_plain([PaperClaims("lee", tuple(found))])["claims"]
    assert len(plain[0]["comparisons"]) == 7
    assert plain[0]["comparisons"][0]["uncontrolled"] == ["tuning-metric"]


def test_a_check_that_lacks_a_number_is_named_and_is_no_objection():
    """Rows of older versions have no F1 at a common share of positives, nor with 0/0 = 0."""
    older, newer = (
        made({name: Method(scores=scores(f1), use=use) for name, f1, use in METHODS}, SETS)
        for scores in (
            lambda f1: {"macro_f1": f1},
            lambda f1: {"macro_f1": f1, "macro_f1@share": f1, "macro_f1@sklearn": f1},
        )
    )
    found = judge_claims([claim(metric="macro_f1")], [older])
    assert found[0].outcome is ClaimOutcome.HOLDS
    assert found[0].unjudged == {"threshold": 7, "labels-left-out": 7}
    table = claim_table([PaperClaims("lee", tuple(found))])
    assert table.rows[0].cells[0].printed == "holds, threshold and labels-left-out unchecked"
    assert table.notes[0] == (
        "1: Table 1. Could not be judged, as rows lack a number for it: "
        "threshold on 7 and labels-left-out on 7."
    )
    assert not judge_claims([claim(metric="macro_f1")], [newer])[0].unjudged


def test_a_claim_that_holds_on_other_data_says_so():
    found = judged(results(0.8, 0.7), other_data="toys")
    (row,) = claim_table([PaperClaims("lee", (found,))]).rows
    assert row.cells[0].printed == "holds, other data"


@pytest.mark.parametrize("paper", ["ke", "han2010", "ji2009", "nam", "yu2005"])
def test_the_claims_of_the_five_papers_can_be_read(paper):
    from mlbench.papers.claims import claims_of

    stated = results(0.8, 0.7, published=paper)
    known = read_claims(claims_of(stated))
    assert known.paper == paper
    assert all(len(each.claim) <= 50 for each in known.claims), "a table in a terminal is narrow"
