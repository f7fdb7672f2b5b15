"""A live table of how far a run is: methods and data sets."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mlbench.escape_controls import escape_controls
from mlbench.results.plan import StoredPlan
from mlbench.store import Store
from mlbench.store.active_runs import runs_at_work

SECONDS = 2.0
"""Between two looks at the folder."""


def watch(results: Path, console: Console) -> None:
    """Show the table until every cell has a row; once where there is no terminal."""
    store = Store(results)
    plan = StoredPlan.read(store)
    statuses: dict[str, str] = {}
    with Live(console=console, auto_refresh=False) as live:
        while True:
            missing = [cell.key for cell in plan.cells if cell.key not in statuses]
            for key, row in store.summaries(missing).rows.items():
                statuses[key] = row.status
            table = progress_table(plan, statuses, _running(results))
            live.update(table, refresh=True)
            if len(statuses) == len(plan.cells) or not console.is_terminal:
                return
            time.sleep(SECONDS)


def progress_table(plan: StoredPlan, statuses: Mapping[str, str], running: Sequence[str]) -> Table:
    """Return a table of the cells that are done, failed and running.

    Parameters
    ----------
    plan : StoredPlan
    statuses : mapping
        Of the cells that have a row, by key.
    running : sequence of str
        Cells that run now: data set, method and split with slashes.
    """
    at_work = Counter(name.rpartition("/")[0] for name in running)
    found: dict[tuple[str, str], Counter[str]] = {}
    for cell in plan.cells:
        counts = found.setdefault((cell.dataset, cell.method), Counter())
        counts["cells"] += 1
        status = statuses.get(cell.key, "missing")
        counts["failed" if status not in ("ok", "missing") else status] += 1
    failed = sum(counts["failed"] for counts in found.values())
    title = f"{plan.experiment.name}: {len(statuses)} of {len(plan.cells)} cells"
    table = Table(title=Text(escape_controls(title)), title_justify="left")
    table.add_column("Method", overflow="fold")
    for dataset in plan.datasets:
        table.add_column(Text(escape_controls(dataset)), justify="right")
    for method in plan.methods:
        table.add_row(
            Text(escape_controls(method)),
            *(
                _cell(found.get((dataset, method), Counter()), at_work[f"{dataset}/{method}"])
                for dataset in plan.datasets
            ),
        )
    if failed:
        table.caption = f"{failed} failed: `mlbench status` says why"
    return table


def _cell(counts: Counter[str], at_work: int) -> Text:
    words = f"{counts['ok']}/{counts['cells']}" if counts["cells"] else ""
    text = Text(words, style="green" if words and counts["ok"] == counts["cells"] else "")
    if counts["failed"]:
        text.append(f", {counts['failed']} failed", style="red")
    if at_work:
        text.append(f", {at_work} running", style="bold")
    return text


def _running(results: Path) -> list[str]:
    return [name for note in runs_at_work(results) for name in note["cells"]]
