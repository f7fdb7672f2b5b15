"""What `mlbench reproduce` prints: results beside a paper, readings, and summaries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.cli.results import as_text, open_results
from mlbench.config.load import find_config
from mlbench.errors import MlbenchError
from mlbench.papers.causes import read_causes, refuse_unknown
from mlbench.papers.count_tables import (
    summary_as_plain,
    summary_records,
    summary_tables,
)
from mlbench.papers.counts import summarize
from mlbench.papers.interpretation_records import reading_records, readings_as_plain
from mlbench.papers.interpretation_tables import reading_tables
from mlbench.papers.interpretations import compare_readings, names_of_parts
from mlbench.report.render import RENDERERS
from mlbench.report.reproduction.brief_tables import brief_tables
from mlbench.report.reproduction.comparison import PaperComparison, compare_with_paper
from mlbench.report.reproduction.records import as_plain
from mlbench.report.reproduction.tables import comparison_tables, record_table
from mlbench.report.tables.table import Table
from mlbench.yaml_loader import load_yaml


@dataclass(frozen=True)
class Wanted:
    """Which printed numbers to compare."""

    paper: str | None = None
    """By default that of the experiment."""
    table: str | None = None
    """By default all."""
    methods: tuple[str, ...] = ()
    """By default all."""
    datasets: tuple[str, ...] = ()
    """By default all."""

    @property
    def is_part(self) -> bool:
        """Whether they are a part of what the paper prints."""
        return bool(self.table or self.methods or self.datasets)


@dataclass(frozen=True)
class Shown:
    """Numbers in all formats."""

    tables: Sequence[Table]
    plain: Mapping[str, object]
    records: Table

    def printed(self, form: str) -> str:
        """Return them as text, Markdown, CSV or JSON."""
        if form == "json":
            return json.dumps(self.plain, indent=1, ensure_ascii=False) + "\n"
        if form == "csv":
            return RENDERERS[form](self.records)
        render = RENDERERS[form] if form == "markdown" else as_text
        return "\n".join(map(render, self.tables))


def of_results(results: str, wanted: Wanted, brief: bool) -> tuple[PaperComparison, Shown]:
    """Compare one results folder with a paper."""
    comparison = _with_numbers(results, wanted)
    tables = brief_tables(comparison) if brief else comparison_tables(comparison)
    return comparison, Shown(tables, as_plain(comparison), record_table(comparison))


def of_readings(results: Sequence[str], wanted: Wanted) -> Shown:
    """Compare results as readings of a protocol."""
    named = [_name_and_results(each) for each in results]
    given = [name for name, _ in named]
    if any(given) and not all(given):
        unnamed = next(each for name, each in named if not name)
        raise MlbenchError(f"{unnamed}: name all results or none: NAME={unnamed}")
    comparisons = [_with_numbers(each, wanted) for _, each in named]
    names = given if any(given) else names_of_parts(comparisons)
    compared = compare_readings(list(zip(names, comparisons, strict=True)))
    return Shown(reading_tables(compared), readings_as_plain(compared), reading_records(compared))


def of_papers(results: Sequence[str], wanted: Wanted, causes: Path | None) -> Shown:
    """Count the verdicts on all printed numbers of the papers that results belong to."""
    known = read_causes(causes) if causes else []
    comparisons = [_comparison(each, wanted) for each in results]
    printing = [each for each in comparisons if each.printed]
    if printing and not any(each.lines for each in printing):
        raise MlbenchError(nothing_in_common(printing[0]))
    if not wanted.is_part:
        refuse_unknown(known, {value for each in comparisons for value in each.printed})
    papers = summarize(comparisons, known)
    return Shown(summary_tables(papers), summary_as_plain(papers), summary_records(papers))


def _with_numbers(results: str, wanted: Wanted) -> PaperComparison:
    comparison = _comparison(results, wanted)
    if not comparison.lines:
        raise MlbenchError(nothing_in_common(comparison))
    return comparison


def _comparison(results: str, wanted: Wanted) -> PaperComparison:
    path = _results_folder(results)
    folder = open_results(path) if (path / "plan.json").exists() else path
    return compare_with_paper(folder, wanted.paper, wanted.table, wanted.methods, wanted.datasets)


def _results_folder(results: str) -> Path:
    """Return a folder; that of an experiment file is `runs/NAME`."""
    if not results.endswith((".yaml", ".yml")):
        return Path(results)
    experiment = load_yaml(find_config(results)).value
    name = experiment.get("name") if isinstance(experiment, dict) else None
    folder = Path("runs") / str(name)
    if not folder.is_dir():
        raise MlbenchError(f"{results}: no results in {folder}; run it: mlbench run {results}")
    return folder


def _name_and_results(text: str) -> tuple[str, str]:
    name, equals, results = text.partition("=")
    if not equals or Path(text).exists():
        return "", text
    if not name.strip() or not results:
        raise MlbenchError(f"{text!r}: write NAME=RESULTS")
    return name.strip(), results


def nothing_in_common(comparison: PaperComparison) -> str:
    """Say that no printed number belongs to the results, and which would."""
    printed = comparison.printed
    if not printed:
        return f"{comparison.paper} prints no scores and no times"
    places = ", ".join(dict.fromkeys(value.place for value in printed))
    methods = ", ".join(dict.fromkeys(value.method for value in printed))
    return (
        f"{comparison.source}: no printed number of {comparison.paper} belongs to these results. "
        "Data sets and methods are matched by their names in tables, and their metrics must be "
        f"in the results.\n  data sets of {comparison.paper}: {places}\n  methods: {methods}"
    )
