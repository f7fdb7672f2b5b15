"""An exported folder opens like the run that it was exported from."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

import mlbench as mb
from mlbench.cli.export_folder import write_folder
from mlbench.errors import StoreError
from mlbench.hashing import digest
from mlbench.results.exported import export_of_texts, export_texts
from mlbench.results.reference import reference_of
from mlbench.results.reference_file import reference_text
from mlbench.results.results import Results
from mlbench.store.plain_values import exported_text, from_exported_text
from tests.exports import without_hashes
from tests.plans import make_plan
from tests.rows import make_row

MINE = """
import mlbench
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Moody(ClassifierMixin, BaseEstimator):
    def fit(self, X, Y):
        if X[:, 20].sum() % 2 > 0:
            raise ValueError("not today")
        self.n_labels_ = Y.shape[1]
        return self

    def decision_function(self, X):
        return X[:, 20 : 20 + self.n_labels_] - 8

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


class Slow(Moody):
    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, Y):
        self.n_labels_ = Y.shape[1]
        self.fit_report_ = {"converged": False, "gap": 0.25 / self.depth, "iterations": 7}
        return self


@mlbench.metric(greater_is_better=True, range=(0, 1), needs="labels")
def hits(Y, scores, labels):
    return float((Y == labels).mean())
"""
EXPERIMENT = """
name: troubled
datasets: [digits, {use: digits, as: again, train: 60}]
protocol:
  splits: {train: 40, test: 100, repeats: 4}
  tuning: {folds: 2, patience: 1}
methods:
  ML-kNN: {use: mlknn, tune: {k: [5, 7, 9]}}
  BR: {use: br, base: logistic, tune: {C: [0.1, 10.0]}}
  Slow: {use: "mine.py:Slow", tune: {depth: [1, 2]}}
  F1: {use: br, base: logistic, threshold: train_f1_label}
  Moody: {use: "mine.py:Moody"}
metrics: [macro_f1, macro_auc, log_loss, "mine.py:hits"]
report: {metrics: [macro_f1, macro_auc, "mine.py:hits"]}
tests:
  - {method: ML-kNN, test: [corrected_t, wilcoxon], over_datasets: [friedman, win_tie_loss]}
  - {method: BR, against: [F1, Moody], effect: [rope, a12]}
"""
OF_SEARCH = ("given_away", "grid_ends", "few_folds", "equal_means")
FORMS = ("text", "markdown", "latex", "csv")


@pytest.fixture(scope="module")
def lab(make_lab, tmp_path_factory):
    lab = make_lab(tmp_path_factory.mktemp("exported"))
    lab.write("mine.py", MINE)
    lab.write("troubled.yaml", EXPERIMENT)
    ran = lab.mlbench("run", "troubled.yaml", "--allow-import")
    assert ran.returncode == 1, ran.stderr
    exported = lab.mlbench("export", "runs/troubled", "--folder", "kept")
    assert exported.returncode == 0, exported.stderr
    for path in sorted((lab.folder / "runs/troubled/rows").rglob("*.json"))[:2]:
        path.unlink()
    exported = lab.mlbench("export", "runs/troubled", "--folder", "fewer")
    assert exported.returncode == 0, exported.stderr
    return lab


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "more", [(), ("--times",), ("--metric", "log_loss", "--metric", "macro_f1")]
)
def test_its_tables_are_those_of_the_run(lab, form, more):
    run = lab.mlbench("report", "runs/troubled", "--format", form, *more)
    export = lab.mlbench("report", "fewer", "--format", form, *more)
    assert "Moody" in run.stdout
    assert (export.stdout, export.returncode) == (run.stdout, run.returncode)


@pytest.mark.parametrize("what", ["scores", "params", "counts", "fit", "seconds"])
def test_its_numbers_are_those_of_the_run(lab, what):
    run = lab.mlbench("export", "runs/troubled", "--what", what).stdout.splitlines()
    export = lab.mlbench("export", "fewer", "--what", what).stdout.splitlines()
    of_run, of_export = (
        {line.rpartition(",")[0]: line for line in lines} for lines in (run, export)
    )
    assert {*of_export} <= {*of_run}
    assert what == "scores" or {*of_export} == {*of_run}
    for place, line in of_export.items():
        if line != of_run[place]:  # times and reports of fits have fewer digits
            kept, whole = (float(each.rpartition(",")[2]) for each in (line, of_run[place]))
            assert kept == pytest.approx(whole, rel=1e-8, abs=1e-6)
            assert what in ("fit", "seconds")


def test_it_can_be_audited_without_its_run(lab):
    run, export = (mb.open_results(lab.folder / place) for place in ("runs/troubled", "fewer"))
    assert export.searches == run.searches
    assert {metric for each in run.searches.values() for metric in each.given_away} == {
        "macro_auc",
        "log_loss",
        "mine.py:hits",
    }
    assert {parameter for each in run.searches.values() for parameter in each.grid_ends} >= {"C"}
    for key, row in export.rows.items():
        of_run = run.rows[key].metrics
        assert row.metrics == {name: of_run[name] for name in row.metrics}
        controls = {"macro_f1@share", "macro_f1@sklearn", "cut_ratio", "auc_tie_share"}
        assert controls <= row.metrics.keys() or not row.is_ok


def test_controls_that_older_rows_of_a_method_lack_are_left_out(lab, tmp_path):
    run = mb.open_results(lab.folder / "runs/troubled")
    old = next(key for key, row in run.rows.items() if row.method == "BR" and row.is_ok)
    metrics = {name: v for name, v in run.rows[old].metrics.items() if name != "macro_f1@share"}
    mixed = replace(run, rows={**run.rows, old: replace(run.rows[old], metrics=metrics)})
    write_folder(mixed, tmp_path / "kept")
    for row in mb.open_results(tmp_path / "kept").rows.values():
        is_like = (row.dataset, row.method) == (run.rows[old].dataset, "BR")
        assert ("macro_f1@share" in row.metrics) == (row.is_ok and not is_like)
        assert "micro_f1@share" in row.metrics or not row.is_ok


def test_a_folder_of_an_older_version_opens_without_controls(lab, tmp_path):
    folder = without_hashes(copied(lab, tmp_path))
    (folder / "controls.csv").unlink()
    cells = [*csv.DictReader((folder / "cells.csv").open(newline=""))]
    with (folder / "cells.csv").open("w", newline="") as file:
        names = [name for name in cells[0] if name not in OF_SEARCH]
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(cells)
    found = mb.open_results(folder)
    assert found.searches == {}
    assert all("macro_f1@share" not in row.metrics for row in found.rows.values())


def test_numbers_of_an_older_version_are_a_line_each(lab, tmp_path):
    for path in (lab.folder / "kept").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for what, heading in (("seconds", "step"), ("fit", "entry")):
        long = lab.mlbench("export", "kept", "--what", what).stdout
        assert long.startswith(f"dataset,method,split,{heading},value\n")
        (tmp_path / f"{what}.csv").write_text(long)
    older, kept = mb.open_results(without_hashes(tmp_path)), mb.open_results(lab.folder / "kept")
    assert older.seconds().equals(kept.seconds())
    assert older.fit().equals(kept.fit())


def test_figures_and_checks_take_it(lab):
    for words in (
        ("figure", "{}", "--kind", "bars", "--format", "json"),
        ("check", "{}", "--against", "fewer/reference.json", "--format", "json"),
    ):
        run, export = (
            lab.mlbench(*(word.format(place) for word in words))
            for place in ("runs/troubled", "fewer")
        )
        assert (export.stdout, export.returncode) == (run.stdout, run.returncode)


def test_a_comparison_of_a_run_with_its_export_finds_the_same_cells(lab):
    compared = lab.mlbench("compare", "kept", "runs/troubled", "--metric", "macro_f1")
    assert "The same cells with the same scores" in compared.stdout


def test_an_export_of_an_export_is_the_same(lab):
    done = lab.mlbench("export", "kept", "--folder", "again")
    assert done.returncode == 0, done.stderr
    for path in (lab.folder / "kept").iterdir():
        if path.name != "reference.json":
            assert (lab.folder / "again" / path.name).read_bytes() == path.read_bytes()


def test_its_rows_depend_on_what_those_of_the_run_do(lab):
    for key, row in mb.open_results(lab.folder / "kept").rows.items():
        assert digest(row.identity) == key


@pytest.mark.parametrize(
    ("words", "lacking"),
    [
        (("report", "kept", "--per-label"), "scores of single labels"),
        (("figure", "kept", "--kind", "tuning"), "the grids of searches"),
        (("rescore", "kept"), "predictions"),
    ],
)
def test_what_it_lacks_is_said(lab, words, lacking):
    refused = lab.mlbench(*words)
    assert refused.returncode == 2
    assert lacking in refused.stderr
    assert "give the results folder of the run" in refused.stderr


def test_its_page_says_what_happened(lab):
    made = lab.mlbench("report", "kept", "--html", "page.html")
    assert made.returncode == 1, made.stderr
    assert "not today" in (lab.folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("cells.csv", "dataset,", "data,", "cells.csv:1: the columns must begin with dataset"),
        ("cells.csv", ",0,ok,", ",x,ok,", "cells.csv:2: the split must be a number"),
        (
            "cells.csv",
            ",0,ok,,",
            ",0,ok,,no JSON",
            r"cells.csv: damaged \(JSONDecodeError.*digits/ML-kNN/0",
        ),
        ("export.json", '"experiment"', '"experience"', "export.json: damaged"),
        ("cells.csv", ",1,ok,", ",0,ok,", "cells.csv:3: a second line of digits/ML-kNN/0"),
        (
            "cells.csv",
            ",0,ok,",
            ",0,error,",
            r"cells.csv:2: digits/ML-kNN/0 has another status in reference.json",
        ),
        (
            "scores.csv",
            "macro_f1,0.",
            "macro_f1,0.0",
            r"scores.csv:\d+: digits/ML-kNN/0 has another macro_f1 in reference.json",
        ),
        (
            "seconds.csv",
            "ML-kNN,0,0",
            "ML-kNN,0,-0",
            r"seconds.csv:\d+: cpu cannot be negative, as '-",
        ),
        ("seconds.csv", ",fit,", ",cpu,", "seconds.csv:1: there are two columns of one name"),
        (
            "seconds.csv",
            "split,",
            "part,",
            "seconds.csv:1: the columns must be dataset,method,split",
        ),
        ("seconds.csv", "ML-kNN,0,", "ML-kNN,0,,", r"seconds.csv:2: \d+ fields instead of \d+"),
        ("scores.csv", "ML-kNN,0,", "ML-kNN,7,", "digits/ML-kNN/7 is not a cell of cells.csv"),
        ("export.json", '"mlbench_export": 1', '"mlbench_export": 9', "written in form 9"),
        ("export.json", '"n_splits": 4', '"n_splits": 0', "export.json: damaged"),
        (
            "export.json",
            '"n_splits": 4',
            '"n_splits": 9',
            "n_splits is 9, and its experiment has 4",
        ),
        ("scores.csv", "ML-kNN,0,", "ML-kNN,00,", "the split must be a number from 0, not '00'"),
        ("scores.csv", "ML-kNN,0,", f"ML-kNN,{'9' * 5000},", "the split must be a number from 0"),
        ("scores.csv", "macro_f1,0.", "macro_f1,0._", "the value must be a number or empty"),
        ("cells.csv", ",0,ok,", ",\u0661,ok,", "cells.csv:2: the split must be a number"),
    ],
)
def test_a_damaged_export_is_refused(lab, tmp_path, name, old, new, message):
    for path in (lab.folder / "kept").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    text = (tmp_path / name).read_text()
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new, 1))
    with pytest.raises(StoreError, match=message):
        mb.open_results(tmp_path)


def copied(lab, folder):
    for path in (lab.folder / "kept").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_a_file_that_was_cut_short_is_refused(lab, tmp_path):
    scores = copied(lab, tmp_path) / "scores.csv"
    scores.write_text(scores.read_text()[:-3])
    with pytest.raises(StoreError, match=r"scores\.csv:\d+: the file was cut short"):
        mb.open_results(tmp_path)


def test_scores_that_the_reference_has_alone_are_missed(lab, tmp_path):
    scores = copied(lab, tmp_path) / "scores.csv"
    kept = [line for line in scores.read_text().splitlines(True) if ",ML-kNN,0," not in line]
    scores.write_text("".join(kept))
    with pytest.raises(StoreError, match=r"scores\.csv:1: digits/ML-kNN/0 has no \w+, which st"):
        mb.open_results(tmp_path)


def test_a_cell_that_failed_has_no_scores(make_folder, tmp_path):
    write_folder(make_folder({"A": [0.5, "timeout"]}), tmp_path / "kept")
    scores = tmp_path / "kept/scores.csv"
    scores.write_text(f"{scores.read_text()}toy,A,1,macro_f1,0.9\n")
    with pytest.raises(StoreError, match=r"scores\.csv:3: toy/A/1 has scores, and is timeout in"):
        mb.open_results(tmp_path / "kept")


def test_metrics_of_different_splits_are_refused(lab, tmp_path):
    scores = copied(lab, tmp_path) / "scores.csv"
    scores.write_text(f"{scores.read_text()}digits,ML-kNN,0,example_f1,0.5\n")
    with pytest.raises(StoreError, match="are of different splits"):
        mb.open_results(tmp_path)


@pytest.mark.parametrize("name", ["export.json", "cells.csv", "scores.csv"])
def test_a_link_is_not_followed(lab, tmp_path, name):
    file = copied(lab, tmp_path) / name
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match=rf"{name}: cannot be read: a symbolic link"):
        mb.open_results(tmp_path)


@pytest.mark.parametrize("text", ["nan", "1e5", "True", "", "-3", "[1]", '"quoted"', "rbf", "[x"])
def test_a_text_comes_back_as_a_text(text):
    assert from_exported_text(exported_text(text)) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("", None), ("True", True), ("-3", -3), ("0.5", 0.5), ('{"a":[1]}', {"a": [1]}), ("[x", "[x")],
)
def test_fields_are_read_as_they_were_written(text, value):
    found = from_exported_text(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("name", ["a" * 300, "a\0b"])
def test_a_name_that_no_folder_can_have_ends_in_words(name):
    with pytest.raises(StoreError, match="cannot be read: "):
        mb.open_results(name)


def test_a_search_whose_end_is_unknown_stays_unknown_beside_others(tmp_path):
    identity = {"tuning": {"grid": [], "scope": "every-split"}, "split": {"kind": "x", "index": 0}}
    known = make_row("a", tuning={}, method="A")
    older = make_row("b", tuning=None, method="B", identity=identity)
    untuned = make_row("c", tuning=None, method="C")
    rows = {row.key: row for row in (known, older, untuned)}
    cells = [("toy", row.method, 0, row.key) for row in rows.values()]
    results = Results(tmp_path, make_plan(methods="ABC", cells=cells), rows, "export")
    texts = dict(export_texts(results, ["macro_f1"]))
    texts["reference.json"] = reference_text(reference_of(results))
    found = export_of_texts(tmp_path, texts).rows
    assert [found[row.key].tuning is None for row in rows.values()] == [False, True, True]
