"""Committed results agree with each other: comparisons and references with their folders."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from mlbench.check import read_reference
from mlbench.cli import main
from mlbench.papers.counts import read_causes
from mlbench.papers.printed_values import PAPERS, printed_values
from mlbench.results import open_results

ROOT = Path(__file__).parents[2]
QUOTING = sorted(
    str(page.relative_to(ROOT))
    for page in ROOT.glob("results/**/*.md")
    if re.search("<!-- mlbench (reproduce|paper|leaderboard)", page.read_text())
)
REFERENCES = sorted(
    str(page.parent.relative_to(ROOT))
    for page in ROOT.glob("results/**/reference.json")
    if (page.parent / "scores.csv").exists()
)
FOLDERS = sorted(
    str(page.parent.relative_to(ROOT)) for page in ROOT.glob("results/**/comparison.md")
)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_committed_comparison_is_that_of_its_folder(folder, monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = CliRunner().invoke(main, ["reproduce", folder, "--format", "markdown"])
    assert shown.exit_code == 0, shown.stderr
    assert (ROOT / folder / "comparison.md").read_text() == shown.stdout, (
        f"write it anew: mlbench reproduce {folder} --format markdown > {folder}/comparison.md"
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", QUOTING)
def test_a_page_quotes_what_its_commands_print(page, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    copy = tmp_path / "copy.md"
    copy.write_text((ROOT / page).read_text())
    shown = CliRunner().invoke(main, ["paper", "refresh", str(copy)])
    assert shown.exit_code == 0, shown.stderr
    assert "nothing has changed" in shown.stdout, f"run mlbench paper refresh {page}"


@pytest.mark.parametrize("folder", REFERENCES)
def test_a_reference_has_the_scores_of_its_folder(folder):
    reference = read_reference(ROOT / folder / "reference.json")
    with (ROOT / folder / "scores.csv").open(newline="") as file:
        scores = {
            (line["dataset"], line["method"], int(line["split"]), line["metric"]): line["value"]
            for line in csv.DictReader(file)
        }
    for series in reference.series:
        for metric in reference.metrics:
            for split, score in series.scores(metric).items():
                value = scores[series.dataset, series.method, split, metric]
                assert (float(value) if value else None) == score


def test_each_paper_begins_with_its_claims():
    pages = {str(page.relative_to(ROOT)) for page in ROOT.glob("results/*/REPORT.md")}
    reports = pages - {"results/arena/REPORT.md"}  # of no paper
    assert {"results/README.md", *reports} <= set(QUOTING)
    for page in ["results/README.md", *reports]:
        text = (ROOT / page).read_text()
        assert "<!-- mlbench paper claims" in "\n".join(text.splitlines()[:6])
        assert "<!-- mlbench paper counts" in text


def test_each_cause_is_about_a_printed_number():
    values = [value for paper in PAPERS for value in printed_values(paper)]
    for cause in read_causes(ROOT / "results/causes.csv"):
        assert any(cause.explains(value) for value in values), cause


@pytest.mark.slow
@pytest.mark.parametrize("folder", REFERENCES)
def test_a_committed_folder_opens_with_the_keys_of_its_reference(folder):
    results = open_results(ROOT / folder)
    reference = read_reference(ROOT / folder / "reference.json")
    keys = {cell.key for series in reference.series for cell in series.cells.values()}
    assert results.rows.keys() == keys
    assert results.test_train_ratios.keys() == {*results.datasets}


@pytest.mark.slow
def test_committed_folders_take_the_place_of_runs(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    home = "results/strong-baselines"
    drawing = ["figure", home, "--kind", "critical-difference", "--out", str(tmp_path / "a.svg")]
    for words in (["report", home], drawing, ["compare", home, home]):
        shown = CliRunner().invoke(main, words)
        assert (shown.exit_code, "BOOMER" in shown.stdout) == (0, True), shown.stderr
