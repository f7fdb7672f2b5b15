"""The leaderboard's page: one file with the scores of all splits, which computes what is chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.comparisons.standings import (
    TICKS,
    TIMES,
    UNIT,
    SplitScores,
    Standings,
    cell_times,
    split_scores,
    standings_of,
    timed_step,
)
from mlbench.errors import MlbenchError
from mlbench.escape_controls import escape_all_controls, escape_controls
from mlbench.number_text import listed
from mlbench.report.html.templates import asset, script_hash, templates
from mlbench.report.tables.standings import (
    NUMBERS,
    leads,
    marked_name,
    not_run_in_words,
    note_on_copies,
    note_on_origins,
    notes_on_fairness,
    numbers_of,
    origin_of,
    require_finished,
    told_apart,
)
from mlbench.report.tables.times import notes_on_machines
from mlbench.results.results import Results
from mlbench.results.scores import SeriesKey
from mlbench.statistics import ALPHA, critical_range

MAX_BYTES = 2_000_000
"""A larger page would take long to load."""
SCRIPTS = ("ranks.js", "difference.js", "leaderboard.js")
"""In the order in which they stand in the page."""
KEYS = ("rank", "win", "best", "failed", "seconds")
"""The columns of `NUMBERS` in the page's address, and their CSS classes."""
ROWS = (1_000, 10_000)
LABELS = (20, 100)
"""Where the ranges of rows and labels end that the page offers."""


@dataclass(frozen=True)
class Range:
    """A choice of data sets by a number: `low` or more, and fewer than `high`."""

    low: int
    high: int | None

    @property
    def value(self) -> str:
        """The range in the page's address."""
        return f"{self.low or ''}-{self.high or ''}"

    def __str__(self) -> str:
        """Return the range in words."""
        if self.high is None:
            return f"{self.low:,} and more"
        return f"{self.low:,} to {self.high - 1:,}" if self.low else f"fewer than {self.high:,}"

    def holds(self, number: int) -> bool:
        """Return whether a number is in the range."""
        return self.low <= number and (self.high is None or number < self.high)


@dataclass(frozen=True)
class LeaderboardChoice:
    """What the page of a leaderboard offers."""

    metrics: tuple[MetricColumn, ...]
    """The first is shown at first."""
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    domains: Mapping[str, str]
    """By data set."""
    only_finished: bool = False
    """Whether data sets that not all methods have finished are left out at first."""


def leaderboard_page(results: Results, settings: ReportSettings, choice: LeaderboardChoice) -> str:
    """Return the leaderboard of results as a self-contained page.

    Without a script it shows the table of the first metric.

    Raises
    ------
    MlbenchError
        If no data set is finished in some metric, or the page would be too large.
    """
    scores = results.scores_of([metric.name for metric in choice.metrics], seconds=False)
    splits = [
        split_scores(scores, metric, results.datasets, results.methods) for metric in choice.metrics
    ]
    times = cell_times(results)
    asked = times, choice.datasets, choice.methods
    for each in splits:
        require_finished(results, standings_of(each, *asked))
    found = standings_of(splits[0], *asked, choice.only_finished)
    require_finished(results, found)
    text = _page(results, choice, found, _data(results, settings, choice, splits, times))
    size = len(text.encode())
    if size > MAX_BYTES:
        raise MlbenchError(
            f"{results.path}: the page would have {size / 1e6:.1f} MB, more than "
            f"{MAX_BYTES / 1e6:.0f} MB; choose fewer metrics with --metric, or data sets with "
            "--dataset"
        )
    return text


def _page(
    results: Results, choice: LeaderboardChoice, found: Standings, data: dict[str, Any]
) -> str:
    experiment = results.plan.experiment
    names = {name: marked_name(results, name) for name in choice.methods}
    facts = [results.plan.datasets[name] for name in choice.datasets]
    environment = templates()
    script = "".join(asset(environment, name) for name in SCRIPTS)
    return environment.get_template("leaderboard.html").render(
        title=experiment.title or experiment.name,
        name=experiment.name,
        description=experiment.description or "",
        style=Markup(asset(environment, "base.css") + asset(environment, "leaderboard.css")),
        script=Markup(script),
        script_hash=script_hash(script),
        data=Markup(_json(data)),
        choice=choice,
        domains=list(dict.fromkeys(choice.domains[name] for name in choice.datasets)),
        n_rows=_ranges(ROWS, [each.n_samples for each in facts]),
        n_labels=_ranges(LABELS, [each.n_columns for each in facts]),
        leaders=listed(found.leaders),
        leads=leads(found, len(choice.datasets), len(choice.methods)),
        told_apart=f"{told_apart(found)} {not_run_in_words(found)}",
        columns=[*zip(KEYS, NUMBERS, strict=True)],
        rows=[
            (
                row,
                _breakable(row.method),
                [(key, c.printed) for key, c in zip(KEYS, numbers_of(row), strict=True)],
            )
            for row in found.rows
        ],
        names=names,
        own=_own(results, choice.methods),
        notes=" ".join(
            [
                *note_on_copies(results, choice.datasets),
                *note_on_origins(results, choice.methods),
                *notes_on_fairness(results),
            ]
        ),
        origin=origin_of(results),
        time=TIMES[timed_step(results)],
        machines=" ".join(notes_on_machines(results.rows.values())),
    )


def _own(results: Results, methods: Sequence[str]) -> list[str]:
    """Return the methods that were run here, where others were taken over."""
    own = [name for name in methods if results.origins[name] is None]
    return own if len(own) < len(methods) else []


def _breakable(name: str) -> Markup:
    """Return a name that may break before a bracket."""
    return escape(escape_controls(name)).replace("(", Markup("<wbr>("))


def _ranges(ends: Sequence[int], numbers: Sequence[int]) -> list[Range]:
    """Return the ranges that hold some of the numbers; none where one holds them all."""
    ranges = [Range(low, high) for low, high in zip((0, *ends), (*ends, None), strict=True)]
    used = [each for each in ranges if any(map(each.holds, numbers))]
    return used if len(used) > 1 else []


def _data(
    results: Results,
    settings: ReportSettings,
    choice: LeaderboardChoice,
    splits: Sequence[SplitScores],
    times: Mapping[SeriesKey, Sequence[int]],
) -> dict[str, Any]:
    """Return what the page computes from; data sets and methods are told by their numbers."""
    datasets, methods = choice.datasets, choice.methods
    experiment = results.plan.experiment
    return {
        "name": experiment.name,
        "unit": UNIT,
        "ticks": TICKS,
        "metrics": [
            {
                "name": metric.name,
                "title": metric.title,
                "greater": metric.greater_is_better,
                "factor": settings.formats[metric.name].factor,
                "decimals": settings.formats[metric.name].decimals,
            }
            for metric in choice.metrics
        ],
        "datasets": [
            {
                "name": name,
                "domain": choice.domains[name],
                "rows": results.plan.datasets[name].n_samples,
                "labels": results.plan.datasets[name].n_columns,
            }
            for name in datasets
        ],
        "methods": list(methods),
        "own": [methods.index(name) for name in _own(results, methods)],
        "names": [marked_name(results, name) for name in methods],
        "scores": [
            [[list(each.scores[name, method]) for method in methods] for name in datasets]
            for each in splits
        ],
        "means": [
            [[each.means.get((name, method)) for method in methods] for name in datasets]
            for each in splits
        ],
        "lacking": [
            [[each.lacking.get((name, method), "") for method in methods] for name in datasets]
            for each in splits
        ],
        "notRun": [
            [[(name, method) in each.not_run for method in methods] for name in datasets]
            for each in splits
        ],
        "seconds": [
            [list(times.get((name, method), ())) for method in methods] for name in datasets
        ],
        "alpha": ALPHA,
        "q": [critical_range(k, ALPHA) if k > 1 else 0 for k in range(len(methods) + 1)],
    }


def _json(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the element that it stands in."""
    text = json.dumps(escape_all_controls(data), ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
