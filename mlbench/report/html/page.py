"""The page: everything in one file, and no name in it can do anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from mlbench.errors import StoreError
from mlbench.escape_controls import escape_all_controls, escape_controls
from mlbench.report.folder import ResultsFolder
from mlbench.report.html.evidence import Evidence
from mlbench.report.html.failures import damaged, failures, warnings
from mlbench.report.html.figures import can_draw, drawings
from mlbench.report.html.html_table import of_table
from mlbench.report.html.overview import (
    choices_sheet,
    data_sheet,
    environment_sheet,
    summary,
    times_sheet,
)
from mlbench.report.html.printed import printed_sheets
from mlbench.report.plan import StoredPlan
from mlbench.report.protocol_note import protocol_note
from mlbench.report.tables.table import Table, with_notes_once

MOST_LINES = 200
"""A longer table is folded."""


def to_html(folder: ResultsFolder, home: Path, metrics: Sequence[str] = ()) -> str:
    """Return a results folder as one page that needs nothing else.

    Parameters
    ----------
    folder : ResultsFolder
    home : Path
        The folder in which the page will lie; links to row files start there.
    metrics : sequence of str
        Shown instead of the experiment's own.

    Raises
    ------
    StoreError
        If names are told apart by control characters alone.
    """
    plan = _escaped(folder)
    folder = replace(folder, plan=plan)
    settings = folder.settings(metrics)
    evidence = Evidence(folder, settings, home)
    experiment = plan.experiment
    protocol = protocol_note(experiment, folder.scan.rows.values())
    tables = with_notes_once(folder.tables(metrics))
    environment = Environment(
        loader=PackageLoader("mlbench.report.html", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape_controls,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _asset(environment, "page.js")
    return environment.get_template("page.html").render(
        title=experiment.title or experiment.name,
        name=experiment.name,
        description=experiment.description or "",
        protocol=protocol,
        style=Markup(_asset(environment, "page.css")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        summary=summary(folder),
        data=data_sheet(folder),
        tables=[
            of_table(_without(table, protocol), f"table-{number}", evidence.link)
            for number, table in enumerate(tables, 1)
        ],
        printed=printed_sheets(evidence),
        figures=drawings(folder, settings),
        can_draw=can_draw(),
        choices=choices_sheet(evidence),
        times=times_sheet(evidence),
        failures=failures(evidence),
        warnings=warnings(evidence),
        damaged=damaged(folder),
        environment=environment_sheet(folder),
        evidence=evidence,
        most_lines=MOST_LINES,
    )


def _escaped(folder: ResultsFolder) -> StoredPlan:
    try:
        return StoredPlan.from_plain(escape_all_controls(folder.plan.as_plain()))
    except ValueError:
        raise StoreError(
            f"{folder.path / 'plan.json'}: two names are the same once their control characters "
            "are escaped; rename one in the experiment"
        ) from None


def _without(table: Table, note: str) -> Table:
    return replace(table, notes=tuple(each for each in table.notes if each != note))


def _asset(environment: Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]
