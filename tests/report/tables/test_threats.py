"""Threats as sentences below the verdict."""

from __future__ import annotations

import pytest

from mlbench.audit import Threat, Threats
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.threats import (
    in_brackets,
    numbered_threats,
    numbers_in_brackets,
    threat_table,
)
from mlbench.report.tables.verdict_text import verdict_table
from tests.audit.experiments import Method, Search, cut, made


def threat(severity, check="threshold", accepted="", methods=("A", "B")):
    return Threat(
        check=check,
        severity=severity,
        metrics=("macro_f1",),
        datasets=("toy",),
        methods=methods,
        ahead=methods[:1],
        behind=methods[1:],
        n_comparisons=1,
        numbers={"lead": 0.1},
        sentence=f"{check} is to blame.",
        advice="Mend it.",
        accepted=accepted,
        severities={("toy", "macro_f1", frozenset(methods)): severity},
    )


FOUND = Threats(
    [
        threat("invalidates"),
        threat("weakens", "grid-edge"),
        threat("note", "same-model"),
        threat("invalidates", "tuning-metric", "as the paper did"),
    ]
)


def test_all_threats_are_listed_and_those_of_weight_numbered():
    assert threat_table(FOUND).notes == (
        "(1) invalidates, threshold: threshold is to blame. Mend it.",
        "(2) weakens, grid-edge: grid-edge is to blame. Mend it.",
        "(3) invalidates, tuning-metric: tuning-metric is to blame. Accepted: as the paper did",
        "note, same-model: same-model is to blame. Mend it.",
    )


def test_below_a_verdict_what_is_left_out_is_counted():
    assert threat_table(FOUND, 1).notes == (
        "(1) invalidates, threshold: threshold is to blame. Mend it.",
        "(2) to (3) and 1 note: see mlbench audit",
    )
    assert threat_table(FOUND, 0).notes[-1] == "(1) to (3) and 1 note: see mlbench audit"


def test_threats_to_a_part_are_told_of_the_part():
    methods = {
        "A": cut(0.6, 0.5, "br", "cv_f1_label", 0.9),
        "B": cut(0.5, 0.55, "mlknn", ratio=0.2),
        "C": cut(0.4, 0.55, "lp", ratio=0.2),
    }
    results = made(methods, ["one", "two", "three"], tests=[{"method": "A"}])
    (first, *_) = report_data(results).threats
    assert first.sentence.startswith("one, two and three, Macro F1 (3 comparisons)")
    part = report_data(results, datasets=["two"], methods=["A", "B"]).threats
    assert part[0].sentence.startswith("two, Macro F1: A leads B")
    compared = [threat for threat in part if threat.n_comparisons]
    assert {(threat.methods, threat.datasets) for threat in compared} == {(("A", "B"), ("two",))}


def test_many_numbers_are_counted():
    assert in_brackets(range(1, 10)) == " (1, 2, 3, 4, 5, 6, 7, 8, 9)"
    assert in_brackets(range(1, 12)) == " (1, 2, 3, 4, 5, 6, 7, 8 and 3 more)"


def test_where_there_is_no_threat_the_table_says_so():
    assert threat_table(Threats()).notes == ("No threat to these comparisons was found.",)


def test_a_line_of_csv_has_plain_values():
    line = threat_table(FOUND).records[0]
    assert (line["methods"], line["numbers"]) == ("A; B", '{"lead": 0.1}')


@pytest.mark.parametrize(
    ("threats", "weak", "invalid"),
    [
        ([], "", ""),
        ([threat("weakens")], " (1)", ""),
        ([threat("weakens", accepted="meant")], " (1)", ""),
        ([threat("note")], "", ""),
        ([threat("weakens", methods=("A", "C"))], "", ""),
        ([threat("invalidates")], "", " (1)"),
        ([*FOUND], " (2)", " (1, 3)"),
    ],
)
def test_sentences_refer_to_the_threats_by_number(threats, weak, invalid):
    place = ("toy", "macro_f1", frozenset("AB"))
    assert numbers_in_brackets(Threats(threats), place, "weakens") == weak
    assert numbers_in_brackets(Threats(threats), place, "invalidates") == invalid


METHODS = {
    "A": Method(scores={"macro_f1": 0.6}, search=Search()),
    "B": Method(scores={"macro_f1": 0.58}, search=Search(), use="lp"),
    "C": Method(scores={"macro_f1": 0.55}, use="mlknn"),
}


def test_verdicts_have_the_numbers_of_the_threats_to_every_lead():
    results = made(METHODS, tests=[{"method": "A", "test": "corrected_t"}])
    told = verdict_table(report_data(results)).notes
    (sentence,) = (each for each in told if each.startswith("toy, Macro F1: A leads"))
    assert sentence.endswith(" In doubt: the lead over C (1).")


def test_answers_have_the_numbers_of_the_threats_to_what_is_better():
    results = made(METHODS, ["x", "y"], tests=[{"method": "A", "test": "corrected_t"}])
    told = verdict_table(report_data(results)).notes
    assert "Macro F1: A is better than B on both, and C on both (1)." in told


def test_the_lead_among_those_that_are_shown_is_audited():
    results = made(METHODS, tests=[{"method": "A", "test": "corrected_t"}])
    told = verdict_table(report_data(results, methods=["B", "C"])).notes
    assert told[0] == (
        "toy, Macro F1: of the methods shown, B has the best mean; no test compares it with "
        "another of them (1)."
    )


def test_the_tested_method_is_judged_where_another_leads_by_a_hair():
    methods = {**METHODS, "B": Method(scores={"macro_f1": 0.601}, search=Search(), use="lp")}
    told = verdict_table(report_data(made(methods, tests=[{"method": "A"}]))).notes
    assert told[0].startswith("toy, Macro F1: B and A ")
    assert told[1] == "Macro F1: A is better than C (1); not told apart from B."


def test_of_a_leader_the_verdict_says_all():
    told = verdict_table(report_data(made(METHODS, tests=[{"method": "A"}]))).notes
    assert not any(each.startswith("Macro F1: ") for each in told)


def test_open_pairs_have_the_numbers_of_what_weakens_them():
    low = {"macro_f1": 0.5, "macro_f1@constant": 0.52}
    methods = {
        "A": Method(scores={"macro_f1": [0.6, 0.5, 0.55, 0.52, 0.58], "macro_f1@constant": 0.52}),
        "B": Method(scores={"macro_f1": [0.53, 0.59, 0.5, 0.57, 0.54]}, use="lp"),
        "C": Method(scores=low, use="mlknn"),
    }
    data = report_data(made(methods, tests=[{"method": "A", "test": "corrected_t"}]))
    assert [each.check for each, _ in numbered_threats(data.threats)] == ["below-constant"]
    (first, *_) = verdict_table(data).notes
    assert first.startswith("toy, Macro F1: A and B cannot be told apart: ")
    assert "; C (1) is not told apart from A" in first


def test_what_is_left_open_is_no_uncontrolled_conclusion():
    methods = {
        "A": Method(scores={"macro_f1": [0.52, 0.53, 0.51, 0.54, 0.52, 0.53, 0.51, 0.54]}),
        "B": Method(
            scores={"macro_f1": [0.516, 0.51, 0.508, 0.524, 0.519, 0.519, 0.509, 0.52]}, use="lp"
        ),
    }
    tests = [{"method": "A", "test": "wilcoxon"}, {"method": "B", "test": "corrected_t"}]
    data = report_data(made(methods, n_splits=8, tests=tests))
    assert [each.severity for each in data.threats] == ["invalidates"]  # Wilcoxon's decision
    assert verdict_table(data).notes[0].startswith("toy, Macro F1: A and B cannot be told apart")
