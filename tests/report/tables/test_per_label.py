"""Tables of single labels: means over the splits in which a label has the score."""

from __future__ import annotations

from statistics import stdev

import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.errors import MlbenchError
from mlbench.report.render import RENDERERS
from mlbench.report.tables.per_label import label_tables
from tests.rows import make_row

CELLS = [("toy", "BR", 0, "a"), ("toy", "BR", 1, "b"), ("toy", "kNN", 0, "c")]
CELLS += [("toy", "kNN", 1, "d")]
PRECISION = MetricColumn("macro_precision", "Macro precision")
METRICS = (PRECISION, MetricColumn("macro_auc", "Macro AUC"))
SETTINGS = ReportSettings(metrics=METRICS, n_splits=2, percent=True)


def row(auc, tp=(3, 0)):
    by_label = {
        "names": ["sad", "calm"],
        "train_positives": [9, 2],
        "tp": list(tp),
        "fp": [1, 0],
        "fn": [1, 1],
        "auc": auc,
        "average_precision": auc,
    }
    return make_row(by_label=by_label)


ROWS = {"a": row([0.9, 0.5]), "b": row([0.7, None], tp=(1, 0)), "c": row([0.8, None])}


def test_a_row_for_each_label_and_a_column_for_each_method():
    precision, auc = label_tables(CELLS, ROWS, SETTINGS, ["toy"])
    assert precision.title == "Precision of each label of toy"
    assert precision.notes[0].startswith("Mean ± standard deviation (ddof = 1), in percent, over")
    assert [column.title for column in auc.columns] == ["Training", "Test", "BR", "kNN"]
    assert [row.labels for row in auc.rows] == [("sad",), ("calm",)]
    printed = [[cell.printed for cell in row.cells] for row in auc.rows]
    assert printed == [["9.0", "3.3", "80.00 ± 14.14", "80.00"], ["2.0", "1.0", "50.00", "—"]]
    assert precision.rows[0].cells[2].value == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert precision.rows[1].cells[2].printed == "—"


def test_records_are_unrounded():
    records = label_tables(CELLS, ROWS, SETTINGS, ["toy"])[1].records
    first = dict(records[0])
    assert first.pop("std") == pytest.approx(stdev([0.9, 0.7]))
    assert first.pop("mean") == pytest.approx(0.8)
    assert first.pop("test_positives") == pytest.approx(10 / 3)
    assert first == {
        "dataset": "toy",
        "label": "sad",
        "train_positives": 9,
        "metric": "auc",
        "method": "BR",
        "n": 2,
    }


@pytest.mark.parametrize("form", RENDERERS)
def test_every_form(form):
    for table in label_tables(CELLS, ROWS, SETTINGS, ["toy"]):
        assert "calm" in RENDERERS[form](table)


def test_older_rows_are_counted_and_alone_refused():
    (*_, note) = label_tables(CELLS, {**ROWS, "d": make_row()}, SETTINGS, ["toy"])[0].notes
    assert note == "1 row has no scores of labels, because an older version computed them."
    with pytest.raises(MlbenchError, match=r"older version.*`mlbench rescore --per-label`"):
        label_tables(CELLS, {"a": make_row()}, SETTINGS, ["toy"])


def test_metrics_that_no_label_has_are_refused():
    settings = ReportSettings(metrics=(MetricColumn("micro_f1", "Micro F1"),), n_splits=2)
    with pytest.raises(MlbenchError, match=r"labels have scores in macro_f1, .*--metric"):
        label_tables(CELLS, ROWS, settings, ["toy"])
