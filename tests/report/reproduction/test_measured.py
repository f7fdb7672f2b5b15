"""Interpretation what was measured, from rows and from exported files."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.errors import StoreError
from mlbench.report.reproduction.measured import MeasuredFolder
from mlbench.results.results import Results
from tests.plans import make_plan
from tests.rows import make_row

HEAD = "dataset,method,split,metric,value\n"


def test_values_come_from_the_rows_of_finished_cells():
    row = make_row(metrics={"macro_f1": 0.5, "macro_auc": None}, seconds={"fit": 2.0})
    failed = make_row(status="timeout")
    splits = {"kind": "random", "train": 0.6, "test": None, "repeats": 2, "seed": 1}
    a, b, c = (letter * 64 for letter in "abc")
    plan = make_plan(
        ["Emotions"],
        ["BR", "LP"],
        cells=[["Emotions", "BR", 0, a], ["Emotions", "BR", 1, b], ["Emotions", "LP", 0, c]],
        published="ke",
        protocol={"splits": splits},
    )
    folder = MeasuredFolder(Results(Path("runs/x"), plan, {a: row, b: failed}))
    assert (folder.source, folder.paper) == ("runs/x", "ke")
    found = folder.read()
    assert "2 random splits, 60 % to train" in found.protocol
    assert found.values == {
        ("Emotions", "BR", "macro_f1"): (0.5,),
        ("Emotions", "BR", "seconds_fit"): (2.0,),
    }
    assert list(folder.read({"macro_auc"}).values) == [("Emotions", "BR", "seconds_fit")]


def test_a_name_may_have_more_than_one_line(tmp_path):
    (tmp_path / "scores.csv").write_text(HEAD + '"a\nb",M\u2028N,0,micro_f1,0.5\n')
    assert MeasuredFolder(tmp_path).read().values == {("a\nb", "M\u2028N", "micro_f1"): (0.5,)}


def test_exported_scores_and_seconds_are_read_together(tmp_path):
    (tmp_path / "scores.csv").write_text(HEAD + "a,M,0,micro_f1,0.5\na,M,1,micro_f1,\n")
    (tmp_path / "seconds.csv").write_text(HEAD.replace("metric", "step") + "a,M,0,fit,3\n")
    assert MeasuredFolder(tmp_path).paper is None
    found = MeasuredFolder(tmp_path).read()
    assert found.values == {("a", "M", "micro_f1"): (0.5,), ("a", "M", "seconds_fit"): (3.0,)}
    assert (found.datasets, found.methods) == (["a"], ["M"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"scores.csv:1: the columns must be dataset,method,split,metric,value"),
        ("a,b\n", r"scores.csv:1: the columns"),
        (HEAD + "a,M,0,f1\n", r"scores.csv:2: 4 fields instead of 5"),
        (HEAD + "a,M,0,f1,x\n", r"scores.csv:2: the value must be a number or empty, not 'x'"),
        (HEAD + "a,M,0,f1,inf\n", r"scores.csv:2: the value must be finite"),
        (HEAD + "a,M,one,f1,1\n", r"scores.csv:2: the split must be a number from 0, not 'one'"),
        (HEAD + "a,M,0,macro_f1@meka,-1\n", r"scores.csv:2: macro_f1@meka is between 0 and 1"),
        (HEAD + "a,M,0,macro_f1,95\n", r"scores.csv:2: macro_f1 is between 0 and 1, not 95"),
        (HEAD + "a,M,0,f1,1\na,M,0,f1,1\n", r"scores.csv:3: repeats line 2: a, M, 0, f1"),
    ],
)
def test_damaged_exports_are_named_by_file_and_line(tmp_path, text, message):
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(StoreError, match=message):
        MeasuredFolder(tmp_path).read()


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "scores.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(StoreError, match=r"scores.csv: not a text file in UTF-8"):
        MeasuredFolder(tmp_path).read()


def test_an_export_says_where_its_protocol_stands(tmp_path):
    (tmp_path / "scores.csv").write_text(HEAD)
    (tmp_path / "experiment.yaml").write_text("published: ke\n")
    assert MeasuredFolder(tmp_path).read().protocol.endswith("experiment.yaml.")


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(StoreError, match=r"neither the plan.json of `mlbench run` nor a"):
        MeasuredFolder(tmp_path).read()
