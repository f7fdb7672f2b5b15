"""Effect sizes in wide form: a table per effect size, beside those of the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from mlbench.report.numbers import NOTHING, ScoreFormat
from mlbench.report.settings import MetricColumn
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
    found: Found,
    metrics: Sequence[MetricColumn],
    formats: Mapping[str, ScoreFormat],
    alpha: float,
) -> list[Table]:
    """Lay out effect sizes, a row per pair of methods and a column per data set.

    Parameters
    ----------
    found : sequence of (Comparison, findings)
        Of one comparison or of several that stand together, in all metrics and data sets.
    metrics : sequence of MetricColumn
        Groups of columns.
    formats : mapping of metric to ScoreFormat
        For differences.
    alpha : float
        1 - alpha is the level of intervals.
    """
    effects = dict.fromkeys(name for _, each in found for f in each for name in f.effects)
    return [
        _table(effect, Grid.of(found, metrics, partial(_has, effect)), formats, alpha)
        for effect in effects
    ]


def _has(effect: str, finding: Finding) -> bool:
    return effect in finding.effects


def _table(effect: str, grid: Grid, formats: Mapping[str, ScoreFormat], alpha: float) -> Table:
    every = [finding for _, findings in grid.findings for finding in findings]
    metrics = list(dict.fromkeys(metric for metric, _ in grid.places))
    return Table(
        name=grid.name(effect),
        title=grid.title(_title(effect, alpha)),
        corner=grid.corner,
        columns=grid.columns,
        rows=tuple(
            grid.sourced(
                grid.labels(comparison, other),
                [
                    _cell(finding, effect, formats[metric.name])
                    for finding, (metric, _) in zip(
                        grid.row((comparison, other)), grid.places, strict=True
                    )
                ],
            )
            for comparison, other in grid.pairs
        ),
        notes=(
            *_note_on_direction(effect, grid.subject, metrics),
            *notes_on_effects([effect], grid.subject, alpha),
            *notes_on_oddities(every, [], [effect]),
        ),
        records=tuple(r for each in every for r in effect_records(each) if r["effect"] == effect),
    )


def _title(effect: str, alpha: float) -> str:
    heading = effect_heading(effect, alpha)
    return f"Difference with {heading}" if effect == "difference" else heading


def _cell(finding: Finding | None, effect: str, style: ScoreFormat) -> TableCell:
    if finding is None:
        return TableCell(NOTHING, marks=(ODD,))
    found = finding.effects[effect]
    cell = effect_cell(found, style)
    if effect == "difference" and found.n:
        cell = replace(cell, printed=f"{style.signed(found.value)} ({interval(found, style)})")
    return cell.marked(FEWER) if 0 < found.n < finding.n_splits else cell


def _note_on_direction(effect: str, subject: str, metrics: Sequence[MetricColumn]) -> list[str]:
    if effect not in ("difference", "cohen_d"):
        return []
    less = [metric.title for metric in metrics if not metric.greater_is_better]
    but = f", in {' and '.join(less)} negative" if less else ""
    return [f"{subject[0].upper()}{subject[1:]} minus the other: positive favors it{but}."]
