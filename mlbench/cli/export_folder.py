"""Everything of a results folder that a paper's readers need, as files to commit or to archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.check import read_reference, reference_of, write_reference
from mlbench.errors import MlbenchError
from mlbench.report.render import to_markdown
from mlbench.report.reproduction import compare_with_paper
from mlbench.report.reproduction.tables import comparison_tables
from mlbench.report.tables import tables_of
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.table import Table, with_notes_once
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.results import open_results
from mlbench.results.exported import CELLS, EXPORT, NUMBERS, REFERENCE, export_texts
from mlbench.store.atomic import write_output
from mlbench.store.paths import read_text

if TYPE_CHECKING:
    from mlbench.results.results import Results

COMPARISON = "comparison.md"
FILES = (
    "experiment.yaml",
    "published.csv",
    "tables.md",
    EXPORT,
    CELLS,
    *(f"{what}.csv" for what in NUMBERS),
    REFERENCE,
    COMPARISON,
)


def write_folder(folder: Results, target: Path) -> list[str]:
    """Write the files of an export, and remove those of an earlier one that have no content now.

    Parameters
    ----------
    folder : Results
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
    write_reference(reference, target / REFERENCE)
    texts = dict(_texts(folder))
    for name in set(FILES) - {REFERENCE, *texts}:
        (target / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_output(target / name, text.encode())
    if folder.plan.experiment.published:
        comparison = compare_with_paper(open_results(target))
        if comparison.lines:
            texts[COMPARISON] = as_markdown(comparison_tables(comparison))
            write_output(target / COMPARISON, texts[COMPARISON].encode())
    return [name for name in FILES if name == REFERENCE or name in texts]


def _texts(folder: Results) -> Iterator[tuple[str, str]]:
    """Yield names and contents of the files that depend on no other."""
    for name in ("experiment.yaml", "published.csv"):
        if lexists(folder.path / name):
            yield name, read_text(folder.path / name)
    data = report_data(folder)
    verdict = verdict_table(data)
    tables = [*tables_of(data), *([verdict] if verdict else ())]
    yield "tables.md", as_markdown(with_notes_once(tables))
    yield from export_texts(folder)


def as_markdown(tables: Iterable[Table]) -> str:
    """Return tables one below the other."""
    return "\n".join(map(to_markdown, tables))
