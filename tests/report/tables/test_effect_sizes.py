"""Effect sizes in the tables of a comparison, in both layouts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.report.render import RENDERERS
from mlbench.statistics import (
    a12,
    cliffs_delta,
    cohen_d,
    corrected_t,
    mean_difference,
    practical_equivalence,
)
from tests.report.experiment_tables import experiment_tables

EFFECTS = ("difference", "cohen_d", "a12", "cliffs_delta", "rope")
RATIO = 40 / 60


@pytest.fixture
def asked(settings):
    def ask(layout, tests=("t",), **more):
        comparison = settings.comparisons[0].model_copy(
            update={"layout": layout, "effect": EFFECTS, "test": tests}
        )
        return replace(settings, comparisons=(comparison,), **more)

    return ask


def scores(values, method, metric, splits=range(10), dataset="emotions"):
    found = {v[2]: v[4] for v in values if (*v[:2], v[3]) == (dataset, method, metric)}
    return [found[split] for split in splits]


def test_long_tables_have_a_column_per_effect_size(frames, asked):
    table = experiment_tables(*frames, asked("long"))[1]
    titles = [column.title for column in table.columns]
    assert titles[:6] == ["Difference", "Pairs", "95 % interval", "d", "A12", "Cliff's delta"]
    assert titles[6] == "P(better / same / worse)"
    (row,) = (row for row in table.rows if row.labels == ("emotions", "BR_tree"))
    own, tree = (scores(frames[0], name, "macro_f1") for name in ("SMTL(l21)", "BR_tree"))
    found = mean_difference(own, tree, 60, 40)
    rope = practical_equivalence(own, tree, 60, 40)
    assert [cell.printed for cell in row.cells[2:7]] == [
        f"{100 * found.low:+.2f} to {100 * found.high:+.2f}",
        f"{cohen_d(own, tree).value:+.2f}",
        f"{a12(own, tree).value:.2f}",
        f"{cliffs_delta(own, tree).value:+.2f}",
        f"{rope.value:.2f} / {rope.same:.2f} / {rope.worse:.2f}",
    ]
    assert found.low > 0
    assert corrected_t(own, tree, 60, 40).p_value < 0.05


def test_of_a_loss_the_difference_keeps_its_sign_and_a12_says_who_is_better(frames, asked):
    f1, loss = experiment_tables(*frames, asked("long"))[1:3]
    of = [{r.labels: [c.printed for c in r.cells] for r in t.rows} for t in (f1, loss)]
    for d, a in ((3, 4),):
        better, worse = (each["emotions", "BR_tree"] for each in of)
        assert better[d].startswith("+")
        assert worse[d].startswith("-")
        assert better[a] == worse[a]


def test_wide_tables_have_one_of_their_own_per_effect_size(frames, asked):
    made = {t.name: t for t in experiment_tables(*frames, asked("wide"))}
    for effect in EFFECTS:
        table = made[f"compare-smtl-l21-{effect}"]
        assert [row.labels for row in table.rows] == [("BR_tree",), ("ECC 50%",)]
        assert len(table.records) == 2 * 2 * 2
        assert {record["effect"] for record in table.records} == {effect}
    difference = made["compare-smtl-l21-difference"]
    tree, ecc = difference.rows
    assert " to +" in tree.cells[0].printed
    assert ecc.cells[0].marks == ("†",)
    flags = [column.title for column in difference.columns].index("flags")
    assert (tree.cells[flags].printed, tree.cells[flags].marks) == ("—", ("‡", "†"))
    assert any("flags, BR_tree: fewer than 2 pairs" in note for note in difference.notes)
    assert any("in Hamming loss negative" in note for note in difference.notes)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_every_dash_has_a_mark_and_no_nan_is_printed(frames, asked, layout):
    for settings in (asked(layout), asked(layout, test_train_ratio={})):
        for table in experiment_tables(*frames, settings)[1:]:
            for cell in (cell for row in table.rows for cell in row.cells):
                assert "nan" not in cell.printed
                assert "—" not in cell.printed or cell.marks
            for name, render in RENDERERS.items():
                assert "nan" not in render(table), name


def test_without_sizes_the_interval_is_a_dash_with_its_reason(frames, asked):
    table = experiment_tables(*frames, asked("long", test_train_ratio={}))[1]
    assert {row.cells[2].printed for row in table.rows} == {"—"}
    assert any("no ratio of split sizes to correct by" in note for note in table.notes)


def test_an_infinite_score_makes_no_pair(frames, asked):
    values, statuses = frames
    infinite = ("emotions", "BR_tree", 0)
    values = [(*v[:4], float("inf") if v[:3] == infinite else v[4]) for v in values]
    table = experiment_tables(values, statuses, asked("long"))[1]
    (row,) = (row for row in table.rows if row.labels == ("emotions", "BR_tree"))
    assert (row.cells[1].printed, row.cells[1].marks) == ("9", ("†",))
