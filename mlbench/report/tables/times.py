"""The table of times: mean seconds of each step, and the peak memory."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mlbench.environment import OF_TIMES
from mlbench.number_text import NOTHING, counted
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow
from mlbench.results.results import Results
from mlbench.store import Step, Summary

STEP_TITLES: dict[Step, str] = {
    "tune": "Tuning",
    "fit": "Fit",
    "predict": "Prediction",
    "total": "Whole cell",
    "cpu": "Whole cell, CPU",
}
MIN_AMOUNT = 0.001


def times_table(
    folder: Results, datasets: Sequence[str] = (), methods: Sequence[str] = ()
) -> Table:
    """Return the mean seconds of each step, and the peak memory.

    Parameters
    ----------
    folder : Results
    datasets, methods : sequence of str
        Those to show, by default all.
    """
    lines, records = [], []
    titles = step_titles(folder)
    shown = [
        (source, rows)
        for source, rows in scored_rows(folder)
        if source.dataset in (datasets or folder.datasets)
        and source.method in (methods or folder.methods)
    ]
    for source, rows in shown:
        means = {step: _mean([seconds_of(row, step) for row in rows]) for step in titles}
        peaks = [row.peak_memory_mb for row in rows if row.peak_memory_mb is not None]
        peak = max(peaks, default=None)
        cells = [amount(value, source) for value in (*means.values(), peak)]
        lines.append(TableRow((source.dataset, source.method), tuple(cells)))
        records.append(
            {
                "dataset": source.dataset,
                "method": source.method,
                **{f"seconds_{step}": mean for step, mean in means.items()},
                "peak_memory_mb": peak,
            }
        )
    return Table(
        name="times",
        title="Times",
        corner=("Data set", "Method"),
        columns=(
            *(Column(title, group="Mean seconds") for title in titles.values()),
            Column("Peak memory (MB)"),
        ),
        rows=tuple(lines),
        notes=(
            "Wall-clock time of one worker, mean over the splits with a result. The fit is the "
            "final one, on the whole training part; only the times of the whole cell include "
            "reading the data. Memory is the maximum over splits.",
            *notes_on_machines(row for _, rows in shown for row in rows),
        ),
        records=tuple(records),
    )


def notes_on_machines(rows: Iterable[Summary]) -> list[str]:
    """Say whether times can be compared: whether one machine measured all results, equally busy.

    What other runs did on it meanwhile, as other tasks of SLURM do, is not known.
    """
    measured = [row for row in rows if row.is_ok]
    found = Counter(tuple(row.environment.get(name) for name in OF_TIMES) for row in measured)
    if not found:
        return []
    if any(None in each for each in found):
        return [
            "Times may not be comparable: not every row tells the processor and how many cells ran "
            "at once."
        ]
    told = {
        f"{counted(int(jobs or 0), 'cell')} of a run at once on {name}": n
        for (name, jobs), n in found.items()
    }
    if len(told) == 1:
        return [f"Measured with {next(iter(told))}."]
    words = [f"{counted(n, 'row')} with {each}" for each, n in told.items()]
    return [f"Times of these are not comparable with each other: {'; '.join(words)}."]


def scored_rows(folder: Results) -> Iterator[tuple[Source, list[Summary]]]:
    """Yield every data set and method that has rows with scores, with these rows."""
    found: dict[tuple[str, str], list[Summary]] = {}
    for dataset, method, _, key in folder.cells:
        row = folder.rows.get(key)
        if row is not None and row.is_ok:
            found.setdefault((dataset, method), []).append(row)
    for dataset in folder.plan.datasets:
        for method in folder.plan.methods:
            if rows := found.get((dataset, method)):
                yield Source(dataset, "", method), rows


def step_titles(folder: Results) -> dict[Step, str]:
    """Return the steps that have times, and their titles; older versions kept no CPU time."""
    has_cpu = any("cpu" in row.seconds for row in folder.rows.values())
    return {step: title for step, title in STEP_TITLES.items() if has_cpu or step != "cpu"}


def seconds_of(row: Summary, step: Step) -> float | None:
    """Return how long a step took, or None if there was no such step."""
    return None if step == "tune" and row.tuning is None else row.seconds.get(step)


def amount(value: float | None, source: Source | None = None) -> TableCell:
    """Return a time or memory with at least three significant digits."""
    if value is None:
        return TableCell(NOTHING)
    decimals = next((n for n, least in enumerate((100, 10, 1)) if value >= least), 3)
    text = f"{value:.{decimals}f}" if value >= MIN_AMOUNT else f"< {MIN_AMOUNT}"
    return TableCell(text, source=source, value=value)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
