"""The commands as a user meets them: what they print, and what they say to wrong input."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from mlbench.cli.why import changes_of_identity

EXPERIMENT = """
name: small
datasets:
  - {use: nam-toy, as: two, tasks: 2, samples: 60, dimensions: 4}
  - {use: nam-toy, as: four, tasks: 4, samples: 60, dimensions: 4}
protocol: {splits: {train: 0.5, repeats: 3}}
methods:
  ML-kNN: {use: mlknn, k: 5}
  BR: {use: br, base: logistic}
tests: [{method: BR, test: [t, wilcoxon]}]
"""


@pytest.fixture
def done(lab):
    lab.write("small.yaml", EXPERIMENT)
    finished = lab.mlbench("run", "small.yaml")
    assert finished.returncode == 0, finished.stderr
    lab.printed = finished.stdout
    return lab


def test_a_folder_of_another_experiment_is_refused_by_what_only_reads(done):
    other = ("small.yaml", "--set", "name=other", "--out", "runs/small")
    for command, cell in (("plan", ()), ("why", ("two/BR/0",))):
        refused = done.mlbench(command, other[0], *cell, *other[1:])
        assert refused.returncode == 2
        assert "holds the results of the experiment 'small', not of 'other'" in refused.stderr


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ({"BR": "LR"}, "is that of two/LR/0 now"),
        ({"base: logistic": "C: 7", "BR": "LR"}, "is of no cell: `mlbench prune` removes"),
    ],
)
def test_why_knows_rows_of_a_method_that_is_gone(done, methods, told):
    text = EXPERIMENT
    for old, new in methods.items():
        assert old in text
        text = text.replace(old, new)
    done.write("renamed.yaml", text)
    refused = done.mlbench("why", "renamed.yaml", "two/BR/0")
    assert refused.returncode == 2
    assert told in refused.stderr


def test_why_takes_a_folder_of_runs_and_no_other(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    (done.folder / "bare").mkdir(exist_ok=True)
    (done.folder / "planned" / "slurm").mkdir(parents=True, exist_ok=True)
    for folder, told in (
        ("kept", "kept: not a results folder (it is an exported folder; give the folder of the"),
        ("bare", "bare: not a results folder"),
        ("planned", "planned: not a results folder (nothing has been submitted or run here yet)"),
        ("nowhere", "nowhere: not a results folder"),
    ):
        refused = done.mlbench("why", "small.yaml", "two/BR/0", "--out", folder)
        assert refused.returncode == 2
        assert told in refused.stderr
    new = done.mlbench("why", "small.yaml", "two/BR/0", "--set", "name=new")
    assert new.stdout == "two/BR/0: has not run in runs/new\n"


def test_why_shows_where_long_values_differ():
    then, now = ({"dataset": {"name": "a" * 70 + end}} for end in "bc")
    assert [*changes_of_identity(then, now)] == [
        f"dataset.name ...{'a' * 10}b -> ...{'a' * 10}c",
    ]


def test_why_names_the_splits_that_there_are(done):
    refused = done.mlbench("why", "small.yaml", "two/BR/10")
    assert refused.returncode == 2
    assert "two/BR has the splits 0 to 2" in refused.stderr


def test_run_prints_tables_and_report_prints_them_again(done):
    assert "Macro F1" in done.printed
    assert "over 3 splits" in done.printed
    assert "Wilcoxon" in done.printed
    assert done.mlbench("report", "runs/small").stdout == done.printed


@pytest.mark.parametrize("words", [("report", "runs/small"), ("plan", "small.yaml")])
def test_a_reader_that_has_gone_does_not_mean_that_cells_are_missing(done, words):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        left = done.mlbench(*words, stdout=closed)
    assert left.returncode == 141
    assert "Error" not in left.stderr


@pytest.mark.parametrize(
    ("form", "sign"), [("markdown", "| Method |"), ("latex", r"\toprule"), ("csv", "BR,")]
)
def test_report_in_other_forms(done, form, sign):
    report = done.mlbench("report", "runs/small", "--format", form, "--metric", "micro_f1@mulan")
    assert report.returncode == 0, report.stderr
    assert sign in report.stdout


def test_times_are_printed_on_request(done):
    assert "Mean seconds" not in done.printed
    assert "Mean seconds" in done.mlbench("report", "runs/small", "--times").stdout
    asked = ("report", "runs/small", "--times", "--format", "csv")
    lines = done.mlbench(*asked).stdout.split("dataset,method,seconds_tune")[1].splitlines()
    assert [line.split(",")[:2] for line in lines[1:5]] == [
        [dataset, method] for dataset in ("two", "four") for method in ("ML-kNN", "BR")
    ]


def test_an_export_of_fits_says_where_no_method_reports_on_them(done):
    exported = done.mlbench("export", "runs/small", "--what", "fit")
    assert exported.stdout == "dataset,method,split,entry,value\n"
    assert exported.stderr == "no method reports on its fits\n"
    assert not done.mlbench("export", "runs/small", "--what", "params").stderr


def test_export_is_a_long_csv_with_every_cell(done):
    lines = list(csv.DictReader(io.StringIO(done.mlbench("export", "runs/small").stdout)))
    assert list(lines[0]) == ["dataset", "method", "split", "metric", "value"]
    cells = {(line["dataset"], line["method"], line["split"]) for line in lines}
    assert len(cells) == 2 * 2 * 3
    assert {"macro_f1", "macro_f1@mulan", "macro_auc"} <= {line["metric"] for line in lines}


def test_status_shows_a_table_once_where_there_is_no_terminal(done):
    table = done.mlbench("status", "runs/small", "--watch").stdout
    assert "12 of 12 cells" in table
    assert table.count("3/3") == 4


def test_status_and_plan_count_cells(done):
    state = json.loads(done.mlbench("status", "runs/small", "--format", "json").stdout)
    assert (state["cells"], state["counts"], state["failures"]) == (12, {"ok": 12}, [])
    listed = json.loads(done.mlbench("plan", "small.yaml", "--format", "json").stdout)
    assert {cell["state"] for cell in listed["cells"]} == {"ok"}
    more = done.write("more.yaml", EXPERIMENT.replace("repeats: 3", "repeats: 5"))
    plan = done.mlbench("plan", str(more), "--out", "runs/small")
    assert "8 cells to run" in plan.stdout
    assert "unknown" not in plan.stdout


def test_figure_draws_along_the_number_in_which_data_sets_differ(done):
    pytest.importorskip("matplotlib")
    figure = done.mlbench("figure", "runs/small", "--metric", "misclassification")
    assert figure.returncode == 0, figure.stderr
    assert "tasks=4" in figure.stdout
    picture = (done.folder / "runs/small/figure.svg").read_text()
    assert picture.startswith("<?xml")
    times = done.mlbench("figure", "runs/small", "--seconds", "fit", "--out", "times.png")
    assert "slope" in times.stdout
    assert (done.folder / "times.png").read_bytes().startswith(b"\x89PNG")


def test_unfinished_results_are_reported_as_such(done):
    (first, *_) = sorted((done.folder / "runs/small/rows").glob("*/*.json"))
    first.unlink()
    report = done.mlbench("report", "runs/small")
    assert report.returncode == 1
    assert "1 missing" in report.stdout + report.stderr


def test_config_schema_is_json_and_validate_is_quiet_about_a_good_file(done):
    schema = json.loads(done.mlbench("config", "schema").stdout)
    assert {"name", "datasets", "methods"} <= set(schema["properties"])
    validated = done.mlbench("config", "validate", "small.yaml")
    assert (validated.returncode, validated.stderr) == (0, "")


WRONG = [
    (["run", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
    (["run", "quickstrat"], "did you mean 'quickstart'?"),
    (["run", "bad.yaml"], "bad.yaml:3:1: protcol: unknown key (did you mean 'protocol'?)"),
    (["run", "values.yaml"], "values.yaml:3:27: methods.M.k: MLkNN: k must be a whole number"),
    (["run", "tasks.yaml"], "tasks.yaml:3:11: methods.M: digits: MultiTaskLSPC learns one label"),
    (["run", "missing.yaml"], "missing.yaml:2:12: cannot find mediamill/mediamill.arff"),
    (["run", "large.yaml"], "large.yaml:3:12: protocol.splits: digits: "),
    (["report", "runs/nothing"], "not a results folder"),
    (["status", "."], "not a results folder"),
    (["export", "runs/small", "--metric", "macrof1"], "did you mean 'macro_f1'?"),
    (["export", "runs/small", "--what", "fit", "--metric", "macro_f1"], "chooses among scores"),
    (["report", "runs/small", "--html", "--times", "--per-label"], "ask for one of them"),
    (["report", "runs/small", "--metric", "f2"], "there is no metric 'f2'"),
    (["why", "small.yaml", "two/BRR/0"], "did you mean 'two/BR/0'?"),
    (["why", "small.yaml", "two/BR"], "did you mean 'two/BR/0'?"),
    (
        ["why", "small.yaml", "two/BR/0", "--set", "methods.BR.not_on=[two]"],
        "no such cell: BR is `not_on` two",
    ),
    (["figure", "runs/small", "--x", "taks"], "did you mean 'tasks'?"),
    (["rnu", "small.yaml"], "there is no command 'rnu' (did you mean 'run'?)"),
    (["schema"], "there is no command 'schema' (did you mean 'config schema'?)"),
    (["list"], "(did you mean 'data list' or 'methods list'?)"),
    (["methods", "show", "mlkn"], "mlknn"),
    (["data", "show", "emotion"], "emotions"),
    (["run", "small.yaml", "--out", "small.yaml"], "small.yaml"),
    (["run", "small.yaml", "--jobs", "0"], "--jobs"),
    (
        ["run", "small.yaml", "--set", "protocol.fold=3"],
        "--set protocol.fold=3: protocol.fold: unk",
    ),
]


@pytest.fixture(scope="module")
def shared(make_lab, tmp_path_factory):
    lab = make_lab(tmp_path_factory.mktemp("wrong"))
    lab.write("small.yaml", EXPERIMENT)
    lab.write("bad.yaml", "name: a\ndatasets: [digits]\nprotcol: {}\nmethods: {M: mlknn}\n")
    lab.write("values.yaml", "name: a\ndatasets: [digits]\nmethods: {M: {use: mlknn, k: 0}}\n")
    lab.write("tasks.yaml", "name: a\ndatasets: [digits]\nmethods: {M: mt_lspc}\n")
    lab.write("missing.yaml", "name: a\ndatasets: [mediamill]\nmethods: {M: mlknn}\n")
    large = "name: a\ndatasets: [digits]\nprotocol: {splits: {train: 1000, test: 1000}}\n"
    lab.write("large.yaml", large + "methods: {M: mlknn}\n")
    assert lab.mlbench("run", "small.yaml", "--quiet").returncode == 0
    return lab


@pytest.mark.parametrize(("words", "message"), WRONG, ids=lambda value: " ".join(value)[:40])
def test_wrong_input_gets_one_clear_error_and_exit_code_2(shared, words, message):
    finished = shared.mlbench(*words)
    assert finished.returncode == 2, finished.stderr
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
    assert finished.stdout == ""


def test_help_teaches_without_importing_what_it_does_not_need(shared):
    for command in (
        "run",
        "plan",
        "status",
        "report",
        "figure",
        "export",
        "why",
        "data",
        "methods",
    ):
        helped = shared.mlbench(command, "--help")
        assert helped.returncode == 0
        assert "mlbench " + command in helped.stdout
    code = (
        "import sys; from mlbench.cli import main; main(['--help'], standalone_mode=False); "
        "print([m for m in ('numpy', 'sklearn', 'pandas', 'pydantic', 'rich') if m in sys.modules])"
    )
    listed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert listed.stdout.splitlines()[-1] == "[]"
