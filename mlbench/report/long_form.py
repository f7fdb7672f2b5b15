"""The numbers of a results folder, one on each line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mlbench.report.folder import ResultsFolder
from mlbench.store import Summary
from mlbench.store.label_scores import COLUMNS
from mlbench.store.plain_values import Plain

Line = tuple[str, str, int, str, Plain]
"""Data set, method, split, name and value."""


def long_form(folder: ResultsFolder, what: str, names: Collection[str] = ()) -> Iterator[Line]:
    """Yield a line for each number of the cells that are ok, in the order of the experiment.

    Parameters
    ----------
    folder : ResultsFolder
    what : str
        A key of `mlbench.options.EXPORT_COLUMNS`.
    names : collection of str
        Only these; by default all.
    """
    for dataset, method, split, key in folder.cells:
        row = folder.scan.rows.get(key)
        for name, value in _values(row, what) if row is not None else ():
            if not names or name in names:
                yield dataset, method, split, name, value


def label_long_form(
    folder: ResultsFolder, metrics: Collection[str] = ()
) -> Iterator[tuple[str, str, int, str, str, Plain]]:
    """Yield data set, method, split, label, metric and value of the rows that have them.

    Parameters
    ----------
    folder : ResultsFolder
    metrics : collection of str
        Only these of `mlbench.store.label_scores.COLUMNS`; by default all.
    """
    for dataset, method, split, key in folder.cells:
        row = folder.whole_rows.get(key)
        if row is not None and row.by_label is not None:
            wanted = [name for name in COLUMNS if not metrics or name in metrics]
            columns = {name: row.by_label.column(name) for name in wanted}
            for place, label in enumerate(row.by_label.names):
                for name, values in columns.items():
                    yield dataset, method, split, label, name, values[place]


def _values(row: Summary, what: str) -> list[tuple[str, Plain]]:
    if not row.is_ok:
        return []
    if what == "seconds":
        return [*row.seconds.items(), ("peak_memory_mb", row.peak_memory_mb)]
    values: dict[str, Mapping[str, Plain]] = {
        "scores": row.metrics,
        "params": row.params,
        "counts": row.counts,
        "fit": row.fit or {},
    }
    return sorted(values[what].items())
