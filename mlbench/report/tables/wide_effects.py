"""Effect sizes in wide form: a table per effect size, beside those of the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from mlbench.report.numbers import NOTHING, ScoreFormat
from mlbench.report.settings import Comparison, MetricColumn
from mlbench.report.tables.comparison_notes import FEWER, ODD, notes_on_oddities
from mlbench.report.tables.effect_sizes import (
    effect_cell,
    effect_heading,
    effect_records,
    interval,
    notes_on_effects,
)
from mlbench.report.tables.pairwise_tests import Finding
from mlbench.report.tables.table import Table, TableCell
from mlbench.report.tables.wide_comparison import Found, Grid


def wide_effects(
    found: Found, metrics: Sequence[MetricColumn], formats: Mapping[str, ScoreFormat]
) -> list[Table]:
    """Return a table per effect size, with a row per pair of methods and a column per data set.

    `formats`, by metric, are for differences.
    """
    effects = dict.fromkeys(name for _, each in found for f in each for name in f.effects)
    return [_table(effect, found, metrics, formats) for effect in effects]


def _table(
    effect: str,
    found: Found,
    metrics: Sequence[MetricColumn],
    formats: Mapping[str, ScoreFormat],
) -> Table:
    grid = Grid.of(found, metrics, lambda finding: effect in finding.effects)
    return replace(
        grid.table(effect, _title(effect), partial(_cell, effect, formats)),
        notes=(
            *_note_on_direction(effect, grid, metrics),
            *notes_on_effects([effect], grid.subject, [each.rope for each, _ in found]),
            *notes_on_oddities(grid.every, [], [effect]),
        ),
        records=tuple(
            record
            for finding in grid.every
            for record in effect_records(finding)
            if record["effect"] == effect
        ),
    )


def _title(effect: str) -> str:
    heading = effect_heading(effect)
    return f"Difference with {heading}" if effect == "difference" else heading


def _cell(
    effect: str,
    formats: Mapping[str, ScoreFormat],
    finding: Finding | None,
    metric: MetricColumn,
    _: Comparison,
) -> TableCell:
    if finding is None:
        return TableCell(NOTHING, marks=(ODD,))
    found, style = finding.effects[effect], formats[metric.name]
    cell = effect_cell(found, style)
    if effect == "difference" and found.n:
        cell = replace(cell, printed=f"{style.signed(found.value)} ({interval(found, style)})")
    return cell.marked(FEWER) if 0 < found.n < finding.n_splits else cell


def _note_on_direction(effect: str, grid: Grid, metrics: Sequence[MetricColumn]) -> list[str]:
    if effect not in ("difference", "cohen_d"):
        return []
    less = [metric.title for metric in metrics if not metric.greater_is_better]
    but = f", in {' and '.join(less)} negative" if less else ""
    subject = grid.subject if grid.single else grid.subject.capitalize()
    return [f"{subject} minus the other: positive favors it{but}."]
