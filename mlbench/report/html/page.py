"""The page: a single file, with escaped names."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from mlbench.comparisons.settings import report_settings
from mlbench.errors import StoreError
from mlbench.escape_controls import escape_all_controls
from mlbench.report.html import failures, figures, overview
from mlbench.report.html.errors import error_tables
from mlbench.report.html.split_tables import SplitTables
from mlbench.report.html.templates import asset, script_hash, templates
from mlbench.report.protocol_note import protocol_note
from mlbench.report.reproduction.matching import compare_with_paper
from mlbench.report.reproduction.tables import reproduction_tables
from mlbench.report.tables import tables_of
from mlbench.report.tables.answer import answers
from mlbench.report.tables.leaderboard import leaderboard
from mlbench.report.tables.origin import marks_of
from mlbench.report.tables.per_label import label_tables
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.table import Table, with_notes_once
from mlbench.report.tables.threats import TITLE, notes_of, numbered_threats
from mlbench.report.tables.times import times_table
from mlbench.report.tables.verdict import verdicts
from mlbench.report.tables.verdict_text import verdict_text
from mlbench.results.plan import StoredPlan
from mlbench.results.results import Results
from mlbench.store.label_scores import LABEL_METRICS


def to_html(folder: Results, home: Path, metrics: Sequence[str] = ()) -> str:
    """Return a results folder as a self-contained page.

    Parameters
    ----------
    folder : Results
    home : Path
        The folder of the page, where links to row files start.
    metrics : sequence of str
        The metrics to show, by default the experiment's.

    Raises
    ------
    StoreError
        If names differ only in control characters.
    """
    plan = _escaped(folder)
    folder = replace(folder, plan=plan)
    settings = report_settings(folder, metrics)
    splits = SplitTables(folder, settings, home)
    experiment = plan.experiment
    protocol = protocol_note(experiment, plan.datasets, folder.rows.values())
    data = report_data(folder, metrics)
    marks = marks_of(folder)
    tables = with_notes_once([marks.of(table) for table in tables_of(data)])
    board = leaderboard(data)
    board = board and marks.of(board)
    best = [row.labels[-1] for row in board.rows] if board else []
    environment = templates()
    script = asset(environment, "page.js")
    return environment.get_template("page.html").render(
        title=experiment.title or experiment.name,
        name=experiment.name,
        description=experiment.description or "",
        protocol=protocol,
        style=Markup(asset(environment, "base.css") + asset(environment, "page.css")),
        script=Markup(script),
        script_hash=script_hash(script),
        summary=overview.key_facts(folder),
        verdict=verdict_text(data, verdicts(data)),
        answers=[
            marks.of(answer.table(), with_notes=False)
            for metric in data.settings.judged_metrics
            for answer in answers(data, metric)
        ],
        threats_title=TITLE,
        threats=numbered_threats(data.threats),
        threat_notes=notes_of(data.threats),
        data=overview.data_table(folder),
        leaderboard=board,
        compared={marks.name(each.method) for each in data.settings.comparisons},
        tables=_numbered([in_order(_without(table, protocol), best) for table in tables], "table"),
        labels=_numbered(
            [marks.of(each, with_notes=False) for each in _label_tables(folder, metrics)], "labels"
        ),
        errors=[marks.of(each, with_notes=False) for each in error_tables(folder)],
        printed=_numbered(_printed_tables(folder), "printed"),
        figures=figures.drawings(folder, settings),
        can_draw=figures.can_draw(),
        choices=marks.of(overview.choices_table(folder), with_notes=False),
        times=marks.of(times_table(folder), with_notes=False),
        failures=failures.failures(splits),
        warnings=failures.warnings(splits),
        damaged=failures.damaged(folder),
        environment=overview.environment_table(folder),
        splits=splits,
    )


def _escaped(folder: Results) -> StoredPlan:
    try:
        return StoredPlan.from_plain(escape_all_controls(folder.plan.as_plain()))
    except ValueError:
        raise StoreError(
            f"{folder.path / 'plan.json'}: two names are the same once their control characters "
            "are escaped; rename one in the experiment"
        ) from None


def _printed_tables(folder: Results) -> list[Table]:
    """Return the results next to the numbers that a paper prints, if it prints any."""
    if not folder.plan.experiment.published:
        return []
    return reproduction_tables(compare_with_paper(folder))


def _label_tables(folder: Results, metrics: Sequence[str]) -> list[Table]:
    """Return the tables of single labels; none where the metrics or the rows have none."""
    if folder.source != "run":
        return []
    settings, rows = report_settings(folder, metrics), folder.whole_rows
    scored = any(row.is_ok and row.by_label for row in rows.values())
    averaged = any(each.name in LABEL_METRICS for each in settings.metrics)
    if not (scored and averaged):
        return []
    return label_tables(folder.cells, rows, settings, folder.datasets)


def in_order(table: Table, methods: Sequence[str]) -> Table:
    """Return a table of scores with its methods in this order, whether in rows or columns.

    Others, such as those that the leaderboard leaves out, come last.
    """
    if not table.name.startswith("scores") or not methods:
        return table
    place = {name: i for i, name in enumerate(methods)}
    if table.corner == ("Method",):
        rows = sorted(table.rows, key=lambda row: place.get(row.labels[0], len(place)))
        return replace(table, rows=tuple(rows))
    titles = [column.title for column in table.columns]
    order = sorted(range(len(titles)), key=lambda j: place.get(titles[j], len(place)))
    return replace(
        table,
        columns=tuple(table.columns[j] for j in order),
        rows=tuple(replace(row, cells=tuple(row.cells[j] for j in order)) for row in table.rows),
    )


def _numbered(tables: Sequence[Table], name: str) -> list[Table]:
    return [replace(table, name=f"{name}-{number}") for number, table in enumerate(tables, 1)]


def _without(table: Table, note: str) -> Table:
    return replace(table, notes=tuple(each for each in table.notes if each != note))
