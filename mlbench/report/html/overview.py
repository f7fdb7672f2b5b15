"""What stands around the tables: the counts, the data sets, the choices, the times, the machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mlbench.report.folder import ResultsFolder
from mlbench.report.html.evidence import STEPS, Evidence, amount, plain, seconds_of
from mlbench.report.html.html_table import Entry, Line, Sheet
from mlbench.report.numbers import NOTHING, counted, of_kinds
from mlbench.report.results import OK
from mlbench.report.tables.table import Column, Source
from mlbench.store import Row
from mlbench.store.plain import Plain


def summary(folder: ResultsFolder) -> list[tuple[str, str, str]]:
    """Return the name, the words and the look of what one wants to know first."""
    counts = folder.counts
    total = counted(len(folder.cells), "cell")
    bad = [(status, n) for status, n in counts.items() if status != OK]
    state = f"{counts.get(OK, 0)} of {total} ok"
    rows = folder.scan.rows.values()
    finished = sorted(row.finished[:10] for row in rows)
    lines = [
        ("Cells", f"{state}; {of_kinds(bad)}" if bad else state, "bad" if bad else "good"),
        ("Data sets", str(len(folder.plan.datasets)), ""),
        ("Methods", str(len(folder.plan.methods)), ""),
        ("Splits", str(folder.plan.n_splits), ""),
        ("Worker time", f"{plain_seconds(sum(row.seconds.get('total', 0) for row in rows))}", ""),
    ]
    if finished:
        days = finished[0] if finished[0] == finished[-1] else f"{finished[0]} to {finished[-1]}"
        lines.append(("Computed", f"{days} (UTC)", ""))
    return lines


def plain_seconds(seconds: float) -> str:
    """Return a time in the unit in which people say it."""
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s"


def data_sheet(folder: ResultsFolder) -> Sheet:
    """Return the sizes of the data sets."""
    facts = {"n_samples": "Samples", "n_features": "Features", "n_labels": "Labels"}
    shown = dict(facts)
    if any(each.n_tasks for each in folder.plan.datasets.values()):
        shown["n_tasks"] = "Tasks"
    return Sheet(
        anchor="data",
        title="Data sets",
        corner=("Data set",),
        columns=tuple(map(Column, shown.values())),
        lines=tuple(
            Line((name,), tuple(Entry(str(getattr(each, key))) for key in shown))
            for name, each in folder.plan.datasets.items()
        ),
    )


def choices_sheet(evidence: Evidence) -> Sheet:
    """Return how often tuning chose which value of each parameter."""
    lines = []
    for dataset, method, rows in _pairs(evidence):
        link = evidence.link(Source(dataset, "", method))
        names = dict.fromkeys(name for row in rows for name in row.params)
        for name in names:
            having = [row for row in rows if name in row.params]
            times = Counter(plain(row.params[name]) for row in having)
            words = ", ".join(f"{value} ({n}×)" for value, n in times.most_common())
            at_end = sum(_at_an_end(row, name) for row in having)
            ends = Entry(f"{at_end} of {len(having)}", link, at_end)
            lines.append(
                Line((dataset, method, name), (Entry(words, link, look="words long"), ends))
            )
    return Sheet(
        anchor="choices",
        title="Chosen parameters",
        corner=("Data set", "Method", "Parameter"),
        columns=(Column("Value (how often)"), Column("At an end of its grid")),
        lines=tuple(lines),
        notes=(
            "Where the best value lies at an end of its grid, a wider grid may hold a better one.",
        ),
    )


def _at_an_end(row: Row, name: str) -> bool:
    """Tell whether a number was chosen that is the least or the greatest of three or more."""
    points = row.tuning.grid if row.tuning is not None else []
    grid = {value for point in points if (value := as_number(point.get(name))) is not None}
    value = as_number(row.params[name])
    return len(grid) > 2 and value is not None and value in (min(grid), max(grid))


def as_number(value: Plain) -> int | float | None:
    """Return a parameter's value where it is a number, which true and false are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def times_sheet(evidence: Evidence) -> Sheet:
    """Return mean seconds of each step, and the greatest memory."""
    lines = []
    for dataset, method, rows in _pairs(evidence):
        link = evidence.link(Source(dataset, "", method))
        entries = [amount(_mean([seconds_of(row, step) for row in rows]), link) for step in STEPS]
        peaks = [row.peak_memory_mb for row in rows if row.peak_memory_mb is not None]
        entries.append(amount(max(peaks, default=None), link))
        lines.append(Line((dataset, method), tuple(entries)))
    return Sheet(
        anchor="times",
        title="Times",
        corner=("Data set", "Method"),
        columns=(
            *(Column(title, group="Mean seconds") for title in STEPS.values()),
            Column("Peak memory (MB)"),
        ),
        lines=tuple(lines),
        notes=(
            "Wall-clock time of one worker, a mean over the splits that have a result. The fit is "
            "the last one, on the whole training part; reading the data counts for the whole cell "
            "only. Memory is the most of any split.",
        ),
    )


def environment_sheet(folder: ResultsFolder) -> Sheet:
    """Return the versions with which rows were computed, a column per environment."""
    found = Counter(tuple(row.environment.items()) for row in folder.scan.rows.values())
    environments = [(dict(each), n) for each, n in found.items()]
    names = dict.fromkeys(name for each, _ in environments for name in each)
    return Sheet(
        anchor="environment",
        title="Environment",
        corner=("What",),
        columns=tuple(Column(counted(n, "row")) for _, n in environments),
        lines=tuple(
            Line(
                (name,),
                tuple(
                    Entry(each.get(name, NOTHING), look="words long") for each, _ in environments
                ),
            )
            for name in names
        ),
    )


def _pairs(evidence: Evidence) -> Iterable[tuple[str, str, list[Row]]]:
    for dataset in evidence.datasets:
        for method in evidence.methods:
            if rows := evidence.rows(dataset, method):
                yield dataset, method, rows


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
