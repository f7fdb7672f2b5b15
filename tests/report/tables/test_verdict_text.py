"""The verdict over data sets, and how long it is."""

from __future__ import annotations

import numpy as np

from mlbench.config.comparison import Comparison
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.verdict import verdicts
from mlbench.report.tables.verdict_text import MAX_SENTENCES, verdict_table, verdict_text
from mlbench.statistics import rank_test
from tests.audit.experiments import Method, cut, made
from tests.report.tables.verdict_cases import F1, LOSS, scores, verdict

MINE_AND_BR = (Comparison(method="Mine", against=("BR",)),)


def test_mean_ranks_leave_out_a_method_without_scores_and_say_so():
    means = {"a": (0.6, 0.5, 0.4), "b": (0.7, 0.6, 0.2), "c": (0.3, 0.5, 0.1)}
    values = [line for name, (x, y, z) in means.items() for line in scores(name, X=x, Y=y, Z=z)]
    table = verdict(values + scores("a", Half=0.1))
    rows = [
        [np.mean([v for d, m, _, _, v in values if (d, m) == (name, each)]) for each in "XYZ"]
        for name in means
    ]
    x, y, z = rank_test(np.array(rows)).mean_ranks
    assert table.notes[0] == (
        f"Mean ranks over 3 data sets, F1: X {x:.2f}, Y {y:.2f}, Z {z:.2f}; "
        "X is significantly ahead of no other (Nemenyi). "
        "Left out, with no score on some data set: Half."
    )
    assert (
        table.notes[-1]
        == "No test of pairs was asked for; `tests:` in the experiment asks for them."
    )


def test_mean_ranks_come_before_the_data_sets():
    values = [*scores("a", Mine=0.6, BR=0.5), *scores("b", Mine=0.6, BR=0.5)]
    starts = [note[:17] for note in verdict(values, comparisons=MINE_AND_BR).notes[1:4]]
    assert starts == ["Mean ranks over 2", "a, F1: Mine leads", "b, F1: Mine leads"]


def test_untested_leads_on_a_data_set_share_a_sentence():
    values = scores("a", Mine=0.6, BR=0.5) + scores("a", "loss", Mine=0.1, BR=0.5)
    table = verdict(values, (F1, LOSS))
    assert table.notes[:-1] == (
        "a, F1 and Loss: Mine has the best mean; no test compares it with another method.",
    )
    assert [record["metric"] for record in table.records] == ["f1", "loss"]


def test_of_many_data_sets_a_sentence_says_where_the_method_is_better_and_where_worse():
    values = scores("close", Mine=0.6, BR=0.5999) + scores("lost", Mine=0.5, BR=0.6)
    values += scores("other", Mine=0.5, BR=0.4, Best=0.9)
    others = [f"d{i}" for i in range(MAX_SENTENCES)]
    for name in others:
        values += scores(name, Mine=0.6, BR=0.5)
    table = verdict(values, comparisons=MINE_AND_BR)
    assert table.notes[0] == (
        "F1: Mine is better than BR on other, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10 and d11; "
        "worse than BR on lost; not told apart from BR on close."
    )
    assert table.notes[1].startswith("Mean ranks over 15 data sets, F1: ")
    assert table.notes[2].startswith("Decided by the corrected t-test")
    assert len(table.records) == 15


def test_a_pair_that_one_family_decides_alone_is_explained():
    leads = [0.012, 0.006, 0.012, 0.010, 0.010]
    methods = {
        "A": Method(scores={"macro_f1": [0.6] * 5}),
        "B": Method(scores={"macro_f1": [0.6 - lead for lead in leads]}, use="lp"),
        **{name: Method(scores={"macro_f1": [0.6] * 5}, use="ecc") for name in "CDEF"},
    }
    few, many = {"method": "A", "against": ["B", "C"]}, {"method": "B"}
    for tests, is_told in [([few, many], True), ([few], False)]:
        stated = [{**each, "test": "corrected_t"} for each in tests]
        notes = verdict_table(report_data(made(methods, ["x", "y"], tests=stated))).notes
        told = [note for note in notes if note.startswith("Holm corrects the p-values of each")]
        assert bool(told) == is_told


def test_what_splits_could_have_shown_is_explained_where_it_is_told():
    means = {"A": Method(scores={"macro_f1": [0.6, 0.5, 0.55, 0.52, 0.58]})}
    means["B"] = Method(scores={"macro_f1": [0.53, 0.59, 0.5, 0.57, 0.54]}, use="lp")
    names = [f"d{i}" for i in range(MAX_SENTENCES + 1)]
    for datasets, notes_on_details in ((names, 1), (names[:1], 0)):
        data = report_data(made(means, datasets, tests=[{"method": "A", "test": "corrected_t"}]))
        text = verdict_text(data, verdicts(data))
        told = text.details or text.sentences
        assert any("could have shown a difference" in sentence for sentence in told)
        assert text.note_on_details.count("with 80 % power") == notes_on_details
        assert sum("with 80 % power" in note for note in text.notes) == 1 - notes_on_details


def test_without_a_method_asked_for_a_sentence_says_on_which_data_sets_who_leads():
    names = [f"d{i}" for i in range(MAX_SENTENCES + 1)]
    values = [line for name in names for line in scores(name, Mine=0.6, BR=0.5)]
    assert verdict(values).notes[0] == (
        f"F1: Mine has the best mean on {', '.join(names[:6])} and 7 more, where no test compares "
        "it with the next."
    )


def test_ranks_over_parts_of_one_data_set_are_uncontrolled_where_they_conclude():
    methods = {
        name: Method(scores={"macro_f1": f1, "macro_auc": 0.5})
        for name, f1 in {"A": 0.6, "B": 0.5, "C": 0.4}.items()
    }
    results = made(methods, [f"arts[{n} %]" for n in (5, 10, 20, 30)])
    f1, auc = (note for note in verdict_table(report_data(results)).notes if "Mean ranks" in note)
    assert f1.startswith("Not a controlled comparison (1): Mean ranks over 4 data sets, Macro F1")
    assert auc.startswith("Mean ranks over 4 data sets, Macro AUC: ")


def test_leads_by_mean_rank_have_the_numbers_of_the_threats_to_leads_on_data_sets():
    methods = {
        "A": cut(0.6, 0.5, "br", "cv_f1_label", 0.9),
        "B": cut(0.55, 0.45, "lp", ratio=0.2),
        "C": cut(0.2, 0.6, "mlknn", ratio=0.2),
    }
    results = made(methods, [f"data-{n}" for n in range(5)], tests=[{"method": "A"}])
    notes = verdict_table(report_data(results)).notes
    (ranks,) = (note for note in notes if "Mean ranks" in note)
    assert ranks.endswith("; A is not comparable with C (1) (Nemenyi).")


def test_mean_ranks_are_compared_as_the_experiment_says():
    means = {"a": (0.6, 0.5, 0.4), "b": (0.7, 0.6, 0.2), "c": (0.6, 0.5, 0.1)}
    values = [line for name, (x, y, z) in means.items() for line in scores(name, X=x, Y=y, Z=z)]
    entry = Comparison(method="X", over_datasets=["friedman"], all_pairs="shaffer", alpha=0.2)
    notes = verdict(values, comparisons=(entry.resolved("XYZ"),)).notes
    assert any("X is significantly ahead of Z only (Shaffer, 0.2)." in note for note in notes)


def test_the_verdict_of_an_unfinished_run_says_so_first():
    methods = {
        "A": Method(scores={"macro_f1": 0.6}),
        "B": Method(scores={"macro_f1": [0.5, 0.4, "error", ..., ...]}),
    }
    first, *_ = verdict_table(report_data(made(methods))).notes
    assert first == "Unfinished: 2 of 10 cells have not run."
    first, *_ = verdict_table(report_data(made({**methods, "B": methods["A"]}))).notes
    assert not first.startswith("Unfinished")


def test_a_method_that_failed_on_most_splits_decides_nothing_for_the_others():
    methods = {
        "A": Method(scores={"macro_f1": [0.61, 0.6, 0.62, 0.6, 0.61]}),
        "B": Method(scores={"macro_f1": [0.5, 0.52, 0.51, 0.5, 0.52]}, use="lp"),
        "slow": Method(
            scores={"macro_f1": [0.7, "timeout", "timeout", *["given up"] * 2]}, use="ecc"
        ),
    }
    data = report_data(made(methods, tests=[{"method": "A", "test": "corrected_t"}]))
    notes = verdict_table(data).notes
    assert notes[0].startswith("toy, Macro F1: A leads")
    assert "Left out, since most splits have no score: slow on toy (1 of 5)." in notes
    half = {**methods, "slow": Method(scores={"macro_f1": [0.7, 0.7, 0.7, "error", "error"]})}
    notes = verdict_table(report_data(made(half))).notes
    assert notes[0].startswith("toy, Macro F1: slow has the best mean")


def test_a_nearer_method_that_was_not_tested_comes_with_what_threatens_it():
    methods = {
        "A": cut(0.6, 0.5, "br", "cv_f1_label", 0.9),
        "B": cut(0.55, 0.56, "lp", ratio=0.2),
        "C": Method(scores={"macro_f1": 0.4}, use="mlknn"),
    }
    found = made(methods, tests=[{"method": "A", "against": ["C"]}])
    first, *_ = verdict_table(report_data(found)).notes
    assert first.endswith("; B (1) is closer, but was not tested against the leader.")


def test_methods_without_a_common_split_are_compared_two_by_two():
    methods = {
        "A": Method(scores={"macro_f1": [0.61, 0.6, 0.62, ..., ...]}),
        "B": Method(scores={"macro_f1": [..., ..., ..., 0.5, 0.52]}, use="lp"),
        "C": Method(scores={"macro_f1": [0.4, 0.42, 0.41, 0.42, 0.4]}, use="mlknn"),
    }
    data = report_data(made(methods, tests=[{"method": "A", "test": "corrected_t"}]))
    first, answer, note, *_, decided = verdict_table(data).notes
    assert first == "Unfinished: 5 of 15 cells have not run."
    assert answer.startswith("Macro F1: A is better than C")
    assert note == ("No split of toy has scores of all methods, so none is said to lead there.")
    assert decided.startswith("Decided by the corrected t-test")


def test_a_lead_that_is_no_controlled_comparison_is_no_better_than():
    methods = {
        "A": cut(0.6, 0.6, "br", "cv_f1_label", 0.9),
        "B": cut(0.595, 0.59, "lp", "cv_f1_label", 0.9),
        "C": cut(0.4, 0.65, "mlknn", ratio=0.2),
        "D": cut(0.3, 0.3, "ecc", "cv_f1_label", 0.9),
    }
    found = made(methods, tests=[{"method": "A"}])
    first, *_ = verdict_table(report_data(found)).notes
    assert "better than D" in first
    assert first.endswith("; A is not comparable with C (1).")
    assert "better than D and C" not in first


def test_rivals_that_are_not_comparable_are_not_among_those_that_are_led():
    methods = {
        "A": cut(0.6, 0.6, "br", "cv_f1_label", 0.9),
        "B": cut(0.5, 0.5, "lp", "cv_f1_label", 0.9),
        "C": cut(0.4, 0.65, "mlknn", ratio=0.2),
        "D": cut(0.3, 0.3, "ecc", "cv_f1_label", 0.9),
    }
    first, *_ = verdict_table(report_data(made(methods, tests=[{"method": "A"}]))).notes
    assert "A leads 2 of the 3 others that it was tested against; the next, B, is" in first
    assert first.endswith("; A is not comparable with C (1).")
