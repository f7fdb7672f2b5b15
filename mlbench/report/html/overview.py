"""What the page shows around scores: counts, data sets, chosen parameters, software."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from mlbench.number_text import NOTHING, counted, duration, of_kinds
from mlbench.report.html.split_tables import parameter_text
from mlbench.report.html.templates import PageCell
from mlbench.report.tables.table import Column, Table, TableCell, TableRow
from mlbench.report.tables.times import scored_rows
from mlbench.results.results import Results
from mlbench.results.scores import OK
from mlbench.store import Plain, Summary
from mlbench.store.row import values_by


def key_facts(folder: Results) -> list[tuple[str, str, str]]:
    """Return the name, the text and the CSS class of each fact in the page's summary."""
    counts = folder.counts
    total = counted(len(folder.cells), "cell")
    bad = [(status, n) for status, n in counts.items() if status != OK]
    state = f"{counts.get(OK, 0)} of {total} ok"
    rows = folder.rows.values()
    finished = sorted(row.finished[:10] for row in rows if row.finished)
    facts = [
        ("Cells", f"{state}; {of_kinds(bad)}" if bad else state, "bad" if bad else "good"),
        ("Data sets", str(len(folder.plan.datasets)), ""),
        ("Methods", str(len(folder.plan.methods)), ""),
        ("Splits", str(folder.plan.n_splits), ""),
        ("Worker time", duration(sum(row.seconds.get("total", 0) for row in rows)), ""),
    ]
    if finished:
        days = finished[0] if finished[0] == finished[-1] else f"{finished[0]} to {finished[-1]}"
        facts.append(("Computed", f"{days} (UTC)", ""))
    return facts


def data_table(folder: Results) -> Table:
    """Return the sizes of the data sets."""
    shown = {"n_samples": "Samples", "n_features": "Features", "n_labels": "Labels"}
    if any(each.n_tasks for each in folder.plan.datasets.values()):
        shown["n_tasks"] = "Tasks"
    return Table(
        name="data",
        title="Data sets",
        corner=("Data set",),
        columns=tuple(map(Column, shown.values())),
        rows=tuple(
            TableRow((name,), tuple(TableCell(str(getattr(each, key))) for key in shown))
            for name, each in folder.plan.datasets.items()
        ),
        notes=tuple(
            f"{name}: {words}."
            for name, each in folder.plan.datasets.items()
            for words in (each.text, each.left_out and f"left out {each.left_out}")
            if words
        ),
    )


def choices_table(folder: Results) -> Table:
    """Return how often tuning chose each value of a parameter."""
    lines = []
    for source, rows in scored_rows(folder):
        names = dict.fromkeys(name for row in rows for name in row.params)
        for name in names:
            parameter, _, metric = name.partition("@")
            values = [
                (row, values_by(metric, row.params)[parameter])
                for row in rows
                if parameter in row.params
            ]
            times = Counter(parameter_text(value) for _, value in values)
            words = ", ".join(f"{value} ({n}×)" for value, n in times.most_common())
            at_end = sum(_at_an_end(row, parameter, value) for row, value in values)
            cells = (
                PageCell(words, source=source, is_text=True, css_class="long"),
                TableCell(f"{at_end} of {len(values)}", source=source, value=at_end),
            )
            lines.append(TableRow((source.dataset, source.method, name), cells))
    return Table(
        name="choices",
        title="Chosen parameters",
        corner=("Data set", "Method", "Parameter"),
        columns=(Column("Value (how often)"), Column("At an end of its grid")),
        rows=tuple(lines),
        notes=(
            "If the best value is at an end of its grid, a wider grid may contain a better one. A "
            "search of two values always ends at one of them.",
        ),
    )


def _at_an_end(row: Summary, name: str, chosen: Plain) -> bool:
    """Return whether the chosen number is the smallest or largest of several."""
    tuning: Any = row.identity.get("tuning")
    points = tuning.get("grid", []) if tuning is not None else []
    grid = {value for point in points if (value := as_number(point.get(name))) is not None}
    value = as_number(chosen)
    return len(grid) > 1 and value is not None and value in (min(grid), max(grid))


def as_number(value: Plain) -> int | float | None:
    """Return a parameter's value if it is a number; booleans are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _packages(rows: Iterable[Summary]) -> dict[str, str]:
    """Return the versions of the packages that the methods of some rows come from."""
    versions: dict[str, set[str]] = {}
    for row in rows:
        for code in row.code.values():
            package, _, version = code.rpartition(" ")
            if package:  # the code of methods in no package has a hash alone
                versions.setdefault(package, set()).add(version)
    return {package: ", ".join(sorted(found)) for package, found in versions.items()}


def environment_table(folder: Results) -> Table:
    """Return the versions of the software that computed the rows, a column per environment.

    Packages that methods come from are among them.
    """
    found: dict[tuple[tuple[str, str], ...], list[Summary]] = {}
    for row in folder.rows.values():
        found.setdefault(tuple(row.environment.items()), []).append(row)
    environments = [(_packages(rows) | dict(each), len(rows)) for each, rows in found.items()]
    names = dict.fromkeys(name for each in found for name, _ in each)
    names |= dict.fromkeys(sorted(name for each, _ in environments for name in each))
    return Table(
        name="environment",
        title="Environment",
        corner=("What",),
        columns=tuple(Column(counted(n, "row")) for _, n in environments),
        rows=tuple(
            TableRow(
                (name,),
                tuple(
                    PageCell(each.get(name, NOTHING), is_text=True, css_class="long")
                    for each, _ in environments
                ),
            )
            for name in names
        ),
    )
