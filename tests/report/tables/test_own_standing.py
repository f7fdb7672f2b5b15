"""The verdict first says where one's own method stands among others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.hashing import digest
from mlbench.report.tables.own_standing import ordinal
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.results import Results
from mlbench.results.origin import Origin
from tests.audit.experiments import cut, made
from tests.plans import make_plan
from tests.rows import make_row

OTHERS = ("A", "B", "C", "D", "E")


def origin(methods):
    return Origin(
        name="arena",
        written="2026-11-25T10:00:00+00:00",
        sha256="0" * 64,
        is_base=True,
        methods=tuple(methods),
        counts={"ok": 1},
        versions={"mlbench": ("0.2.0",)},
    )


@pytest.fixture
def verdict():
    """Return the sentences of a verdict; scores have a list per method, a score per data set."""

    def verdict(scores, others=OTHERS, shown=None, **settings):
        rows = [
            make_row(
                key=digest([name, i, split]),
                dataset=f"data-{i}",
                method=name,
                split=split,
                metrics={"macro_f1": score + 0.001 * i * split},
                seconds={},
            )
            for name, of in scores.items()
            for i, score in enumerate(of)
            for split in (0, 1)
        ]
        cells = [[row.dataset, row.method, row.split, row.key] for row in rows]
        datasets = dict.fromkeys(row.dataset for row in rows)
        methods = {name: {"use": "br"} for name in scores}
        methods["mine" if "mine" in methods else "A"] |= settings
        plan = make_plan(datasets.keys(), methods, 2, cells).model_copy(
            update={"taken_over": (origin(others),) if others else ()}
        )
        results = Results(Path("run"), plan, {row.key: row for row in rows})
        found = verdict_table(report_data(results, **(shown or {})))
        return [note.removeprefix("Not a controlled comparison (1): ") for note in found.notes]

    return verdict


def shifted(n_datasets, **offsets):
    """Return scores in which the methods are ordered in the same way on all data sets."""
    return {name: [0.3 + 0.01 * i + of for i in range(n_datasets)] for name, of in offsets.items()}


def test_over_data_sets_by_mean_rank(verdict):
    scores = shifted(20, A=0.5, B=0.45, C=0.2, D=0.1, E=0.05, mine=0.3)
    first, *rest = verdict(scores)
    assert first == (
        "mine: 3rd of 6 in Macro F1 by mean rank; better than 2, worse than 1, not told apart "
        "from 2."
    )
    assert any(note.startswith("By mean rank, one's own method is better or") for note in rest)


def test_places_are_among_methods_that_are_not_shown_too(verdict):
    scores = shifted(20, A=0.5, B=0.45, C=0.2, D=0.1, E=0.05, mine=0.3)
    first, *_ = verdict(scores, shown={"methods": ["mine", "A", "D"]})
    assert first == (
        "mine: 3rd of 6 in Macro F1 by mean rank; of those shown, better than 1, worse than 1."
    )
    datasets = [f"data-{i}" for i in range(7)]
    fewer, *_ = verdict(scores, shown={"datasets": datasets})
    assert fewer.startswith("mine: 3rd of 6 in Macro F1 by mean rank over 7 of 20 data sets; ")


def test_where_friedman_finds_no_difference(verdict):
    scores = {"A": [0.5, 0.6, 0.7], "B": [0.6, 0.7, 0.5], "mine": [0.7, 0.5, 0.6]}
    first, *_ = verdict(scores, ("A", "B"))
    assert first == (
        "mine: shared 1st of 3 in Macro F1 by mean rank; not told apart from any (Friedman's test "
        "finds no difference)."
    )


def test_two_data_sets_are_too_few_to_test(verdict):
    first, *_ = verdict(shifted(2, A=0.1, B=0.2, mine=0.0), ("A", "B"))
    assert first == "mine: 3rd of 3 in Macro F1 by mean rank (1)."  # all are of one name


def test_on_one_data_set_by_the_mean(verdict):
    first, *_ = verdict(shifted(1, A=0.1, B=0.2, mine=0.0), ("A", "B"))
    assert first == "mine: 3rd of 3 in Macro F1 on data-0."


def test_a_method_without_a_score_is_counted_apart(verdict):
    scores = {**shifted(3, A=0.1, B=0.2, mine=0.0), "C": [0.5]}
    first, *_ = verdict(scores, ("A", "B", "C"))
    assert first.endswith("; 1 method without a score on some data set.")


def test_every_method_of_ones_own_has_a_sentence(verdict):
    first, second, *_ = verdict(shifted(3, A=0.1, B=0.2, C=0.0), ("A",))
    assert first.startswith("B: 1st of 3 in Macro F1 by mean rank; ")
    assert second.startswith("C: 3rd of 3 in Macro F1 by mean rank; ")


@pytest.mark.parametrize(
    ("n_datasets", "told"),
    [
        (1, "on data-0; better than 1 (2), not comparable with 1 (1)."),
        (5, "by mean rank; not told apart from 1, not comparable with 1 (1)."),
    ],
)
def test_leads_have_the_numbers_of_the_threats_to_them(n_datasets, told):
    methods = {
        "mine": cut(0.6, 0.5, "br", "cv_f1_label", 0.9),
        "B": cut(0.4, 0.45, "lp", ratio=0.2),
        "C": cut(0.2, 0.6, "mlknn", ratio=0.2),
    }
    datasets = [f"data-{n}" for n in range(n_datasets)]
    found = made(methods, datasets, tests=[{"method": "mine"}])
    plan = found.plan.model_copy(update={"taken_over": (origin(["B", "C"]),)})
    first, *_ = verdict_table(report_data(replace(found, plan=plan))).notes
    assert first == f"mine: 1st of 3 in Macro F1 {told}"


def test_no_such_sentence_where_nothing_was_taken_over(verdict):
    first, *_ = verdict(shifted(3, A=0.1, B=0.2), ())
    assert first.startswith("Mean ranks over 3 data sets")


def test_departures_from_the_protocol_are_told(verdict):
    notes = verdict(shifted(2, A=0.1, mine=0.2), ("A",), threshold="train_f1_label")
    assert "mine: threshold train_f1_label, where the base has default." in notes


def test_ordinals():
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th")
    ]
