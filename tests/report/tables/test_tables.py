from __future__ import annotations

import dataclasses

import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.errors import MlbenchError
from mlbench.report.render import RENDERERS
from tests.report.experiment_tables import experiment_tables


def grid(datasets, methods, metrics, splits=2):
    return [
        (dataset, method, split, metric, 0.5 + 0.01 * split)
        for dataset in datasets
        for method in methods
        for metric in metrics
        for split in range(splits)
    ]


def tables(datasets, metrics, methods=("A", "B"), **settings):
    columns = tuple(MetricColumn(name, name.upper()) for name in metrics)
    chosen = ReportSettings(metrics=columns, n_splits=2, **settings)
    return experiment_tables(grid(datasets, methods, metrics), (), chosen)


def test_one_data_set_has_its_metrics_in_columns():
    (made,) = tables(["flags"], ["f", "g", "h"])
    assert [column.title for column in made.columns] == ["F", "G", "H"]
    assert not made.has_groups
    assert made.title == "Scores on flags"


def test_methods_of_which_no_cell_has_run_are_named_below():
    chosen = ReportSettings(
        metrics=(MetricColumn("f", "F"),), n_splits=2, methods=("A", "B", "C", "D")
    )
    (made,) = experiment_tables(grid(["flags"], ["A", "B"], ["f"]), (), chosen)
    assert [row.labels for row in made.rows] == [("A",), ("B",)]
    assert "Not shown, since no cell has run: C and D." in made.notes
    assert not any("missing" in note for note in made.notes)


def test_a_few_data_sets_stand_over_their_metrics():
    (made,) = tables(["flags", "yeast"], ["f", "g"])
    assert [(column.group, column.title) for column in made.columns] == [
        ("flags", "F"),
        ("flags", "G"),
        ("yeast", "F"),
        ("yeast", "G"),
    ]


def test_more_give_a_table_per_metric():
    made = tables(["a", "b", "c", "d"], ["f", "g"])
    assert [table.name for table in made] == ["scores-f", "scores-g"]
    assert [column.title for column in made[0].columns] == ["a", "b", "c", "d"]


def test_many_data_sets_stand_in_rows():
    names = [f"set{i}" for i in range(14)]
    (made,) = tables(names, ["f"])
    assert made.corner == ("Data set",)
    assert [row.labels[0] for row in made.rows] == names
    assert [column.title for column in made.columns] == ["A", "B"]
    assert all(cell.bold for row in made.rows for cell in row.cells)


def test_order_and_choice_of_methods():
    (made,) = tables(["flags"], ["f"], methods=("A", "B"))
    assert [row.labels[0] for row in made.rows] == ["A", "B"]
    columns = (MetricColumn("f", "F"),)
    chosen = ReportSettings(metrics=columns, n_splits=2, methods=("B",))
    (made,) = experiment_tables(grid(["flags"], ["A", "B"], ["f"]), (), chosen)
    assert [row.labels[0] for row in made.rows] == ["B"]


def test_every_table_has_another_name_that_fits_a_file():
    twice = (Comparison(method="A", against=("B",)), Comparison(method="A", against=("B", "C+(x)")))
    made = tables(["flags"], ["f@mulan"], methods=("A", "B", "C+(x)"), comparisons=twice)
    names = [table.name for table in made]
    assert names == ["scores", "compare-a-f-mulan", "compare-a-f-mulan-2"]


def test_splits_that_differ_between_data_sets_are_stated(frames, settings):
    chosen = dataclasses.replace(settings, n_splits={"emotions": 10, "flags": 12})
    table = experiment_tables(*frames, chosen)[0]
    assert "over 10 splits (emotions) and 12 splits (flags)" in table.notes[0]


def test_a_test_that_was_asked_for_and_not_made_is_stated(frames, settings):
    asked = Comparison(method="SMTL(l21)", against=("BR_tree",), test=("corrected_t",))
    chosen = dataclasses.replace(settings, comparisons=(asked,), test_train_ratio={"flags": 0.5})
    table = experiment_tables(*frames, chosen)[0]
    assert any("SMTL(l21) is not tested on emotions" in note for note in table.notes)


def test_an_experiment_without_a_single_score_still_has_its_tables(frames, settings):
    values, statuses = frames
    made = experiment_tables(values[:0], [(*cell, "crash") for *cell, _ in statuses], settings)
    assert made[0].rows[0].cells[0].printed == "— (10 crashes)"
    assert "there are fewer than two splits on which both have a score" in " ".join(made[0].notes)
    assert not any("significantly" in note for note in made[0].notes)
    assert made[1].rows == ()
    assert made[1].notes == (
        "Macro F1 is not tested: fewer than two splits on which both methods have a score.",
    )
    assert len(made[1].records) == 12
    nothing = dataclasses.replace(
        settings, methods=("SMTL(l21)", "BR_tree", "ECC 50%"), datasets=("emotions",)
    )
    made = experiment_tables(values[:0], statuses[:0], nothing)
    assert made[0].rows[2].cells[0].printed == "— (10 missing)"
    for table in made:
        assert all(render(table) for render in RENDERERS.values())


def test_what_does_not_fit_is_refused(frames, settings):
    values, statuses = frames
    with pytest.raises(MlbenchError, match="'flags' is not stated"):
        experiment_tables(*frames, dataclasses.replace(settings, n_splits={"emotions": 10}))
    with pytest.raises(MlbenchError, match="has 10 splits, but the experiment has 5"):
        experiment_tables(*frames, dataclasses.replace(settings, n_splits=5))
    with pytest.raises(MlbenchError, match="two values of macro_f1 for emotions/"):
        experiment_tables(values + values[:1], statuses, settings)
    wrong = Comparison(method="SMTL(l21)", against=("BR_three",))
    with pytest.raises(MlbenchError, match="did you mean 'BR_tree'"):
        experiment_tables(*frames, dataclasses.replace(settings, comparisons=(wrong,)))


def test_rows_without_a_metric_are_not_scored(frames, settings):
    newer = dataclasses.replace(settings, metrics=(MetricColumn("log_loss", "Log loss"),))
    scores = experiment_tables(*frames, newer)[0]
    printed = [row.cells[1].printed for row in scores.rows]
    assert printed == ["— (10 not scored)", "— (9 memory, 1 missing)", "— (10 not scored)"]
