"""What an exported folder must fulfil before it is read.

Its key says what a cell depends on, as the hash of its identity: so a reader can recompute it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mlbench.errors import StoreError
from mlbench.hashing import canonical_json
from mlbench.results.exported import (
    EXPORT,
    REFERENCE,
    SCORES,
    export_of_texts,
    folder_texts,
    hashes_of,
)
from mlbench.results.reference import OF_DATA, Reference, Series
from mlbench.results.reference_file import parse_reference, refuse
from mlbench.results.results import Results
from mlbench.store.row import key_of

_MAPPINGS = ("dataset", "split", "method")
"""Parts of every identity that have parts of their own."""

RESTORE = "restore the folder"


def identity_of(series: Series, split: int) -> dict[str, Any]:
    """Return everything that a cell of a series depends on."""
    of_all: Any = series.identity["split"]
    return {**series.identity, "split": {**of_all, "index": split}}


class Verified(NamedTuple):
    """What an export holds."""

    reference: Reference
    results: Results


def read_export(path: Path) -> Results:
    """Read a folder that `mlbench export --folder` wrote.

    Raises
    ------
    StoreError
        If a file is missing or damaged, or a key is not the hash of its identity; the message
        names the file, and the line.
    """
    return _checked(path, folder_texts(path)).results


def verify(path: Path, texts: Mapping[str, str]) -> Verified:
    """Check the texts of an export whose cells others take over, and return what they hold.

    Parameters
    ----------
    path : Path
        Where they are from; messages name the file there, and the line.
    texts : mapping
        By the name of the file.

    Raises
    ------
    StoreError
        If a file is damaged, a key is not the hash of its identity, series on one data set are of
        different data or splits, or scores are not there.
    """
    verified = _checked(path, texts)
    if SCORES not in texts and any(row.is_ok for row in verified.results.rows.values()):
        raise StoreError(f"{path / SCORES}: is not there, and {REFERENCE} has scores; {RESTORE}")
    return verified


def _checked(path: Path, texts: Mapping[str, str]) -> Verified:
    file, text = path / REFERENCE, texts[REFERENCE]
    results = export_of_texts(path, texts)  # declares the metrics that the reference names
    reference = parse_reference(file, text)
    check_keys(reference, file, text)
    check_agreement(reference, file, text)
    check_facts(results, path / EXPORT, texts[EXPORT])
    check_files(reference, path, texts)
    return Verified(reference, results)


def check_files(reference: Reference, path: Path, texts: Mapping[str, str]) -> None:
    """Refuse files that are not those that were exported together.

    Raises
    ------
    StoreError
        It names the file.
    """
    here = hashes_of(texts)
    if reference.files and (added := here.keys() - reference.files.keys()):
        raise StoreError(f"{path / min(added)}: {REFERENCE} has no hash of it; {RESTORE}")
    for name, then in reference.files.items():
        if name not in here:
            raise StoreError(
                f"{path / name}: is not there, and {REFERENCE} has its hash; {RESTORE}"
            )
        if here[name] != then:
            raise StoreError(f"{path / name}: has another SHA-256 than {REFERENCE} says; {RESTORE}")


def check_keys(reference: Reference, path: Path, text: str, advice: str = RESTORE) -> None:
    """Refuse a reference in which the key of a cell is not the hash of its identity.

    Cells with parameters that an earlier run chose are left out: their identities do not hold
    what was chosen on each split.

    Parameters
    ----------
    reference : Reference
    path : Path
        Its file; messages name the line.
    text : str
        The text of the file.
    advice : str
        What to do about it.
    """
    for i, series in enumerate(reference.series):
        for part in _MAPPINGS:
            if not isinstance(series.identity.get(part), dict):
                refuse(path, text, ("series", i, "identity"), f"{part!r} is no mapping", advice)
        if "chosen" in series.identity:
            continue
        for split, cell in series.cells.items():
            if key_of(identity_of(series, int(split))) != cell.key:
                place = ("series", i, "cells", split)
                refuse(path, text, place, "key is not the hash of its identity", advice)


def check_agreement(reference: Reference, path: Path, text: str) -> None:
    """Refuse a reference whose series on one data set are not of the same data and splits.

    Raises
    ------
    StoreError
        The message names both series.
    """
    first: dict[str, Series] = {}
    for i, series in enumerate(reference.series):
        other = first.setdefault(series.dataset, series)
        for part in ("revision", *OF_DATA):
            if _text(series.identity, part) != _text(other.identity, part):
                problem = (
                    f"{series.dataset}/{series.method} and {other.dataset}/{other.method} are of "
                    f"different {_PLURAL.get(part, part)}, so they cannot be compared"
                )
                refuse(path, text, ("series", i, "identity"), problem, RESTORE)


def check_facts(results: Results, path: Path, text: str) -> None:
    """Refuse an export whose facts of a data set or of its splits are not those of its cells."""
    experiment = results.plan.experiment
    splits: dict[str, Any] = {
        each.display: experiment.splits_of(each).parameters for each in experiment.datasets
    }
    for row in results.rows.values():
        identity: Any = row.identity
        if identity["dataset"].get("fingerprint") != results.plan.datasets[row.dataset].fingerprint:
            place = ("datasets", row.dataset, "fingerprint")
            refuse(path, text, place, "is not that of its cells", RESTORE)
        stated, ran = splits[row.dataset], identity["split"]
        for name in stated.keys() & ran.keys():
            if stated[name] != ran[name]:
                problem = f"is {stated[name]!r}, and cells on {row.dataset} ran with {ran[name]!r}"
                refuse(path, text, ("experiment", "protocol", "splits", name), problem, RESTORE)


_PLURAL = {"dataset": "data", "split": "splits", "revision": "revisions of the protocol"}


def _text(identity: Mapping[str, Any], part: str) -> str:
    return canonical_json(identity.get(part))
