"""Who leads, by how much, and how sure that is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlbench.comparisons.settings import ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.score_tables import score_tables
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.results.scores import Scores
from mlbench.statistics import corrected_t, holm, mean_difference
from tests.report.tables.verdict_cases import F1, LOSS, NOISE, scores, verdict


def test_the_compared_method_is_behind():
    values = scores("emotions", Mine=0.5, BR=0.6, LP=0.4)
    table = verdict(values, comparisons=(Comparison(method="Mine", against=("BR", "LP")),))
    by = {m: [v for _, name, _, _, v in values if name == m] for m in ("BR", "Mine", "LP")}
    effect = mean_difference(by["BR"], by["Mine"], 3, 2)
    p = holm([corrected_t(by["Mine"], by[m], 3, 2).p_value for m in ("BR", "LP")])[0]
    assert table.notes[0] == (
        f"emotions, F1: BR leads; Mine is {100 * effect.value:.2f} points behind (95 % interval "
        f"{100 * effect.low:.2f} to {100 * effect.high:.2f}, p = {p:.2e} after Holm)."
    )
    (record,) = table.records
    assert record["leader"] == "BR"
    assert record["rival"] == "Mine"
    assert record["is_decided"]
    assert record["difference"] == pytest.approx(effect.value)
    assert record["p_adjusted"] == pytest.approx(p)


def test_the_compared_method_leads_all():
    values = scores("emotions", Mine=0.6, BR=0.5, LP=0.4)
    sentence = verdict(
        values, comparisons=(Comparison(method="Mine", against=("BR", "LP")),)
    ).notes[0]
    assert sentence.startswith(
        "emotions, F1: Mine leads the 2 others that it was tested against; the next, BR, is "
    )


def test_a_difference_within_chance_is_not_decided():
    values = scores("emotions", Mine=0.6, BR=0.5999, LP=0.4)
    table = verdict(values, comparisons=(Comparison(method="Mine", against=("BR", "LP")),))
    leader, rival = (table.records[0][key] for key in ("leader", "rival"))
    assert table.notes[0].startswith(
        f"emotions, F1: {leader} and {rival} cannot be told apart: {rival} is "
    )
    assert not table.records[0]["is_decided"]


def test_all_that_cannot_be_told_apart_from_the_leader_are_named():
    values = scores("emotions", Mine=0.6, BR=0.5999, LP=0.4, Tree=0.5998)
    told = verdict(values, comparisons=(Comparison(method="Mine", against=("BR", "Tree", "LP")),))
    assert told.notes[0].startswith("emotions, F1: Mine and BR cannot be told apart: BR is ")
    assert "; Tree is not told apart from Mine; Mine is better than LP" in told.notes[0]


def same_as(values, method, name):
    """Return scores with a copy of a method, with another rounding."""
    copy = [(d, name, s, metric, v + 1e-16) for d, m, s, metric, v in values if m == method]
    return values + copy


def test_all_that_tie_for_best_are_named():
    values = same_as(scores("emotions", Mine=0.6, BR=0.4), "Mine", "Twin")
    untested = verdict(values)
    assert untested.notes[0] == (
        "emotions, F1: Mine and Twin tie for the best mean; no test compares them with another "
        "method."
    )
    tested = verdict(values, comparisons=(Comparison(method="Twin", against=("Mine",)),))
    assert tested.notes[0] == "emotions, F1: Mine and Twin tie for the best mean."
    (record,) = tested.records
    assert (record["leader"], record["tied"], record["is_decided"]) == ("Mine", "Twin", False)


def test_those_that_tie_are_compared_with_the_next():
    values = same_as(scores("emotions", Mine=0.6, BR=0.4), "Mine", "Twin")
    triplets = same_as(values, "Mine", "Third")
    sentence = verdict(triplets, comparisons=(Comparison(method="Twin", against=("BR",)),)).notes[0]
    assert sentence.startswith(
        "emotions, F1: Twin, Mine and Third tie for the best mean; BR is 20."
    )
    close = same_as(scores("emotions", Mine=0.6, BR=0.5999), "Mine", "Twin")
    unclear = verdict(close, comparisons=(Comparison(method="BR", against=("Mine", "Twin")),))
    leader = unclear.records[0]["leader"]
    rival = unclear.records[0]["rival"]
    assert {leader, rival} in ({"BR", "Mine"}, {"BR", "Twin"})


def test_ties_on_many_data_sets_are_told_in_one_sentence():
    values = [
        line
        for i in range(13)
        for line in same_as(scores(f"d{i:02}", Mine=0.6, BR=0.4), "Mine", "Twin")
    ]
    table = verdict(values, comparisons=(Comparison(method="Mine", against=("BR",)),))
    assert table.notes[0].startswith("F1: Mine is better than BR on all 13 data sets.")
    assert table.notes[1].startswith("F1: Mine and Twin tie for the best mean on d00, d01, ")


def test_the_level_of_the_test_decides_and_is_named():
    values = scores("emotions", Mine=0.6, BR=0.592)
    at = {
        alpha: verdict(
            values, comparisons=(Comparison(method="Mine", against=("BR",), alpha=alpha),)
        )
        for alpha in (0.5, 1e-6)
    }
    assert [table.records[0]["is_decided"] for table in at.values()] == [True, False]
    assert "(50 % interval " in at[0.5].notes[0]
    assert any("Decided by the corrected t-test at 1e-06." in note for note in at[1e-6].notes)


def test_what_only_describes_scores_is_not_judged():
    ties = replace(LOSS, is_quality=False)
    values = [*scores("emotions", "loss", Mine=0.2, BR=0.3), *scores("emotions", Mine=0.6, BR=0.5)]
    table = verdict(values, (F1, ties), (Comparison(method="Mine", against=("BR",)),))
    assert [record["metric"] for record in table.records] == [F1.name]
    assert not any(ties.title in note for note in table.notes)


def test_smaller_is_better():
    values = scores("emotions", "loss", Mine=0.2, BR=0.3)
    table = verdict(values, (LOSS,), (Comparison(method="Mine", against=("BR",)),), percent=False)
    assert table.notes[0].startswith("emotions, Loss: Mine leads; BR is 0.0")
    assert table.records[0]["difference"] < 0


def test_a_leader_that_no_test_concerns():
    values = scores("emotions", Mine=0.5, BR=0.4, Best=0.9)
    table = verdict(values, comparisons=(Comparison(method="Mine", against=("BR",)),))
    assert table.notes[0] == (
        "emotions, F1: Best has the best mean; no test compares it with another method."
    )


def test_nearer_methods_that_no_test_concerns_are_named():
    others = {f"M{i}": 0.6 - i / 50 for i in range(1, 5)}
    values = scores("emotions", Best=0.6, **others, Mine=0.4)
    sentence = verdict(values, comparisons=(Comparison(method="Mine", against=("Best",)),)).notes[0]
    assert sentence.startswith("emotions, F1: Best has the best mean; Mine is ")
    assert sentence.endswith(
        "; M1, M2, M3 and 1 more are closer, but were not tested against the leader."
    )


def test_a_method_that_equals_the_tested_one_is_not_nearer():
    values = scores("emotions", Best=0.6, Same=0.5)
    values += [(d, "Mine", *rest) for d, method, *rest in values if method == "Same"]
    sentence = verdict(values, comparisons=(Comparison(method="Mine", against=("Best",)),)).notes[0]
    assert "nearer" not in sentence


def test_splits_that_some_method_lacks_are_told():
    values = [*scores("emotions", Mine=0.6, BR=0.5), *scores("flags", Mine=0.6, BR=0.5)]
    values = [each for each in values if each[:3] != ("flags", "BR", 0)]
    notes = verdict(values, comparisons=(Comparison(method="Mine", against=("BR",)),)).notes
    assert [note for note in notes if "share" in note] == [
        "The best mean is over the splits that all share: flags: 9 of 10."
    ]


def test_methods_are_compared_on_the_splits_that_all_share():
    """A method with its two best splits alone would lead by its own mean."""
    values = scores("emotions", Mine=0.6, BR=0.599)
    lucky = [value for value in scores("emotions", Lucky=0.55) if value[2] > 7]
    table = verdict(
        values + lucky, comparisons=(Comparison(method="Mine", against=("BR", "Lucky")),)
    )
    shared = {
        name: np.mean([v for _, m, split, _, v in values + lucky if m == name and split > 7])
        for name in ("Mine", "BR", "Lucky")
    }
    assert table.records[0]["leader"] == max(shared, key=shared.get)


def test_there_is_no_verdict_on_a_single_method():
    settings = ReportSettings((F1,), 10)
    results = Scores(scores("emotions", Mine=0.5), (), 10)
    assert verdict_table(ReportData(results, settings)) is None


@pytest.mark.parametrize("n_rivals", [1, 5])
def test_what_a_correction_leaves_open_is_not_called_too_small(n_rivals):
    """Six standard errors decide one comparison of three splits, and none of five."""
    rivals = {f"R{i}": 0.6 - 1e-4 * i for i in range(n_rivals)}
    values = [("toy", "Mine", split, "f1", 0.6) for split in range(3)]
    values += [
        ("toy", name, split, "f1", mean - 0.001 * (5 + split))
        for name, mean in rivals.items()
        for split in range(3)
    ]
    comparison = Comparison(method="Mine", against=tuple(rivals))
    table = verdict(values, comparisons=(comparison,), n_splits=3)
    assert table.records[0]["is_decided"] == (n_rivals == 1)
    assert "could have shown" not in table.notes[0]


def test_with_which_power_splits_could_have_shown_a_difference_is_told_below():
    values = [("toy", "Mine", split, "f1", 0.6) for split in range(3)]
    values += [("toy", "A", split, "f1", 0.5 + 0.09 * split) for split in range(3)]
    table = verdict(values, comparisons=(Comparison(method="Mine", against=("A",)),), n_splits=3)
    assert "3 splits could have shown a difference of" in table.notes[0]
    assert "What splits could have shown (with 80 % power) is for one pair of" in table.notes[-1]


def test_what_the_corrected_t_test_could_have_shown_is_not_said_of_another_test():
    values = [("toy", "Mine", split, "f1", 0.6) for split in range(5)]
    values += [("toy", "A", split, "f1", 0.5 + 0.04 * split) for split in range(5)]
    by = {
        test: verdict(
            values,
            comparisons=(Comparison(method="Mine", against=("A",), test=[test]),),
            n_splits=5,
        ).notes[0]
        for test in ("corrected_t", "wilcoxon")
    }
    assert "5 splits could have shown" in by["corrected_t"]
    assert "could have shown" not in by["wilcoxon"]


def test_of_several_entries_on_the_same_two_the_strictest_decides():
    values = scores("emotions", A=0.6, B=0.59, C=0.4)
    once = Comparison(method="A", against=("B", "C"))
    again = Comparison(method="B", against=("A",))
    ((alone,), *both) = (
        verdict(values, comparisons=entries).records
        for entries in ((once,), (once, again), (again, once))
    )
    assert [record["p_adjusted"] for (record,) in both] == [alone["p_adjusted"]] * 2


def test_marks_are_for_all_methods_though_a_report_shows_some():
    values = scores("emotions", A=0.6, B=0.59, C=0.4, D=0.3)
    settings = ReportSettings(
        (F1,),
        10,
        comparisons=(Comparison(method="A", against=("B", "C", "D")),),
        test_train_ratio={"emotions": 2 / 3},
        methods=("A", "B", "C", "D"),
        shown_methods=("A", "B"),
    )
    data = ReportData(Scores(values, (), 10), settings)
    notes = " ".join(score_tables(data)[0].notes)
    assert "Holm over 3 methods" in notes


def test_answers_say_by_which_rule_where_rules_differ():
    values = [v for name in "de" for v in scores(name, A=0.6, B=0.59, C=0.4)]
    once = Comparison(method="A", against=("B", "C"))
    again = Comparison(method="B", against=("A",), alpha=0.2)
    notes = verdict(values, comparisons=(once, again)).notes
    assert notes[0].startswith("F1 (at 0.05, Holm over 2 methods): A is ")
    assert notes[1].startswith("F1 (at 0.2, not corrected): B is ")
    assert any(note.startswith("Decided by the corrected t-test at 0.05 or 0.2.") for note in notes)
    assert verdict(values, comparisons=(once,)).notes[0].startswith("F1: A is ")


def test_of_two_levels_the_lower_one_decides():
    values = scores("emotions", A=0.6, B=0.592)
    low, high = (Comparison(method="A", against=("B",), alpha=alpha) for alpha in (1e-6, 0.5))
    for entries in ((low, high), (high, low)):
        assert not verdict(values, comparisons=entries).records[0]["is_decided"]


def test_the_levels_of_all_rivals_are_named():
    values = scores("emotions", A=0.6, B=0.59, C=0.4)
    entries = (
        Comparison(method="A", against=("B",)),
        Comparison(method="C", against=("A",), alpha=0.3),
    )
    assert any(" at 0.05 or 0.3." in note for note in verdict(values, comparisons=entries).notes)


def test_a_rival_that_another_rule_decides_has_it_beside_its_name():
    values = scores("emotions", A=0.6, B=0.599, C=0.4, D=0.3)
    entries = (
        Comparison(method="A", against=("B", "D")),
        Comparison(method="C", against=("A",), alpha=0.3),
    )
    told = verdict(values, comparisons=entries).notes[0]
    assert "A and B cannot be told apart" in told
    assert "; A is better than C (at 0.3, not corrected) and D" in told


def test_a_sentence_calls_tests_by_what_they_are():
    values = scores("emotions", A=0.6, B=0.4)
    entry = Comparison(method="A", against=("B",), test=["wilcoxon"])
    notes = verdict(values, comparisons=(entry,)).notes
    assert any(note.startswith("Decided by the Wilcoxon test at 0.05.") for note in notes)


@pytest.mark.parametrize(("n_splits", "rivals", "floor"), [(4, 1, "0.1250"), (6, 2, "0.0625")])
def test_a_rank_test_over_few_splits_decides_nothing(n_splits, rivals, floor):
    names = ["B", "C"][:rivals]
    values = [
        ("emotions", name, split, "f1", 0.9 - 0.1 * i + 0.01 * split * (i == 0))
        for i, name in enumerate(["A", *names])
        for split in range(n_splits)
    ]
    entry = Comparison(method="A", against=names, test=["wilcoxon"])
    after = " after Holm" if rivals > 1 else ""
    assert (
        f"With {n_splits} splits the p of Wilcoxon's test of A cannot fall below {floor}{after}, "
        "so it decides nothing."
    ) in verdict(values, comparisons=(entry,), n_splits=n_splits).notes


@pytest.mark.parametrize(
    ("size", "told"),
    [(0.02, "A and B cannot be told apart: B is"), (0.2, "A has the best mean, but B is")],
)
def test_a_leader_over_shared_splits_may_be_behind_over_those_that_two_have(size, told):
    a = [0.51 + noise for noise in NOISE[0]]
    b = [0.5 + noise + size * (split > 0) for split, noise in enumerate(NOISE[1])]
    b[0] = a[0] - 0.01
    values = [("a", "C", 0, "f1", 0.1)]
    values += [("a", "A", split, "f1", score) for split, score in enumerate(a)]
    values += [("a", "B", split, "f1", score) for split, score in enumerate(b)]
    table = verdict(values, comparisons=(Comparison(method="A", against=("B",)),))
    effect = mean_difference(b, a, 3, 2)
    gap, low, high = (100 * each for each in (effect.value, effect.low, effect.high))
    assert table.notes[0].startswith(
        f"a, F1: {told} {gap:.2f} points ahead over the 10 splits that both have (95 % interval "
        f"{low:.2f} to {high:.2f}, p = "
    )
    assert not table.records[0]["is_decided"]
