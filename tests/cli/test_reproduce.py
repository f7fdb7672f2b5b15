"""`mlbench reproduce` as a user meets it: forms, exit codes, and words for wrong input."""

from __future__ import annotations

import csv
import io
import json
import re

import jsonschema
import pytest
from click.testing import CliRunner

from mlbench.cli import main
from tests.runs import write_run


def run(lab, folder, published="ke", **means):
    """Write a run of Emotions in macro F1, three splits around a mean per method."""
    scores = {
        ("Emotions", method.replace("_", " ")): [mean - 0.01, mean, mean + 0.01]
        for method, mean in means.items()
    }
    write_run(lab.folder / folder, scores, published=published)
    return folder


@pytest.fixture
def reproduce(lab, monkeypatch):
    """The command in this process, which is faster than one of its own."""
    monkeypatch.chdir(lab.folder)
    return lambda *words: CliRunner().invoke(main, ["reproduce", *words])


@pytest.fixture
def reproduced(lab):
    return run(lab, "good", BR=0.6136, LP=0.5338)


def test_text_and_markdown_show_both_figures_and_the_verdict(reproduce, reproduced):
    text, markdown = reproduce(reproduced), reproduce(reproduced, "--format", "markdown")
    line = "| BR | 61.358 ± 2.578 | 61.360 ± 1.000 | +0.002 | 2.242 | reproduced |"
    assert line in markdown.stdout
    assert line.strip("| ").split(" | ") in [
        re.split(r"  +", each) for each in text.stdout.splitlines()
    ]
    assert "Printed, not run:" in text.stdout
    assert (text.exit_code, markdown.exit_code) == (0, 0)


def test_latex_has_the_tables_and_their_package(reproduce, reproduced):
    shown = reproduce(reproduced, "--brief", "--format", "latex").stdout
    assert shown.startswith(r"% \usepackage{booktabs")
    assert shown.count(r"\begin{tabular}") == shown.count(r"\end{tabular}") == 1
    assert "61.4" in next(line for line in shown.splitlines() if line.startswith("BR &"))


def test_csv_has_a_line_for_each_figure(reproduce, reproduced):
    shown = reproduce(reproduced, "--format", "csv").stdout
    lines = list(csv.DictReader(io.StringIO(shown)))
    assert len(lines) == 20
    (br,) = [line for line in lines if line["method"] == "BR"]
    assert (br["printed_mean"], br["verdict"], br["ratio"]) == ("61.358", "reproduced", "")


NUMBER = {"type": ["number", "null"]}
TEXT = {"type": "string"}
FIGURE = {
    "table": TEXT,
    "printed_dataset": TEXT,
    "printed_method": TEXT,
    "printed_metric": TEXT,
    "printed_std": NUMBER,
    "printed_n": NUMBER,
    "mean": NUMBER,
    "std": NUMBER,
    "difference": NUMBER,
    "allowed": NUMBER,
    "ratio": NUMBER,
    "verdict": {"enum": ["reproduced", "close", "differs", "not comparable", "not run"]},
    "printed_mean": {"type": "number"},
    "relative_ratio": NUMBER,
    "unit": {"enum": ["percent", "fraction", "seconds"]},
    "dataset": TEXT,
    "method": {"type": ["string", "null"]},
    "interpretation": {"type": ["string", "null"]},
    "variant": {"type": "boolean"},
    "metric": TEXT,
    "n": {"type": "integer"},
    "reason": TEXT,
    "note": TEXT,
}


def test_json_has_a_stable_form(reproduce, reproduced):
    shown = json.loads(reproduce(reproduced, "--format", "json").stdout)
    assert list(shown) == [
        "form",
        "results",
        "paper",
        "protocol",
        "tables",
        "base_rates",
        "orders",
        "figures",
        "not_printed",
    ]
    assert (shown["form"], shown["paper"]) == (2, "ke")
    assert shown["tables"] == [
        {
            "table": "Table IV",
            "interpretation": "",
            "reproduced": 2,
            "close": 0,
            "differs": 0,
            "not comparable": 0,
            "not run": 18,
        }
    ]
    schema = {"properties": FIGURE, "required": list(FIGURE), "additionalProperties": False}
    for each in shown["figures"]:
        jsonschema.validate(each, schema)


def test_strict_ends_with_3_where_a_score_differs(lab, reproduce, reproduced):
    assert reproduce(reproduced, "--strict").exit_code == 0
    other = run(lab, "other", BR=0.9, LP=0.5338)
    assert reproduce(other).exit_code == 0
    strict = reproduce(other, "--strict")
    assert strict.exit_code == 3
    assert "1 score differs from the printed one" in strict.stderr


def test_a_variant_that_differs_is_not_counted(lab, reproduce):
    folder = run(lab, "variants", BR=0.6136, BR_tree=0.3)
    shown = reproduce(folder, "--strict")
    assert shown.exit_code == 0
    assert "differs" in shown.stdout


def test_some_data_sets_alone_and_in_brief(reproduce, lab):
    write_run(
        lab.folder / "two", {("Emotions", "BR"): [0.61], ("Yeast", "BR"): [0.5]}, published="ke"
    )
    shown = reproduce("two", "--dataset", "Yeast", "--brief", "--format", "markdown").stdout
    assert shown.startswith("**Table IV, Yeast**")
    assert "| BR | 39.2 | 50.0 |" in shown
    assert "Emotions" not in shown


def test_some_methods_alone(reproduce, reproduced):
    shown = json.loads(reproduce(reproduced, "--method", "BR", "--format", "json").stdout)
    assert {each["printed_method"] for each in shown["figures"]} == {"BR"}


def test_results_without_a_printed_figure_are_told_which_names_there_are(reproduce, reproduced):
    shown = reproduce(reproduced, "--published", "nam")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "no printed number of nam has a score in these results" in shown.stderr
    assert "data sets in print: Enron; in the results: Emotions" in shown.stderr
    assert "methods in print: LSPC, ML-LSPC, ML-kNN, InsDif; in the results: " in shown.stderr
    assert "yu2005 prints no scores" in reproduce(reproduced, "--published", "yu2005").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["good", "--published", "kee"], "'kee' (did you mean 'ke'?)"),
        (["good", "--table", "Table 4"], "ke has no table 'Table 4'"),
        (["good", "--dataset", "Yest"], "ke has no data set 'Yest' (did you mean 'Yeast'?)"),
        (["good", "--method", "Br"], "ke has no method 'Br' (did you mean 'BR'?); it has SMTL("),
        (["nowhere"], "nowhere: not a results folder"),
    ],
)
def test_wrong_input_ends_with_2_and_one_line(reproduce, reproduced, words, message):
    shown = reproduce(*words)
    assert shown.exit_code == 2
    assert message in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


def test_a_folder_that_run_filled_is_compared_with_its_times(lab):
    lab.write(
        "small.yaml",
        "name: small\ndatasets: [{use: nam-toy, as: Enron, tasks: 2, samples: 60, dimensions: 4}]\n"
        "protocol: {splits: {train: 0.5, repeats: 3}}\n"
        "methods: {ML-kNN: {use: mlknn, k: 5}, LSPC: {use: lspc}}\npublished: nam\n",
    )
    assert lab.mlbench("run", "small.yaml").returncode == 0
    found = json.loads(lab.mlbench("reproduce", "runs/small", "--format", "json").stdout)
    shown = {
        (line["method"], line["metric"], line["n"]) for line in found["figures"] if line["method"]
    }
    assert shown == {
        (method, metric, 3)
        for method in ("ML-kNN", "LSPC")
        for metric in ("micro_f1", "seconds_total")
    }


PRINTED = (
    "dataset,method,metric,mean,std,n_splits,unit\n"
    "toy,ML-kNN,micro_f1,50.0,,,percent\n"
    "toy,LSPC,micro_f1,55.0,2.0,10,percent\n"
)
SMALL = (
    "name: small\ndatasets: [{use: nam-toy, as: toy, tasks: 2, samples: 60, dimensions: 4}]\n"
    "protocol: {splits: {train: 0.5, repeats: 3}}\nmetrics: [micro_f1]\n"
    "methods: {ML-kNN: {use: mlknn, k: 5}, LSPC: {use: lspc}}\n"
)


def test_printed_values_of_ones_own_file(lab, reproduce, reproduced):
    lab.write("lee.csv", PRINTED.replace("toy", "emotions").replace("ML-kNN,micro", "BR,macro"))
    shown = reproduce(reproduced, "--published", "lee.csv", "--format", "markdown")
    assert shown.exit_code == 0, shown.stderr
    assert "Printed values and ours (lee)" in shown.stdout
    # t of two degrees of freedom times the deviation of a difference of two means of three splits
    assert "| BR | 50.0 | 61.4 ± 1.0 | +11.4 | 3.6 | differs |" in shown.stdout
    assert "the paper's over as many, since their number is not given" in shown.stdout


def test_an_experiment_names_its_own_file_and_the_results_keep_it(lab):
    lab.write("papers/lee.csv", PRINTED)
    lab.write("small.yaml", f"{SMALL}published: papers/lee.csv\n")
    assert lab.mlbench("run", "small.yaml").returncode == 0
    (lab.folder / "papers/lee.csv").unlink()
    shown = lab.mlbench("reproduce", "runs/small", "--format", "json")
    found = json.loads(shown.stdout)
    assert found["paper"] == "lee"
    assert {(line["method"], line["printed_mean"]) for line in found["figures"]} == {
        ("ML-kNN", 50.0),
        ("LSPC", 55.0),
    }
    assert lab.mlbench("merge", "runs/small", "--into", "runs/merged").returncode == 0
    assert lab.mlbench("reproduce", "runs/merged").returncode == 0
    page = lab.mlbench("report", "runs/small", "--html")
    assert page.returncode == 0, page.stderr
    assert "Printed values and ours" in (lab.folder / "runs/small/report.html").read_text()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (PRINTED.replace("50.0", "x"), "published: lee.csv:2: mean: must be a number as printed"),
        (None, "published: lee.csv: there is no such file"),
    ],
)
def test_a_bad_file_is_told_before_anything_runs(lab, text, problem):
    if text:
        lab.write("lee.csv", text)
    lab.write("small.yaml", f"{SMALL}published: lee.csv\n")
    shown = lab.mlbench("run", "small.yaml")
    assert shown.returncode == 2
    assert shown.stderr.startswith(f"error: small.yaml:6:1: {problem}")
    assert not (lab.folder / "runs").exists()
