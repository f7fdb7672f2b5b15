"""``mlbench leaderboard``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import format_option

if TYPE_CHECKING:
    from mlbench.comparisons.settings import MetricColumn, ReportSettings
    from mlbench.comparisons.standings import Standings
    from mlbench.report.tables.table import Table
    from mlbench.results.results import Results


DEFAULT = "arena"
"""The published results that are shown where none are named, once they are there."""


@click.command()
@click.argument("results", type=click.Path(path_type=Path), required=False)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Rank by this metric (repeatable). [default: the experiment's first]",
)
@click.option("--dataset", "datasets", multiple=True, help="Only this data set (repeatable).")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    help="Only data sets of this domain, such as text (repeatable).",
)
@click.option("--method", "methods", multiple=True, help="Only this method (repeatable).")
@click.option("--without", multiple=True, metavar="METHOD", help="Not this method (repeatable).")
@click.option(
    "--finished", is_flag=True, help="Only data sets that all of these methods have finished."
)
@click.option(
    "--brief", is_flag=True, help="One table: the mean ranks in all of the experiment's metrics."
)
@format_option("text", "markdown", "csv", "json")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a page instead, with all of the experiment's metrics.",
)
def leaderboard(
    results: Path | None,
    metrics: tuple[str, ...],
    datasets: tuple[str, ...],
    domains: tuple[str, ...],
    methods: tuple[str, ...],
    without: tuple[str, ...],
    finished: bool,
    brief: bool,
    form: str,
    page: Path | None,
) -> None:
    """Rank the methods of a run or of an exported folder over its data sets.

    RESULTS is a folder, or the name of published results; by default `arena`.

    First who leads, and which methods the test does not tell apart from it; then each method's
    mean rank, how often it wins against another, on how many data sets it is best or fails, and
    its time. A method that fails on a data set takes the last rank there. Data sets that some of
    the methods have not run are left out.

    \b
      mlbench leaderboard strong-baselines
      mlbench leaderboard strong-baselines --metric macro_auc --domain text
      mlbench leaderboard runs/mine --method mine --method BR --format csv
      mlbench leaderboard runs/mine --html leaderboard.html
    """
    from mlbench.cli.changed_code import warn_of_other_code
    from mlbench.cli.results import open_and_warn
    from mlbench.comparisons.settings import report_settings
    from mlbench.errors import MlbenchError
    from mlbench.report.tables.standings import brief_table, standings_table
    from mlbench.spelling import chosen

    folder = open_and_warn(results or _default())
    warn_of_other_code(folder.path, folder)
    settings = report_settings(folder, metrics)
    sets = _of_domains(folder, chosen("data set", datasets, folder.datasets), domains)
    ranked = chosen("method", methods, folder.methods)
    left_out = chosen("method", without, folder.methods) if without else []
    ranked = [name for name in ranked if name not in left_out]
    if len(ranked) < 2:
        here = f"is {ranked[0]}" if ranked else "is none"
        raise MlbenchError(f"{folder.path}: a leaderboard takes two methods; here {here}")
    shown = settings.metrics if metrics else tuple(settings.judged_metrics)
    for metric in shown or settings.metrics[:1]:
        metric.check_quality()
    if page is not None:
        if brief:
            raise click.UsageError("--html has all metrics; --brief is for what is printed")
        _write(folder, settings, shown, sets, ranked, finished, page)
        return
    asked = shown if metrics or brief else shown[:1]
    found = _standings(folder, asked, sets, ranked, finished)
    formats = settings.formats
    tables = (
        [brief_table(found, folder)]
        if brief
        else [standings_table(each, formats[each.metric.name], folder) for each in found]
    )
    _print(tables, form)


def _default() -> Path:
    from mlbench.bundle import published_results

    known = published_results()
    if DEFAULT not in known:
        raise click.UsageError(
            f"name RESULTS: a folder, or published results: {', '.join(known) or 'none are here'}"
        )
    return Path(DEFAULT)


def _print(tables: Sequence[Table], form: str) -> None:
    from mlbench.cli.results import as_text
    from mlbench.report.render import to_csv, to_markdown

    if form == "json":
        records = [dict(record) for table in tables for record in table.records]
        click.echo(json.dumps(records, indent=2))
        return
    renderers = {"text": as_text, "markdown": to_markdown, "csv": to_csv}
    for table in tables:
        click.echo(renderers[form](table), nl=form != "csv")


def _standings(
    folder: Results,
    metrics: Sequence[MetricColumn],
    datasets: Sequence[str],
    methods: Sequence[str],
    finished: bool,
) -> list[Standings]:
    from mlbench.comparisons.standings import cell_times, split_scores, standings_of
    from mlbench.report.tables.standings import require_finished

    scores = folder.scores_of([metric.name for metric in metrics], seconds=False)
    times, standings = cell_times(folder), []
    for metric in metrics:
        splits = split_scores(scores, metric, folder.datasets, folder.methods)
        found = standings_of(splits, times, datasets, methods, finished)
        require_finished(folder, found)
        standings.append(found)
    return standings


def _write(
    folder: Results,
    settings: ReportSettings,
    metrics: Sequence[MetricColumn],
    datasets: Sequence[str],
    methods: Sequence[str],
    finished: bool,
    page: Path,
) -> None:
    from mlbench.cli.report import check_page, save_page
    from mlbench.report.html.leaderboard import LeaderboardChoice, leaderboard_page

    check_page(page, "leaderboard.html")
    domains = domains_of(folder)
    choice = LeaderboardChoice(tuple(metrics), tuple(datasets), tuple(methods), domains, finished)
    save_page(page, leaderboard_page(folder, settings, choice))


def _of_domains(folder: Results, datasets: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the data sets of the domains that are wanted, by default all."""
    from mlbench.errors import MlbenchError
    from mlbench.spelling import chosen

    if not wanted:
        return list(datasets)
    domains = domains_of(folder)
    shown = chosen("domain", wanted, sorted(set(domains.values())))
    kept = [name for name in datasets if domains[name] in shown]
    if not kept:
        raise MlbenchError(
            f"no data set is left: of {', '.join(datasets)} none has the domain "
            f"{' or '.join(wanted)}"
        )
    return kept


OTHER = "other"
"""The domain of data sets without a card."""


def domains_of(folder: Results) -> dict[str, str]:
    """Return the domain of each data set, by its name in tables, as its card says."""
    from mlbench.data.cards import card_name, card_places, read_card

    places, found = card_places(), {}
    for name, entry in zip(folder.datasets, folder.plan.experiment.datasets, strict=True):
        paths = places.get(card_name(entry.use))
        found[name] = read_card(paths[0]).domain if paths else OTHER
    return found
