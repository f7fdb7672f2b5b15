"""Everything of a results folder that a paper's readers need, as files to commit or to archive."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mlbench.check import read_reference, reference_of, write_reference
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.options import EXPORT_COLUMNS
from mlbench.report.long_form import long_form
from mlbench.report.render import to_markdown
from mlbench.report.reproduction import compare_with_paper
from mlbench.report.reproduction.tables import comparison_tables
from mlbench.report.tables import tables_of
from mlbench.report.tables.table import Table, with_notes_once
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.store.atomic import write_output
from mlbench.store.plain_values import exported_text

if TYPE_CHECKING:
    from mlbench.report.folder import ResultsFolder
    from mlbench.store.plain_values import Plain

WRITTEN = ("scores", "params", "fit", "seconds")
REFERENCE = "reference.json"
COMPARISON = "comparison.md"
FILES = (
    "experiment.yaml",
    "published.csv",
    "tables.md",
    *(f"{what}.csv" for what in WRITTEN),
    REFERENCE,
    COMPARISON,
)


def write_folder(folder: ResultsFolder, target: Path) -> list[str]:
    """Write the files of an export, and remove those of an earlier one that have no content now.

    Parameters
    ----------
    folder : ResultsFolder
    target : Path

    Returns
    -------
    list of str
        The names of the files.

    Raises
    ------
    MlbenchError
        If the target is a results folder of its own, has files of these names that no export of
        this experiment wrote, or cannot be written.
    """
    if (target / "plan.json").exists():
        raise MlbenchError(f"{target}: is a results folder; name another folder")
    reference = reference_of(folder)
    if (target / REFERENCE).exists():
        old = read_reference(target / REFERENCE)
        if old.experiment != reference.experiment:
            raise MlbenchError(f"{target}: has an export of {old.experiment}; name another folder")
        reference = reference.model_copy(update={"history": old.history})
    elif others := [name for name in FILES if (target / name).exists()]:
        raise MlbenchError(
            f"{target}: has {', '.join(others)}, but no {REFERENCE}, so no export wrote them; name "
            "another folder"
        )
    try:
        write_reference(reference, target / REFERENCE)
    except OSError as error:
        raise MlbenchError(
            f"{target}: cannot be written: {error.strerror or error}; name another folder"
        ) from None
    texts = dict(_texts(folder))
    for name, text in texts.items():
        write_output(target / name, text.encode())
    if folder.plan.experiment.published:
        comparison = compare_with_paper(target)
        if comparison.lines:
            texts[COMPARISON] = as_markdown(comparison_tables(comparison))
            write_output(target / COMPARISON, texts[COMPARISON].encode())
    names = {REFERENCE, *texts}
    for name in set(FILES) - names:
        (target / name).unlink(missing_ok=True)
    return [name for name in FILES if name in names]


def _texts(folder: ResultsFolder) -> Iterator[tuple[str, str]]:
    """Yield names and contents of the files that depend on no other."""
    for name in ("experiment.yaml", "published.csv"):
        if (folder.path / name).exists():
            yield name, (folder.path / name).read_text(encoding="utf-8")
    data = folder.data()
    verdict = verdict_table(data)
    tables = [*tables_of(data), *([verdict] if verdict else ())]
    yield "tables.md", as_markdown(with_notes_once(tables))
    metrics = [get_metric(name).name for name in folder.plan.experiment.metrics]
    for what in WRITTEN:
        lines = [*long_form(folder, what, metrics if what == "scores" else ())]
        if lines:
            yield f"{what}.csv", _csv((EXPORT_COLUMNS[what],), lines)


def as_markdown(tables: Iterable[Table]) -> str:
    """Return tables one below the other."""
    return "\n".join(map(to_markdown, tables))


def write_csv(file: TextIO, heading: tuple[str, ...], lines: Iterable[tuple[Plain, ...]]) -> None:
    """Write lines of data set, method, split, more headings, and a value."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("dataset", "method", "split", *heading, "value"))
    writer.writerows((*place, exported_text(value)) for *place, value in lines)


def _csv(heading: tuple[str, ...], lines: Iterable[tuple[Plain, ...]]) -> str:
    file = io.StringIO()
    write_csv(file, heading, lines)
    return file.getvalue()
