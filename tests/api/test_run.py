"""Run from Python, and go on from the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mlbench as mb
from mlbench.api.run import several
from mlbench.errors import MlbenchError, StoreError
from tests import program
from tests.processes import PATIENCE

TOY = {"use": "nam-toy", "as": "toy", "tasks": 3, "samples": 60, "dimensions": 4}
HALVES = {"splits": {"train": 0.5, "repeats": 3}}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two methods on two small data sets, one of them in memory."""
    data = mb.load_dataset({key: value for key, value in TOY.items() if key != "as"})
    experiment = mb.Experiment(
        [data, {**TOY, "tasks": 2}],
        {"ML-kNN": mb.make_method("mlknn", k=3), "BR": {"use": "br", "tune": {"C": [0.1, 1]}}},
        name="trial",
        protocol={**HALVES, "tuning": {"folds": 2}},
        metrics=["macro_f1", "macro_auc"],
        tests=[{"method": "BR", "test": "corrected_t"}],
        keep_predictions=True,
    )
    out = tmp_path_factory.mktemp("api") / "out"
    return mb.run(experiment, out=out, jobs=1, progress=False)


@pytest.mark.slow
def test_every_cell_ran(results):
    assert results.counts == {"ok": 12}
    assert results.methods == ("ML-kNN", "BR")
    assert results.datasets == ("nam-toy", "toy")
    assert repr(results) == f"Results({str(results.path)!r}: 12 ok)"


@pytest.mark.slow
def test_the_command_line_goes_on_where_python_stopped(results, tmp_path):
    done = program.run(
        "run", str(results.path / "experiment.yaml"), "--out", str(results.path), cwd=tmp_path
    )
    assert "trial: 12 cells, 12 done, 0 to run" in done.stderr
    assert mb.open_results(results.path).scores().equals(results.scores())


@pytest.mark.slow
def test_frames_have_a_row_for_each_number(results):
    scores = results.scores("macro_f1")
    assert list(scores.columns) == ["dataset", "method", "split", "metric", "value"]
    assert len(scores) == 12
    assert set(results.params().param) == {"C"}
    assert {"fit", "total", "cpu", "peak_memory_mb"} <= set(results.seconds().step)
    assert list(results.fit().columns)[3] == "entry"


@pytest.mark.slow
def test_the_scores_of_labels_have_the_macro_score_as_their_mean(results):
    frame = results.per_label().query("method == 'BR' and metric == 'f1' and split == 0")
    means = frame.groupby("dataset", sort=False).value.mean()
    macro = results.scores("macro_f1").query("method == 'BR' and split == 0").value
    assert means.tolist() == pytest.approx(macro.tolist())


@pytest.mark.slow
def test_tables_are_those_of_the_command(results, tmp_path):
    printed = program.run("report", str(results.path), cwd=tmp_path).stdout
    text = "\n".join(
        [results.table().to_text(), results.tests().to_text(), results.verdict().to_text()]
    )
    tables, _ = printed.split("What could be wrong with these comparisons")
    assert [line for line in text.splitlines() if line] == [
        line for line in tables.splitlines() if line
    ]


@pytest.mark.slow
def test_predictions_give_the_scores_again(results):
    cell = results.predictions("nam-toy", "ML-kNN", 1)
    data = mb.load_dataset({key: value for key, value in TOY.items() if key != "as"})
    wide = cell.pivot(index="row", columns="label")
    again = mb.evaluate(data.Y[wide.index], wide.score.to_numpy(), wide.predicted.to_numpy())
    assert cell.truth.tolist() == data.Y[cell.row, cell.label].tolist()
    assert cell.name.tolist() == [data.label_names[label] for label in cell.label]
    assert cell.data_row.tolist() == cell.row.tolist()
    kept = results.scores("macro_f1").query("dataset == 'nam-toy' and method == 'ML-kNN'")
    assert again.values["macro_f1"] == kept.value.iloc[1]


@pytest.mark.slow
def test_other_tests_than_those_of_the_experiment(results):
    frame = results.tests("ML-kNN", test=["wilcoxon", "corrected_t"], metric="macro_f1").to_frame()
    tests = frame.dropna(subset="test")
    assert set(tests.test) == {"wilcoxon", "corrected_t"}
    assert set(tests.against) == {"BR"}
    with pytest.raises(MlbenchError, match="there is no method 'BRR'"):
        results.tests("BRR")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda results: results.tests("BR", test="sign"), "there is no test 'sign'; known"),
        (lambda results: results.tests("BR", correction="fdr"), "there is no correction 'fdr'"),
        (lambda results: results.figure("bars", width="huge"), "there is no width 'huge'"),
        (lambda results: list(results.numbers("score")), r"no numbers called 'score' \(did you"),
    ],
)
def test_words_that_results_do_not_know_are_refused(results, call, words):
    with pytest.raises(MlbenchError, match=words):
        call(results)


@pytest.mark.slow
def test_views_in_other_forms(results):
    view = results.table("macro_f1")
    assert view.to_markdown().startswith("**")
    assert r"\begin{tabular}" in view.to_latex()
    html = results.table()._repr_html_()
    assert re.findall("<tr><th>([^<]*)</th><td>", html) == ["ML-kNN", "BR"]
    assert "Verdict" in results._repr_html_()
    assert list(results.ranks("macro_f1").to_frame().method) == ["ML-kNN", "BR"]


@pytest.mark.slow
def test_names_are_text_in_html(tmp_path):
    experiment = {
        "datasets": [TOY],
        "methods": {"<b>kNN</b>": "mlknn"},
        "protocol": {"splits": {"train": 0.5, "repeats": 1}},
    }
    results = mb.run(experiment, out=tmp_path / "out", jobs=1, progress=False)
    assert "&lt;b&gt;kNN&lt;/b&gt;" in results.table()._repr_html_()


@pytest.mark.slow
def test_a_figure_is_one_of_matplotlib(results):
    figure = results.figure("bars", metric="macro_auc")
    assert figure.axes[0].get_ylabel() or figure.axes[0].get_xlabel()
    with pytest.raises(MlbenchError, match="no method 'nobody'"):
        results.figure("bars", methods="nobody")
    one = results.figure("bars", methods=results.methods[0])
    assert len(one.axes[0].get_children()) < len(figure.axes[0].get_children())


@pytest.mark.slow
def test_errors_speak_of_python(results, tmp_path):
    with pytest.raises(StoreError, match="choose another folder with out="):
        mb.run(
            {"datasets": [TOY], "methods": {"A": "mlknn"}, "name": "other"},
            out=results.path,
            progress=False,
        )
    with pytest.raises(StoreError, match="not a results folder"):
        mb.open_results(tmp_path)
    with pytest.raises(MlbenchError, match="there is no cell toy/BR/9"):
        results.predictions("toy", "BR", 9)
    with pytest.raises(MlbenchError, match="there is no method 'RB' in the results"):
        results.predictions("toy", "RB", 0)
    with pytest.raises(MlbenchError, match="a split is a whole number from 0, not '0'"):
        results.predictions("toy", "BR", "0")


@pytest.mark.slow
def test_a_script_needs_no_guard(tmp_path):
    """Workers do not run the main module again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import mlbench as mb\n"
        "print('started')\n"
        f"experiment = {{'datasets': [{TOY!r}], 'methods': {{'A': 'mlknn'}},\n"
        "  'protocol': {'splits': {'train': 0.5, 'repeats': 2}}}\n"
        f"print(mb.run(experiment, out={str(tmp_path / 'out')!r}, jobs=2, progress=False).counts)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.stdout == "started\n{'ok': 2}\n", done.stderr


def test_evaluate_takes_arrays():
    Y = np.array([[1, 0], [0, 1], [1, 1]])
    assert mb.evaluate(Y, Y.astype(float), Y).values["micro_f1"] == 1


@pytest.mark.slow
def test_a_part_runs_alone(tmp_path):
    experiment = mb.Experiment([TOY], {"A": {"use": "mlknn"}, "B": {"use": "br"}}, protocol=HALVES)
    results = mb.run(experiment, out=tmp_path / "out", jobs=1, methods=["B"], progress=False)
    assert results.counts == {"missing": 3, "ok": 3}
    with pytest.raises(MlbenchError, match="no data set 'toys' in the experiment"):
        mb.run(experiment, out=tmp_path / "out", datasets=["toys"], progress=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"jobs": -1}, "jobs is -1; give the number of workers, 1 or more"),
        ({"jobs": 0}, "jobs is 0"),
        ({"executor": "ray"}, "there is no executor 'ray'; known: local, dask"),
        ({"scheduler": "tcp://x:1"}, "scheduler is for Dask"),
    ],
)
def test_workers_that_cannot_be_are_refused(tmp_path, options, words):
    with pytest.raises(MlbenchError, match=words):
        mb.run("quickstart", out=tmp_path / "out", **options)


def test_one_text_stands_for_itself():
    assert several("kNN") == ("kNN",)
    assert several(Path("x")) == (Path("x"),)
    assert several(["a", "b"]) == ("a", "b")
