"""What the splits of an experiment can show, as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mlbench.api.resolution import PlannedResolution


def print_resolution(found: Sequence[PlannedResolution], form: str) -> None:
    """Print a table with notes, or JSON."""
    from rich.table import Table
    from rich.text import Text

    from mlbench.cli.results import print_rich
    from mlbench.metrics import get_metric
    from mlbench.number_text import score_format

    if form == "json":
        click.echo(json.dumps([_as_plain(each) for each in found], indent=1))
        return
    table = Table("data set", "metric", box=None)
    for title in ("splits", "test/train", "deviation", "can show", "no splits below"):
        table.add_column(title, justify="right", no_wrap=True)
    for each in found:
        metric = None if each.metric is None else get_metric(each.metric)
        numbers = score_format(metric is None or metric.is_fraction, True, None)
        table.add_row(
            Text(each.dataset),
            Text("any" if metric is None else metric.title),
            str(each.n_splits),
            f"{each.ratio:.2f}",
            numbers.number(each.std),
            numbers.number(each.shown.detectable),
            numbers.number(each.shown.floor),
        )
    print_rich(table)
    click.echo("\n".join(_notes(found)))


def _notes(found: Sequence[PlannedResolution]) -> Iterator[str]:
    from mlbench.number_text import NOTHING
    from mlbench.statistics.resolution import MAX_RATIO

    (alpha,) = {each.alpha for each in found}
    yield (
        "Fractions in points. Deviation: of the differences of two methods over splits, the median "
        "over pairs that differ."
    )
    yield (
        f"Can show: with 80 % power, in one comparison at {alpha:g} by the corrected t-test. "
        "A correction for several comparisons needs larger differences."
    )
    if any(each.metric is None for each in found):
        yield (
            "Metric any: a deviation of 1 point is assumed, because no two methods have scores "
            "that differ on two splits or more yet."
        )
    if any(each.ratio > MAX_RATIO for each in found):
        yield (
            f"{NOTHING} Test parts are more than {MAX_RATIO:g} times as large as training parts: "
            "the corrected t-test is too careful there; see `jackknife_t` in "
            "docs/overlapping-splits.md."
        )
    for dataset, reason in {each.dataset: each.refused for each in found if each.refused}.items():
        yield f"{NOTHING} {dataset}: {reason}."
    if any(each.n_splits == 1 for each in found):
        yield f"{NOTHING} A single split has no test."


def _as_plain(found: PlannedResolution) -> dict[str, object]:
    """Return the fields for JSON, which has no NaN."""
    shown = {
        name: None if math.isnan(value) else value for name, value in asdict(found.shown).items()
    }
    plain = asdict(found)
    del plain["shown"]
    return {**plain, **shown}
