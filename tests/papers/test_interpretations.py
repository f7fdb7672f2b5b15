"""Interpretations of a protocol made up for the purpose, one of which is right."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mlbench.errors import MlbenchError
from mlbench.papers.interpretation_tables import interpretation_tables, interpretations_as_plain
from mlbench.papers.interpretations import compare_interpretations, names_of_parts
from mlbench.report.reproduction.matching import compare_values
from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.report.reproduction.verdict import PrintVerdict
from tests.report.reproduction.printed import printed_value

DATASETS = ("Birds", "Scene", "Yeast", "Flags")
METHODS = ("A", "B", "C")
SPREAD = (-0.01, 0.0, 0.01)


PRINTED = [
    printed_value(method, 60.0 + 10 * i + j, dataset)
    for j, dataset in enumerate(DATASETS)
    for i, method in enumerate(METHODS)
]


def interpretation(off_by, targets=PRINTED, spread=SPREAD, suffix="", source="runs/x"):
    """Return results that differ from print by the points that a function tells for a target."""
    values = {
        (each.dataset, each.method + suffix, each.ours): tuple(
            (each.mean + off_by(each)) / 100 + part for part in spread
        )
        for each in targets
        if off_by(each) is not None
    }
    return compare_values(MeasuredValues(source, values), "lee", PRINTED)


def right(_):
    return 0.2


def wrong(_):
    return 6.0


def right_on(*datasets):
    return lambda each: 0.0 if each.dataset in datasets else 6.0


def test_the_interpretation_that_is_right_is_the_best():
    compared = compare_interpretations(
        [("scaled", interpretation(wrong)), ("raw", interpretation(right))]
    )
    assert [each.name for each in compared.interpretations] == ["raw", "scaled"]
    raw, scaled = (each.explained(PRINTED) for each in compared.interpretations)
    assert raw.counts == {PrintVerdict.REPRODUCED: 12}
    assert scaled.counts == {PrintVerdict.DIFFERS: 12}
    assert (raw.off_by, scaled.off_by) == pytest.approx((0.002, 0.06))
    assert raw.evidence.share > 0.9
    assert scaled.evidence.share < 0.2
    assert compared.corrected(compared.best) == pytest.approx(
        raw.evidence.log10 - math.log10(2), abs=1e-12
    )
    gap = scaled.evidence.log10 - raw.evidence.log10
    assert compared.to_best(compared.interpretations[1]) == pytest.approx(gap)


def test_variants_of_methods_in_one_folder_are_interpretations():
    values = {
        ("Birds", f"{method}{suffix}", "macro_auc"): (0.6, 0.61, 0.62)
        for method in METHODS
        for suffix in ("", " tree")
    }
    comparison = compare_values(MeasuredValues("runs/x", values), "lee", PRINTED)
    compared = compare_interpretations([("", comparison)])
    assert {each.name for each in compared.interpretations} == {"as named", "tree"}
    named = compare_interpretations([("raw", comparison)])
    assert {each.name for each in named.interpretations} == {"raw", "raw, tree"}


def test_the_likelihood_looks_at_both_spreads():
    exact = [printed_value(each.method, each.mean, each.dataset, std=0.1) for each in PRINTED]
    vague = [printed_value(each.method, each.mean, each.dataset, std=5.0) for each in PRINTED]
    tight = (-0.001, 0.0, 0.001)

    def gap(targets, spread):
        values = {
            (each.dataset, name, each.ours): tuple((each.mean + off) / 100 + s for s in spread)
            for each in targets
            for name, off in ((each.method, 0.0), (f"{each.method} off", 3.0))
        }
        comparison = compare_values(MeasuredValues("x", values), "lee", targets)
        compared = compare_interpretations([("", comparison)])
        return compared.to_best(compared.interpretations[1])

    assert gap(exact, tight) < gap(exact, SPREAD) < gap(vague, SPREAD) < 0


def test_the_best_is_chosen_on_other_data_sets():
    compared = compare_interpretations(
        [
            ("raw", interpretation(right_on("Birds", "Scene", "Yeast"))),
            ("scaled", interpretation(right_on("Flags"))),
        ]
    )
    held_out = {each.dataset: each for each in compared.held_out()}
    assert list(held_out) == list(DATASETS)
    assert {each.chosen for each in held_out.values()} == {"raw"}
    flags, birds = held_out["Flags"], held_out["Birds"]
    assert (flags.here.counts, flags.best) == ({PrintVerdict.DIFFERS: 3}, "scaled")
    assert flags.log10 < 0 < birds.log10
    assert (birds.best, birds.here.counts) == ("raw", {PrintVerdict.REPRODUCED: 3})


def test_a_single_data_set_cannot_be_held_out():
    one = [each for each in PRINTED if each.dataset == "Birds"]
    compared = compare_interpretations(
        [("a", interpretation(right, one)), ("b", interpretation(wrong, one))]
    )
    assert compared.held_out() == []
    assert interpretation_tables(compared)[-1].notes[0].startswith("No data set can be held out")


def test_an_interpretation_of_few_numbers_is_compared_on_these_and_is_not_the_best():
    few = interpretation(lambda each: 0.0 if each.dataset == "Birds" else None)
    half = interpretation(lambda each: 0.5 if each.dataset in ("Birds", "Scene") else 6.0)
    compared = compare_interpretations(
        [("few", few), ("half", half), ("wrong", interpretation(wrong))]
    )
    best, _, last = compared.interpretations
    assert (best.name, last.name) == ("half", "few")
    assert len(compared.common(last)) == 3
    few_alone, best_there = (each.evidence(compared.common(last)).log10 for each in (last, best))
    assert compared.to_best(last) == pytest.approx(few_alone - best_there)


def test_interpretations_that_ran_different_numbers_are_ranked_on_the_common_ones():
    more = interpretation(lambda each: 6.0 if each.dataset == "Birds" else 0.0)
    fewer = interpretation(lambda each: {"Birds": 0.0, "Scene": 0.0}.get(each.dataset))
    compared = compare_interpretations([("more", more), ("fewer", fewer)])
    assert compared.best.name == "fewer"
    assert compared.corrected(compared.interpretations[1]) > compared.corrected(compared.best)
    assert compared.to_best(compared.interpretations[1]) < 0


def random_interpretation(random, coverage):
    """Return an interpretation of some numbers that explains none."""
    off = {
        each: random.uniform(8, 20) * random.choice([-1, 1])
        for each in PRINTED
        if random.random() < coverage
    }
    off[PRINTED[0]] = 15.0
    return interpretation(off.get)


@pytest.mark.parametrize("seed", range(20))
def test_a_useless_interpretation_never_raises_the_corrected_evidence_of_the_best(seed):
    random = np.random.default_rng(seed)
    noise = {each: random.normal(0, 2.5) for each in PRINTED}
    parts = [("raw", interpretation(noise.get)), ("scaled", interpretation(wrong))]
    before = compare_interpretations(parts)
    for number in range(3):
        parts.append((f"useless {number}", random_interpretation(random, coverage=random.random())))
        after = compare_interpretations(parts)
        assert after.best.name == before.best.name
        assert after.corrected(after.best) < before.corrected(before.best)
        before = after


def test_where_no_spread_is_known_there_is_no_evidence():
    targets = [
        printed_value(each.method, each.mean, each.dataset, std=math.nan, n_splits=None)
        for each in PRINTED
    ]
    values = {
        (each.dataset, name, each.ours): (each.mean / 100,)
        for each in targets
        for name in (each.method, f"{each.method} tree")
    }
    comparison = compare_values(MeasuredValues("x", values), "lee", targets)
    compared = compare_interpretations([("", comparison)])
    assert compared.best.evidence(compared.numbers).log10 == 0.0
    assert math.isnan(compared.best.explained(compared.numbers).evidence.share)
    assert "No evidence from 24 numbers" in " ".join(interpretation_tables(compared)[0].notes)


def test_a_printed_number_without_deviation_has_that_of_ours():
    targets = [printed_value("A", 60.0, each, std=math.nan, n_splits=3) for each in DATASETS]
    values = {
        (each.dataset, name, each.ours): (0.59, 0.6, 0.61) for each in targets for name in "A"
    }
    values |= {(each.dataset, "A off", each.ours): (0.69, 0.7, 0.71) for each in targets}
    comparison = compare_values(MeasuredValues("x", values), "lee", targets)
    compared = compare_interpretations([("", comparison)])
    assert compared.best.name == "as named"
    assert compared.corrected(compared.best) > 2


def test_times_and_numbers_that_are_no_targets_do_not_count():
    targets = [
        printed_value("A", 60.0, "Birds"),
        printed_value("B", 60.0, "Birds", objections=("a copy",)),
        printed_value("A", 60.0, "Birds", metric="seconds", unit="seconds", ours="seconds_fit"),
    ]
    values = {
        ("Birds", name, ours): (0.59, 0.6, 0.61)
        for name in ("A", "B", "A tree")
        for ours in ("macro_auc", "seconds_fit")
    }
    comparison = compare_values(MeasuredValues("x", values), "lee", targets)
    compared = compare_interpretations([("", comparison)])
    assert [(each.method, each.metric) for each in compared.numbers] == [("A", "auc")]


def test_wrong_input():
    with pytest.raises(
        MlbenchError, match="1 of 2 or more interpretations have numbers to compare"
    ):
        compare_interpretations([("raw", interpretation(right))])
    with pytest.raises(
        MlbenchError, match=r"'raw' has A on Birds twice, in a and b; .*NAME=FOLDER"
    ):
        compare_interpretations([("raw", interpretation(right, source=each)) for each in "ab"])


def test_folders_that_share_numbers_get_names_and_others_are_parts_of_one_interpretation():
    def names(**datasets):
        parts = [
            interpretation(
                right, [each for each in PRINTED if each.dataset == dataset], source=source
            )
            for source, dataset in datasets.items()
        ]
        return names_of_parts(parts)

    assert names(**{"runs/birds": "Birds", "runs/scene": "Scene"}) == ["", ""]
    assert names(**{"runs/raw/": "Birds", "runs/scaled": "Birds"}) == ["raw", "scaled"]
    assert names(**{"raw/x": "Birds", "scaled/x": "Birds"}) == ["raw/x", "scaled/x"]


@pytest.fixture
def compared():
    return compare_interpretations(
        [("scaled", interpretation(wrong)), ("raw", interpretation(right_on("Birds", "Scene")))]
    )


def test_the_tables(compared):
    joint, methods, datasets, held_out = interpretation_tables(compared)
    (raw, scaled) = joint.rows
    assert [cell.printed for cell in raw.cells[:4]] == ["12", "6", "0", "6"]
    assert (raw.labels, raw.cells[-1].printed) == (("raw",), "—")
    assert scaled.cells[-1].printed == "12"
    assert "less 0.30 for the choice among 2 interpretations" in joint.notes[0]
    assert [row.cells[0].printed for row in methods.rows] == ["2 / 4"] * 3
    assert {row.labels[0]: row.cells[0].bold for row in datasets.rows} == {
        "Birds": True,
        "Scene": True,
        "Yeast": False,
        "Flags": False,
    }
    assert [cell.printed for cell in held_out.rows[0].cells[:5]] == ["raw", "3", "3", "0", "0"]
    assert held_out.rows[-1].labels == ("all",)


def test_only_the_best_interpretations_have_columns():
    parts = [
        (f"off {points}", interpretation(lambda _, points=points: points)) for points in range(8)
    ]
    _, methods, _, _ = interpretation_tables(compare_interpretations(parts))
    assert [column.title for column in methods.columns] == [f"off {points}" for points in range(6)]
    assert methods.notes == ("The 6 best interpretations. The JSON output has all of them.",)


def test_plain_values(compared):
    plain = interpretations_as_plain(compared)
    raw = plain["interpretations"][0]
    assert (raw["interpretation"], raw["n"], raw["reproduced"], raw["to_best"]) == (
        "raw",
        12,
        6,
        0.0,
    )
    assert raw["corrected"] == pytest.approx(raw["log10"] - math.log10(2))
    assert len(plain["methods"]) == 2 * len(METHODS)
    assert len(plain["datasets"]) == 2 * len(DATASETS)
    assert [each["dataset"] for each in plain["held_out"]] == list(DATASETS)
    far = [each for each in plain["figures"] if each["interpretation"] == "scaled"]
    assert len(far) == 12
    assert all(each["log10_ratio"] < 0 for each in far)
