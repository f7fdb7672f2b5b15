"""``mlbench figure``: every kind from one small experiment, and what it says to wrong input."""

from __future__ import annotations

import json
import re

import pytest

from mlbench.cli import figure

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.slow

EXPERIMENT = """
name: rho
datasets:
  - {use: nam-toy, as: two, tasks: 2, samples: 60, dimensions: 4}
  - {use: nam-toy, as: four, tasks: 4, samples: 60, dimensions: 4}
  - {use: nam-toy, as: eight, tasks: 8, samples: 60, dimensions: 4}
protocol: {splits: {train: 0.5, repeats: 2}, tuning: {folds: 2}}
methods:
  kNN k=1: {use: mlknn, k: 1}
  kNN k=9: {use: mlknn, k: 9}
  BR: {use: br, base: logistic, tune: {C: [0.1, 1, 10]}}
  joint: {use: mlsvm_t_l2, solver: paper, max_iter: 4, C: 0.1, r: 1, random_state: 0}
metrics: [macro_f1]
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    from click.testing import CliRunner

    from mlbench.cli import main

    folder = tmp_path_factory.mktemp("figures")
    (folder / "rho.yaml").write_text(EXPERIMENT)
    runner = CliRunner()
    arguments = ["run", str(folder / "rho.yaml"), "--out", str(folder / "runs"), "--quiet"]
    assert runner.invoke(main, arguments).exit_code == 0

    def figure(*words):
        return runner.invoke(main, ["figure", str(folder / "runs"), *words])

    figure.folder = folder
    return figure


def rows(finished):
    assert finished.exit_code == 0, finished.stderr
    return [line.split("\t") for line in finished.stdout.splitlines()]


@pytest.mark.slow
def test_lines_go_along_a_number_of_the_data_sets(done):
    assert [row[:2] for row in rows(done("--method", "BR"))] == [
        ["BR", "tasks=2"],
        ["BR", "tasks=4"],
        ["BR", "tasks=8"],
    ]
    assert (done.folder / "runs/figure.svg").read_text().startswith("<?xml")


@pytest.mark.slow
def test_a_paper_has_its_own_captions(done):
    file = done.folder / "bars.svg"
    finished = done("--kind", "bars", "--no-title", "--out", str(file))
    assert "caption: rho: Macro F1 (%) by data set. Mean over 2 splits" in finished.stderr
    titled = done.folder / "titled.svg"
    done("--kind", "bars", "--out", str(titled))
    heights = [
        int(re.search(r'height="([0-9.]+)pt', each.read_text())[1].split(".")[0])
        for each in (file, titled)
    ]
    assert heights[0] < heights[1]


@pytest.mark.slow
def test_lines_go_along_a_fixed_parameter_of_methods(done):
    file = done.folder / "k.pdf"
    drawn = rows(done("--x", "k", "--dataset", "four", "--out", str(file)))
    assert [row[:3] for row in drawn] == [
        ["four", "kNN", "k=1"],
        ["four", "kNN", "k=9"],
        ["four", "BR", "any k"],
        ["four", "joint", "any k"],
    ]
    assert file.read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "first", "count"),
    [
        ("bars", ["two", "kNN k=1"], 12),
        ("pareto", ["two"], 12),
        ("tuning", ["two", "BR", "C=0.1"], 3),
        ("gap", ["joint", "iteration=1"], 5),
    ],
)
def test_other_kinds(done, kind, first, count):
    drawn = rows(done("--kind", kind))
    assert drawn[0][: len(first)] == first
    assert len(drawn) == count


@pytest.mark.slow
def test_a_figure_that_is_higher_than_a_page_says_what_makes_it_fit(done, monkeypatch):
    monkeypatch.setattr(figure, "_PAGE", 1.0)
    assert "more than a page: --width page" in done("--kind", "bars").stderr
    assert "more than a page" not in done("--kind", "bars", "--width", "page").stderr


def test_mean_ranks(done):
    drawn = rows(done("--kind", "critical-difference"))
    assert {row[0] for row in drawn[:4]} == {"kNN k=1", "kNN k=9", "BR", "joint"}
    assert sum(float(row[1].removeprefix("mean rank ")) for row in drawn[:4]) == pytest.approx(10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "drawing"),
    [
        ("lines", "Lines"),
        ("tuning", "TuningCurves"),
        ("critical-difference", "CriticalDifference"),
    ],
)
def test_what_is_drawn_may_be_read_by_a_program(done, kind, drawing):
    finished = done("--kind", kind, "--format", "json")
    drawn = json.loads(finished.stdout, parse_constant=pytest.fail)
    assert drawn["kind"] == drawing
    assert "splits" in drawn["note"] or "searches" in drawn["note"]


def test_the_means_of_json_are_those_of_the_lines(done):
    words = ("--kind", "bars", "--method", "BR")
    drawn = json.loads(done(*words, "--format", "json").stdout)
    means = [f"{bar['mean']:.5g}" for bar in drawn["heights"][0]]
    assert means == [row[2] for row in rows(done(*words))]


def test_deviations_in_place_of_intervals(done):
    scores = rows(done("--kind", "bars", "--spread", "std", "--method", "BR"))
    wide = rows(done("--kind", "bars", "--method", "BR"))
    ends = [[float(end) for end in row[3].split(" to ")] for row in (scores[0], wide[0])]
    assert ends[0][1] - ends[0][0] < ends[1][1] - ends[1][0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dataset", "tow"], "did you mean 'two'?"),
        (["--method", "BRR"], "did you mean 'BR'?"),
        (["--x", "kk"], "numbers in which they differ: tasks, k, labels"),
        (["--metric", "f2"], "there is no metric 'f2'"),
        (["--kind", "gap", "--method", "BR"], "no fit on 'two' has a history"),
        (["--kind", "tuning", "--method", "joint"], "no method has been tuned on"),
        (["--kind", "tuning", "--x", "k"], "'tuning' does not use --x; lines can"),
        (
            ["--kind", "threshold", "--metric", "macro_f1"],
            "'threshold' does not use --metric; differences, lines, bars, tuning",
        ),
        *(
            (["--kind", kind, "--metric", "cut_ratio"], "cut_ratio describes methods, and ranks")
            for kind in ("critical-difference", "heat-map", "differences", "pareto")
        ),
        (["--kind", "bars", "--option", "bins=3"], "'bars' has no setting 'bins'"),
        (["--out", "figure.jpg"], "the file of a figure must end in .svg, .png, .pdf"),
    ],
)
def test_wrong_input(done, words, message):
    finished = done(*words)
    assert finished.exit_code == 2
    assert message in finished.stderr
    assert finished.stdout == ""
