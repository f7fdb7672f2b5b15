"""Alarms of one kind become one threat, which says where else the like holds."""

from __future__ import annotations

from dataclasses import replace

from mlbench.audit import Facts
from mlbench.audit.grouping import threats_of
from mlbench.audit.threat import Alarm
from tests.audit.experiments import Method, made

METRICS = {"macro_f1": 0.6, "macro_auc": 0.7}
FACTS = Facts.of_results(
    made({name: Method(scores=METRICS, use=name) for name in ("br", "lp")}, ["x", "y", "z"])
)


def alarm(size, dataset, metric="macro_f1", ahead="br", behind="lp", severity="weakens"):
    return Alarm(
        severity=severity,
        claim=f"{{ahead}} leads {{behind}} by {size} points",
        advice="Look.",
        subject="one",
        dataset=dataset,
        ahead=ahead,
        behind=behind,
        size=size,
        place=(dataset, metric, frozenset((ahead, behind))),
    )


def told(*alarms):
    (threat,) = threats_of("threshold", alarms, FACTS)
    return threat.sentence


def test_the_largest_is_told_and_the_others_are_named():
    assert told(alarm(3, "x"), alarm(5, "y"), alarm(2, "z")) == (
        "y, Macro F1: br leads lp by 5 points; likewise in 2 more comparisons (x and z, Macro F1)."
    )


def test_others_that_lead_the_same_method_are_named():
    others = [alarm(3, "x", ahead=name) for name in ("br", "ecc")]
    assert told(alarm(5, "x"), *others).endswith(
        "in 2 more comparisons, where br and ecc are ahead."
    )


def test_what_weakens_is_not_told_with_what_invalidates():
    alarms = [alarm(3, "x"), alarm(5, "y", severity="invalidates"), alarm(2, "z")]
    weaker, worse = threats_of("threshold", alarms, FACTS)
    assert (worse.severity, worse.datasets) == ("invalidates", ("y",))
    assert (weaker.severity, weaker.datasets) == ("weakens", ("x", "z"))


def test_a_place_that_is_the_same_is_not_said_twice():
    other = alarm(3, "x", ahead="lp", behind="br")
    assert told(alarm(5, "x"), other) == (
        "x, Macro F1: br leads lp by 5 points; likewise in 1 more comparison, where lp is ahead."
    )


def test_others_over_which_the_same_method_leads_are_named():
    assert told(alarm(5, "x"), alarm(3, "x", behind="ecc")) == (
        "x, Macro F1: br leads lp by 5 points; likewise in 1 more comparison, over ecc."
    )


def test_one_claim_is_said_of_all_places():
    assert told(alarm(5, "x"), alarm(5, "y", "macro_auc")) == (
        "x and y, Macro F1 and Macro AUC (2 comparisons): br leads lp by 5 points."
    )


def test_pairs_with_different_leaders_are_not_one_claim():
    first, second = alarm(5, "x"), alarm(5, "x", ahead="lp", behind="br")
    assert told(first, second).startswith(
        "x, Macro F1: br leads lp by 5 points; likewise in 1 more"
    )


def test_of_one_sentence_with_two_severities_the_rivals_are_named():
    claim = "{handicapped} chose C = 10"
    alarms = [
        replace(alarm(1, "x", behind=other, severity=severity), claim=claim, **sides)
        for other, severity in (("lp", "weakens"), ("ecc", "note"), ("rakel", "note"))
        for sides in [{"handicapped": "br", "other": other}]
    ]
    weaker, note = threats_of("grid-edge", alarms, FACTS)
    assert weaker.sentence == "x, Macro F1, beside lp: br chose C = 10."
    assert note.sentence == "x, Macro F1, beside ecc and rakel (2 comparisons): br chose C = 10."
    (alone,) = threats_of("grid-edge", alarms[:1], FACTS)
    assert alone.sentence == "x, Macro F1: br chose C = 10."
