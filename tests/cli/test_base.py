"""One's own run on published results is the run of all methods."""

from __future__ import annotations

import csv
import json
import re

import pytest

import mlbench as mb
from mlbench.bundle import pack, published_texts
from mlbench.report.figures import FigureRequest
from mlbench.report.render import RENDERERS
from mlbench.report.tables import tables_of
from mlbench.report.tables.report_data import report_data
from mlbench.yaml_loader import load_yaml

ALL = """
name: all
datasets:
  - {use: nam-toy, as: toy, samples: 120}
  - {use: digits, rows: 200}
  - {use: digits, rows: 150}
protocol: {splits: {train: 0.6, repeats: 3}, tuning: {folds: 2}}
methods:
  BR: {use: br, base: logistic, tune: {C: [0.1, 1]}}
  ML-kNN: {use: mlknn, k: 5}
  mine: {use: lspc, tune: {rho: [0.01, 1]}}
metrics: [macro_f1, macro_auc]
tests: [{method: mine, test: corrected_t, over_datasets: [friedman]}]
"""
MINE = """
name: all
base: {use: published, without: [mine]}
methods:
  mine: {use: lspc, tune: {rho: [0.01, 1]}}
"""
COPY = """
from mlbench.methods.adaptation.mlknn import MLkNN


class Copy(MLkNN):
    def __init__(self, k=5):
        super().__init__(k=k)
"""


@pytest.fixture(scope="module")
def lab(make_lab, tmp_path_factory):
    lab = make_lab(tmp_path_factory.mktemp("base"))
    lab.write("all.yaml", ALL)
    lab.write("mine.yaml", MINE)
    assert lab.mlbench("run", "all.yaml", "--out", "runs/all").returncode == 0
    assert lab.mlbench("export", "runs/all", "--folder", "published").returncode == 0
    ran = lab.mlbench("run", "mine.yaml", "--out", "runs/mine")
    assert ran.returncode == 0, ran.stderr
    found = "2 of 3 methods, 3 data sets, 3 splits: 18 cells taken over, all keys verified"
    assert found in ran.stderr
    assert "all: 9 cells, 0 done, 9 to run" in ran.stderr
    return lab


def test_its_numbers_are_those_of_all_methods_bit_for_bit(lab):
    run, mine = (mb.open_results(lab.folder / f"runs/{name}") for name in ("all", "mine"))
    assert [cell.key for cell in mine.cells] == [cell.key for cell in run.cells]
    for metric in ("macro_f1", "macro_auc"):
        assert mine.scores(metric).equals(run.scores(metric))


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv"])
def test_its_tables_are_those_of_all_methods_but_for_the_marks(lab, form):
    run, mine = (
        tables_of(report_data(mb.open_results(lab.folder / f"runs/{name}")))
        for name in ("all", "mine")
    )
    assert [*map(RENDERERS[form], mine)] == [*map(RENDERERS[form], run)]


HOW_TO_CHANGE = re.compile(r" [^.]+ (?:is|are) taken over: to change [^.]+\.")
"""What advice says of them alone."""


def test_what_is_printed_beside_them_says_where_they_are_from(lab):
    run, mine = (
        [
            HOW_TO_CHANGE.sub("", line.strip().replace("°", ""))
            for line in lab.mlbench(
                "report", f"runs/{name}", "--format", "markdown"
            ).stdout.splitlines()
        ]
        for name in ("all", "mine")
    )
    assert [line for line in mine if line in run] == run
    more = " ".join(line for line in mine if line not in run)
    assert re.search(r"Taken over from all \([-0-9]+, mlbench [^)]*\), not run here\.", more)
    assert (
        "mine: 1st of 3 in Macro F1 by mean rank; better than 1 (2, 3), not told apart from 1."
        in more
    )


def test_numbers_in_csv_say_where_they_are_from(lab):
    run, mine = (
        [*csv.reader(lab.mlbench("report", f"runs/{name}", "--format", "csv").stdout.splitlines())]
        for name in ("all", "mine")
    )
    with_origin = [line for line in mine if len(line) in (12, 1 + len(run[0]))]
    assert with_origin[0][-1] == "origin"
    origins = {line[1]: line[-1] for line in with_origin[1:] if line[0] == "toy"}
    assert re.fullmatch(r"all, [-0-9]+", origins["BR"])
    assert origins["mine"] == ""


def test_methods_of_others_are_marked(lab):
    shown = lab.mlbench("report", "runs/mine").stdout
    assert re.search(r"^BR° +[*0-9]", shown, re.MULTILINE)
    assert re.search(r"^mine  +[*0-9]", shown, re.MULTILINE)
    assert "BR°" in lab.mlbench("report", "runs/mine", "--times").stdout
    assert "BR°" in lab.mlbench("leaderboard", "runs/mine").stdout
    assert "BR°" in mb.open_results(lab.folder / "runs/mine").table().to_text()
    lab.mlbench("report", "runs/mine", "--html", "page.html")
    page = (lab.folder / "page.html").read_text()
    assert "BR°" in page
    assert "mine°" not in page


def test_commands_that_run_count_own_cells(lab):
    planned = lab.mlbench("plan", "mine.yaml", "--out", "runs/mine").stdout
    assert "ML-kNN" not in planned
    assert planned.count("3 ok") == 3
    status = lab.mlbench("status", "runs/mine").stdout
    assert re.match(r"all: 9 cells: 9 ok\nbase all \([-\d]+\): 18 cells, 18 ok\n", status)
    watched = lab.mlbench("status", "runs/mine", "--watch").stdout
    assert "all: 9 of 9 cells" in watched
    submitted = lab.mlbench(
        "submit", "mine.yaml", "--out", "runs/none", "--dry-run", "--tasks", "3"
    )
    assert "#SBATCH --array=1-3" in submitted.stdout
    assert "--from" not in submitted.stdout


def test_commands_that_show_need_no_base(lab):
    moved = lab.folder / "published"
    try:
        moved.rename(lab.folder / "gone")
        for words in (
            ("report", "runs/mine"),
            ("report", "runs/mine", "--html"),
            ("report", "runs/mine", "--times"),
            ("figure", "runs/mine", "--kind", "bars", "--out", "bars.svg"),
            ("audit", "runs/mine"),
            ("compare", "runs/mine", "runs/all"),
            ("check", "runs/mine", "--write", "mine.json"),
            ("leaderboard", "runs/mine"),
        ):
            done = lab.mlbench(*words)
            assert done.returncode == 0, done.stderr
    finally:
        (lab.folder / "gone").rename(moved)
    assert "ML-kNN" in (lab.folder / "runs/mine/report.html").read_text()


def test_an_export_of_it_is_whole(lab):
    lab.mlbench("export", "runs/mine", "--folder", "kept")
    source = load_yaml(lab.folder / "kept/experiment.yaml")
    assert source.text.startswith("# BR: taken over from all, ")
    assert [*source.value["methods"]] == ["BR", "ML-kNN", "mine"]
    assert "base" not in source.value
    assert lab.mlbench("config", "validate", "kept/experiment.yaml").returncode == 0
    kept, mine = mb.open_results(lab.folder / "kept"), mb.open_results(lab.folder / "runs/mine")
    assert kept.origins == mine.origins
    assert [name for name, origin in kept.origins.items() if origin] == ["BR", "ML-kNN"]
    tables = [lab.mlbench("report", name).stdout for name in ("kept", "runs/mine")]
    assert tables[0] == tables[1]
    again = lab.mlbench("run", "kept/experiment.yaml", "--out", "runs/again")
    assert (
        mb.open_results(lab.folder / "runs/again")
        .scores("macro_f1")
        .equals(mine.scores("macro_f1"))
    ), again.stderr


def test_it_is_a_base_in_its_turn(lab):
    lab.mlbench("export", "runs/mine", "--folder", "second")
    lab.write("third.yaml", "name: third\nbase: second\nmethods: {lp: lp}\n")
    ran = lab.mlbench("run", "third.yaml", "--out", "runs/third")
    assert ran.returncode == 0, ran.stderr
    third = mb.open_results(lab.folder / "runs/third")
    assert str(third.ranks("macro_f1")) == str(third.ranks("macro_f1", method="lp"))
    origins = third.origins
    first = mb.open_results(lab.folder / "runs/mine").origins
    assert origins["BR"] == first["BR"]
    assert origins["mine"].startswith("all, ")
    assert origins["lp"] is None


def test_numbers_of_others_are_not_checked(lab):
    lab.mlbench("check", "runs/mine", "--write", "checked.json")
    checked = lab.mlbench("check", "runs/mine", "--against", "checked.json")
    assert checked.returncode == 0
    assert "all: 6 numbers checked: 6 same; 12 numbers taken over, not checked" in checked.stdout


def test_a_method_of_the_base_runs_again_under_another_name(lab):
    lab.write("again.yaml", "name: anew\nbase: published\nmethods: {again: {use: mlknn, k: 5}}\n")
    ran = lab.mlbench("run", "again.yaml")
    assert "again: the same bits as ML-kNN of the base on 9 of 9 cells" in ran.stderr
    told = lab.mlbench("audit", "runs/anew", "--check", "same-model").stdout
    assert "ML-kNN and again are the same model on every split" in " ".join(told.split())
    results = mb.open_results(lab.folder / "runs/anew")
    scores = results.scores("macro_f1").groupby("method")["value"].apply(list)
    assert scores["again"] == scores["ML-kNN"]


def test_a_copy_of_a_method_in_ones_own_file_is_noticed(lab):
    lab.write("copied.py", COPY)
    copied = "name: copied\nbase: published\nmethods: {copy: {use: 'copied.py:Copy'}}\n"
    lab.write("copied.yaml", copied)
    ran = lab.mlbench("run", "copied.yaml", "--allow-import")
    assert "copy: the same bits as ML-kNN of the base on 9 of 9 cells" in ran.stderr
    lab.mlbench("export", "published", "--folder", "grown")
    added = lab.mlbench("export", "runs/copied", "--add-to", "grown")
    assert "warning: copy has the scores of ML-kNN on all cells of both; ranks" in added.stderr


def test_shards_are_merged_packed_and_pruned(lab):
    for part in (1, 2):
        out = ("--out", f"runs/part-{part}", "--shard", f"{part}/2")
        lab.mlbench("run", "mine.yaml", *out)
    merged = lab.mlbench("merge", "runs/part-1", "runs/part-2", "--into", "runs/parts")
    assert merged.stdout == "9 rows copied, 0 already there\n"
    lab.mlbench("pack", "runs/parts")
    assert lab.mlbench("prune", "runs/parts").stdout.startswith("0 rows of no cell")
    tables = [lab.mlbench("report", f"runs/{name}").stdout for name in ("mine", "parts")]
    assert tables[0] == tables[1]


def test_folders_on_different_bases_are_not_merged(lab):
    lab.mlbench("export", "runs/all", "--folder", "other")
    path = lab.folder / "other/reference.json"
    path.write_text(path.read_text() + "\n")
    lab.write("other.yaml", MINE.replace("published", "other"))
    lab.mlbench("run", "other.yaml", "--out", "runs/other", "--shard", "1/2")
    refused = lab.mlbench("merge", "runs/mine", "runs/other", "--into", "runs/no")
    assert refused.returncode == 2
    assert "stand on different published results (`base:`)" in refused.stderr


def test_its_cheapest_cells_are_run_here_to_verify_it(lab):
    ran = lab.mlbench("run", "mine.yaml", "--out", "runs/mine", "--verify-base", "4")
    assert ran.stderr.startswith("base: 4 of 4 cells the same bits here: ")
    assert "9 done, 0 to run" in ran.stderr
    refused = lab.mlbench("run", "all.yaml", "--out", "runs/all", "--verify-base", "4")
    assert "--verify-base is for an experiment with a base:" in refused.stderr


def test_own_cells_alone_are_rescored(lab):
    lab.write("kept.yaml", MINE.replace("name: all", "name: kept") + "keep_predictions: true\n")
    lab.mlbench("run", "kept.yaml")
    scored = lab.mlbench("rescore", "runs/kept")
    assert scored.returncode == 0, scored.stderr
    shown = [lab.mlbench("report", "runs/kept").stdout, scored.stdout]
    assert shown[0].partition("Protocol")[0] == shown[1].partition("Protocol")[0]


def test_why_says_who_ran_a_cell(lab):
    told = lab.mlbench("why", "mine.yaml", "toy/BR/1", "--out", "runs/mine").stdout
    assert re.fullmatch(r"toy/BR/1: taken over from all \(.*\); not run here\n", told)


def test_what_failed_in_the_base_is_told_with_its_reason_and_without_advice_to_run_it(lab):
    lab.write(
        "fails.py", COPY + "\n    def fit(self, X, Y):\n        raise RuntimeError('no luck')\n"
    )
    lab.write("failing.yaml", ALL.replace("{use: mlknn, k: 5}", "fails.py:Copy"))
    words = ("run", "failing.yaml", "--out", "runs/failing", "--allow-import")
    assert lab.mlbench(*words).returncode == 1
    lab.mlbench("export", "runs/failing", "--folder", "failing")
    lab.write("on-it.yaml", MINE.replace("published", "failing"))
    lab.mlbench("run", "on-it.yaml", "--out", "runs/on-it")
    told = lab.mlbench("why", "on-it.yaml", "toy/ML-kNN/1", "--out", "runs/on-it").stdout
    assert re.search(r"not run here\nerror: .*no luck", told)
    audit = " ".join(lab.mlbench("audit", "runs/on-it", "--check", "failed-cells").stdout.split())
    assert "ML-kNN has no result on " in audit
    assert (
        "`mlbench why` says why cells failed that were taken over. ML-kNN is taken over: to change "
        "it, run it under a name of your own."
    ) in audit
    assert "retry-failed" not in audit


def test_methods_are_tuned_by_the_metrics_of_the_base_whichever_are_shown(lab):
    each = ALL.replace("{folds: 2}", "{folds: 2, scoring: each}").replace(
        "  mine: {use: lspc, tune: {rho: [0.01, 1]}}\n", ""
    )
    lab.write("each.yaml", each.replace("method: mine", "method: BR"))
    assert lab.mlbench("run", "each.yaml", "--out", "runs/each").returncode == 0
    lab.mlbench("export", "runs/each", "--folder", "each")
    again = (
        "methods:\n  again: {use: br, base: logistic, tune: {C: [0.1, 1]}%s}\nmetrics: [macro_f1]\n"
    )
    lab.write("shown.yaml", "name: all\nbase: each\n" + again % "")
    ran = lab.mlbench("run", "shown.yaml", "--out", "runs/shown")
    assert "again: the same bits as BR of the base on 9 of 9 cells" in ran.stdout + ran.stderr
    added = lab.mlbench("export", "runs/shown", "--add-to", "each")
    assert "added: again, all 3 splits of toy" in added.stdout
    assert "again has the scores of BR" in added.stderr
    lab.write("grown.yaml", "name: all\nbase: each\nmethods: {more: {use: mlknn, k: 3}}\n")
    assert lab.mlbench("plan", "grown.yaml", "--out", "runs/grown").returncode == 0
    lab.write(
        "own.yaml", "name: all\nbase: each\n" + (again % ", scoring: each").replace("again", "own")
    )
    lab.mlbench("run", "own.yaml", "--out", "runs/own")
    refused = lab.mlbench("export", "runs/own", "--add-to", "each")
    assert refused.returncode == 2
    assert "scoring: " in refused.stderr


def test_a_metric_that_the_base_lacks_cannot_be_exported(lab):
    words = ("export", "runs/mine", "--folder", "wider", "--metric", "hamming_loss")
    refused = lab.mlbench(*words)
    assert refused.returncode == 2
    assert "toy/BR/0: it was taken over from all, " in refused.stderr
    assert ", which has no hamming_loss; leave the metric out\n" in refused.stderr


def test_its_scores_tell_what_the_splits_can_show_before_anything_runs(lab):
    told = lab.mlbench("plan", "mine.yaml", "--out", "runs/new", "--resolution")
    assert told.returncode == 0, told.stderr
    assert "Macro F1" in told.stdout
    assert "is assumed" not in told.stdout


def test_an_experiment_in_python_stands_on_it(lab):
    base = {"use": str(lab.folder / "published"), "datasets": ["toy"]}
    experiment = mb.Experiment(methods={"lp": mb.make_method("lp")}, base=base, name="python")
    results = mb.run(experiment, out=lab.folder / "runs/python", jobs=1, progress=False)
    assert results.methods == ("BR", "ML-kNN", "mine", "lp")
    assert [name for name, origin in results.origins.items() if origin is None] == ["lp"]
    assert re.search(r"lp: \w+ of 4 in Macro F1 on toy; ", results.verdict().to_text())
    again = lab.mlbench("plan", "runs/python/experiment.yaml", "--out", "runs/python")
    assert "0 cells to run" in again.stdout


def test_a_bundle_is_a_base(lab):
    (lab.folder / "one.json.xz").write_bytes(pack(published_texts(lab.folder / "published")))
    lab.write("bundled.yaml", MINE.replace("published", "one.json.xz"))
    again = lab.mlbench("run", "bundled.yaml", "--out", "runs/mine")
    assert "18 cells taken over, all keys verified" in again.stderr
    assert "base changed" not in again.stderr
    assert "9 done, 0 to run" in again.stderr
    lab.mlbench("run", "mine.yaml", "--out", "runs/mine")


def test_the_copy_of_the_experiment_finds_its_base(lab):
    again = lab.mlbench("plan", "runs/mine/experiment.yaml", "--out", "runs/mine")
    assert "0 cells to run" in again.stdout


def test_own_results_are_added_to_the_base(lab):
    lab.write("new.yaml", "name: all\nbase: published\nmethods: {new: lp}\n")
    lab.mlbench("run", "new.yaml", "--out", "runs/new")
    lab.mlbench("export", "runs/all", "--folder", "grown")
    added = lab.mlbench("export", "runs/new", "--add-to", "grown")
    assert added.returncode == 0, added.stderr
    grown = mb.open_results(lab.folder / "grown")
    assert grown.methods == ("BR", "ML-kNN", "mine", "new")
    assert set(grown.origins.values()) == {None}


def test_a_damaged_file_is_taken_over_anew(lab):
    lab.mlbench("merge", "runs/mine", "--into", "runs/torn")
    path = lab.folder / "runs/torn/taken-over.json"
    whole = path.read_text()
    path.write_text(whole[:1000])
    shown = lab.mlbench("report", "runs/torn")
    assert "warning: runs/torn/taken-over.json: damaged: " in shown.stderr
    assert "ML-kNN" not in shown.stdout
    ran = lab.mlbench("run", "mine.yaml", "--out", "runs/torn")
    assert "set aside as runs/torn/damaged/taken-over.json." in ran.stderr
    assert path.read_text() == whole


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("bars", r"toy\tBR°\t"),
        ("lines", r"BR°\tsamples=150\t"),
        ("heat-map", r"toy\tML-kNN°\t"),
        ("pareto", r"toy\tBR°\t"),
        ("critical-difference", r"(?m)^ML-kNN°\tmean rank"),
        ("differences", r"toy\tBR°\t"),
    ],
)
def test_figures_mark_methods_of_others_and_say_where_they_are_from(lab, kind, shown):
    pytest.importorskip("matplotlib")
    from mlbench.report.figures.drawing import svg

    results = mb.open_results(lab.folder / "runs/mine")
    plot = FigureRequest(results).plot(kind)
    text = "\n".join(plot.lines())
    assert re.search(shown, text), text
    assert "mine°" not in text
    assert re.search(
        r" ° Taken over from all \([-0-9]+, mlbench .*\), not run here\. Of all, 2 of 3 methods",
        plot.note,
    )
    drawn = svg(plot)
    assert "BR°" in drawn
    assert "mine°" not in drawn
    plain = plot.as_plain()
    assert "°" not in str({**plain, "note": ""})
    assert plain["origins"] == dict(results.origins)


def test_a_figure_of_ones_own_methods_alone_has_no_mark(lab):
    results = mb.open_results(lab.folder / "runs/mine")
    plot = FigureRequest(results, methods=["mine"]).plot("bars")
    assert "°" not in plot.note + "".join(plot.lines())


def test_a_plan_has_its_base(lab):
    words = ("--out", "runs/mine", "--format", "json")
    planned = json.loads(lab.mlbench("plan", "mine.yaml", *words).stdout)
    assert planned["base"]["name"] == "all"
    assert planned["base"]["methods"] == ["BR", "ML-kNN"]
    assert planned["base"]["counts"] == {"ok": 18}
    assert {cell["method"] for cell in planned["cells"]} == {"mine"}
    assert json.loads(lab.mlbench("plan", "all.yaml", *words[2:]).stdout)["base"] is None
