"""Export a results folder as files to commit or to archive with a paper."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.bundle import is_bundle, unpack
from mlbench.check import (
    compare_with_reference,
    read_reference,
    reference_of,
    write_reference,
)
from mlbench.check.update import agrees, exported_anew
from mlbench.cli.export_code import files_elsewhere
from mlbench.config.as_written import as_written
from mlbench.config.relocate import relocated
from mlbench.errors import MlbenchError
from mlbench.metrics.catalogue import is_in_every_row
from mlbench.report.render import to_csv, to_markdown
from mlbench.report.reproduction import compare_with_paper
from mlbench.report.reproduction.tables import reproduction_tables
from mlbench.report.tables import tables_of
from mlbench.report.tables.origin import with_origin
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.table import Table, with_notes_once
from mlbench.report.tables.threats import threat_table
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.results import open_results
from mlbench.results.exported import (
    CELLS,
    EXPORT,
    NUMBERS,
    REFERENCE,
    export_texts,
    hashes_of,
)
from mlbench.store.atomic import is_temporary, write_text
from mlbench.store.paths import names_in, read_text
from mlbench.yaml_loader import dump_yaml

if TYPE_CHECKING:
    from mlbench.check import Reference
    from mlbench.results.results import Results

COMPARISON = "comparison.md"
FILES = (
    "experiment.yaml",
    "published.csv",
    "tables.md",
    "threats.csv",
    EXPORT,
    CELLS,
    *(f"{what}.csv" for what in NUMBERS),
    REFERENCE,
    COMPARISON,
)


def write_folder(
    folder: Results,
    target: Path,
    metrics: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Write the files of an export, and remove those of an earlier one that have no content now.

    All are made in a folder next to the target, and then replace those that are there.

    Parameters
    ----------
    folder : Results
    target : Path
    metrics : sequence of str
        More than those of the experiment, for `scores.csv` and the reference.
    tell : callable
        Called with a line if numbers of an earlier export have changed.

    Returns
    -------
    list of str
        The names of the files.

    Raises
    ------
    MlbenchError
        If the target is a results folder of its own, has files of these names that no export of
        this experiment wrote, or cannot be written; or a row lacks one of the metrics.
    """
    if lexists(target / "plan.json"):
        raise MlbenchError(f"{target}: is a results folder; name another folder")
    finish_export(target)
    part = folder_beside(target)
    experiment = folder.plan.experiment
    rows = [row for row in folder.rows.values() if row.is_ok]
    searched = [  # the audit asks for them; older exports lack them
        name
        for method in map(experiment.settings_of, experiment.methods)
        for name in method.searched_by
        if method.tune and is_in_every_row(name) and all(name in row.metrics for row in rows)
    ]
    reference = reference_of(folder, [*experiment.metrics, *metrics, *searched])
    if lexists(target / REFERENCE):
        old = read_reference(target / REFERENCE)
        if old.experiment != reference.experiment:
            raise MlbenchError(f"{target}: has an export of {old.experiment}; name another folder")
        try:
            open_results(target)
        except MlbenchError as error:
            if not agrees(old, folder):  # as it does once `check --update` has taken them over
                tell(f"warning: {error}; what it had is replaced, and not compared")
            reference = reference.model_copy(update={"history": old.history})
        else:
            reference = exported_anew(old, reference, folder)
        if len(reference.history) > len(old.history):
            tell(f"{target}: numbers are others than before; the history in {REFERENCE} says which")
        lost = [each for each in compare_with_reference(old, folder).lost if each.planned]
        if failed := [str(each) for each in lost if each.has_run]:
            tell(
                f"warning: {'; '.join(failed)}; no check will ask for these results again: mend "
                "the cause, run, and export once more"
            )
    elif not lexists(part / REFERENCE) and (
        others := [name for name in FILES if lexists(target / name)]
    ):
        raise MlbenchError(
            f"{target}: has {', '.join(others)}, but no {REFERENCE}, so no export wrote them; name "
            "another folder"
        )
    return write_files(folder, target, reference, given_texts(folder, target))


def write_files(
    folder: Results, target: Path, reference: Reference, given: Mapping[str, str]
) -> list[str]:
    """Make all files of an export, and replace those of the target; return their names.

    Parameters
    ----------
    folder : Results
    target : Path
    reference : Reference
    given : mapping
        The texts of files that are not made of the results, by name.

    Raises
    ------
    MlbenchError
        If they cannot be written.
    """
    part = folder_beside(target)
    try:
        _fill(part, folder, reference, given)
        written = [name for name in FILES if (part / name).exists()]
        _replace(target, part, written)
        return written
    except OSError as error:
        raise MlbenchError(
            f"{target}: cannot be written: {error.strerror or error}; name another folder"
        ) from None


def folder_beside(target: Path) -> Path:
    """Return where the files are made; they are still there if an export was killed."""
    place = target.resolve()
    part = place.parent / f".{place.name}.export"
    try:
        names = {name for name in names_in(part) if not is_temporary(name)}
    except OSError as error:
        raise MlbenchError(f"{part}: cannot be read: {error.strerror or error}") from None
    if others := names - {*FILES}:
        raise MlbenchError(f"{part}: has {min(others)}, which no export wrote; move it away")
    return part


def _fill(part: Path, folder: Results, reference: Reference, given: Mapping[str, str]) -> None:
    """Make all files; those that a killed export left are replaced."""
    if lexists(part):
        shutil.rmtree(part)
    part.mkdir(parents=True)
    try:
        made = dict(_texts(folder, reference.metrics))
        files = files_elsewhere(folder.plan, folder.rows.values())
        given, made = (_with_names_alone(texts, files) for texts in (given, made))
        for name, text in (*given.items(), *made.items()):
            write_text(part / name, text)
        reference = reference.model_copy(update={"files": hashes_of(made)})
        write_reference(reference.without_summaries(), part / REFERENCE)
        if folder.plan.experiment.published:
            comparison = compare_with_paper(open_results(part))
            if comparison.lines:
                write_text(part / COMPARISON, as_markdown(reproduction_tables(comparison)))
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _with_names_alone(texts: Mapping[str, str], files: Mapping[str, str]) -> dict[str, str]:
    """Return texts in which the user's files are named without their places on this machine."""
    found = dict(texts)
    for path, name in sorted(files.items(), key=lambda each: -len(each[0])):  # ../../a before ../a
        found = {each: text.replace(f"{path}:", f"{name}:") for each, text in found.items()}
    return found


def _replace(target: Path, part: Path, written: Sequence[str]) -> None:
    """Let files take the place of those of the target; one that is killed can be finished."""
    for name in {*FILES} - {*written}:
        (target / name).unlink(missing_ok=True)
    part.rename(_whole_beside(target))
    finish_export(target)


def finish_export(target: Path) -> None:
    """Finish a killed export: move the files that it had written, but not yet moved to the target.

    The scores come first, and the reference last: in between, the scores are not those of the old
    reference, and readers refuse the folder.
    """
    whole = _whole_beside(target)
    if not lexists(whole):
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in sorted(FILES, key=lambda name: (name == REFERENCE, name != "scores.csv")):
            if lexists(whole / name):
                (whole / name).replace(target / name)
        whole.rmdir()
    except OSError as error:
        raise MlbenchError(
            f"{whole}: cannot be moved to {target}: {error.strerror or error}; move it away"
        ) from None


def _whole_beside(target: Path) -> Path:
    """Return where files are that are all made, while they replace those of the target."""
    place = target.resolve()
    return place.parent / f".{place.name}.exported"


def given_texts(folder: Results, target: Path) -> dict[str, str]:
    """Return the texts of files that the results folder already has."""
    names = ("experiment.yaml", "published.csv")
    if is_bundle(folder.path):
        texts = {name: text for name, text in unpack(folder.path).items() if name in names}
    else:
        there = [name for name in names if lexists(folder.path / name)]
        texts = {name: read_text(folder.path / name) for name in there}
    if any(origin.is_base for origin in folder.plan.taken_over) and folder.source == "run":
        home = folder.path / (folder.plan.folder or "")
        texts["experiment.yaml"] = relocated(_with_base_methods(folder), home, target)
    elif (text := texts.get("experiment.yaml")) is not None:
        texts["experiment.yaml"] = relocated(text, folder.path, target)
    return texts


def _with_base_methods(folder: Results) -> str:
    """Return an experiment of one's own methods and those that were taken over."""
    taken = [(name, origin) for name, origin in folder.origins.items() if origin]
    head = "".join(f"# {name}: taken over from {origin}, not run here\n" for name, origin in taken)
    return head + dump_yaml(as_written(folder.plan.experiment))


def _texts(folder: Results, metrics: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names and contents of the files that are made of the results alone."""
    data = report_data(folder)
    verdict = verdict_table(data)
    threats = threat_table(data.threats) if data.threats.are_told else None
    tables = [*tables_of(data), *(each for each in (verdict, threats) if each)]
    yield "tables.md", as_markdown(with_notes_once(with_origin(tables, folder)))
    if threats is not None and data.threats:
        yield "threats.csv", to_csv(threats)
    yield from export_texts(folder, metrics)


def as_markdown(tables: Iterable[Table]) -> str:
    """Return tables one below the other."""
    return "\n".join(map(to_markdown, tables))
