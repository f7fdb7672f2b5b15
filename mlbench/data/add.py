"""Add a user's own files as a data set with a card."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlbench.data.cards import Card, card_places, load_card
from mlbench.data.checksums import sha256_of
from mlbench.data.load import load_dataset
from mlbench.data.path_datasets import find_own_files, own_name
from mlbench.data.readers import check_options, formats_by_suffix, get_format
from mlbench.data.reference import ENCODING_KEYS
from mlbench.data.search import COMPRESSIONS, locate_in, uncompressed_name
from mlbench.data.verify import measured_counts
from mlbench.errors import DataError
from mlbench.yaml_loader import dump_yaml

_PART = re.compile(r"(?P<base>.+)(?P<mark>[-_.])(?P<part>train|test)(?P<ending>\..+)", re.I)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class DetectedFiles:
    """The detected format of a user's files, the files by role, and options of the reader."""

    name: str
    format: str
    files: Mapping[str, Path]
    options: Mapping[str, Any] = field(default_factory=dict)


def add(
    path: Path,
    target_dir: Path,
    *,
    name: str | None = None,
    labels: Path | None = None,
    settings: Mapping[str, Any] | None = None,
    link: bool = False,
    force: bool = False,
    data_dirs: Sequence[str | Path] = (),
) -> Card:
    """Make a card for files of one's own, and put both into a data folder.

    The files are read first; nothing changes in the folder unless that succeeds.

    Parameters
    ----------
    path, labels, settings
        See `detect_files`.
    target_dir
        Gets ``<name>.yaml`` and a folder ``<name>`` with the files.
    name
        By default that of the file, without ``-train``, ``-test`` and endings.
    link
        Make symbolic links to the files instead of copies.
    force
        Replace a data set of this name.

    Raises
    ------
    DataError
        If the files are of no known form or cannot be read, if the name is taken, or if the
        folder cannot be written.
    """
    found = detect_files(path, labels, settings)
    name = name or found.name
    if not _NAME.fullmatch(name):
        raise DataError(
            f"{name!r} is no name for a data set: use letters, digits, '.', '_' and '-' "
            "(`--name NAME`)"
        )
    taken = card_places([target_dir, *data_dirs]).get(name)
    if taken and not force:
        raise DataError(
            f"there is a data set {name!r} already ({taken[0]}): choose another name with "
            "--name, or replace it with --force"
        )
    for source in found.files.values() if link else ():
        if source.resolve() == (target_dir / name / source.name).resolve():
            raise DataError(f"{source} is in the data folder already: add it without --link")
    try:
        target_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target_dir, prefix=".adding-") as folder:
            draft = Path(folder)
            try:
                card = _draft(draft, name, found, link)
            except DataError as error:
                raise _of_the_originals(error, draft / name, found) from error
            (target_dir / name).mkdir(exist_ok=True)
            for file in card.files.values():
                (draft / file.path).replace(target_dir / file.path)
            (draft / f"{name}.yaml").replace(target_dir / f"{name}.yaml")
    except OSError as error:
        raise DataError(f"cannot write to the data folder {target_dir}: {error}") from error
    return card


def detect_files(
    path: Path, labels: Path | None = None, settings: Mapping[str, Any] | None = None
) -> DetectedFiles:
    """Detect the format of a file and the files that belong to it.

    As `mlbench.data.path_datasets.find_own_files` does; moreover, of ``x-train`` and ``x-test``,
    naming one takes both, and the file that names or holds the labels may be given.

    Parameters
    ----------
    path
        An ARFF, svmlight or CSV file.
    labels
        The XML file of an ARFF file, or the CSV file of labels of a CSV file.
    settings
        ``format``, options of the reader, and options of the encoding.

    Raises
    ------
    DataError
        If the files do not tell what they are.
    """
    options = dict(settings or {})
    if labels is None:
        format_name, files = find_own_files(str(path), options)
    else:
        format_name = str(options.get("format") or _format_with(path, labels))
        files = {get_format(format_name).role: path, "labels": labels}
    options.pop("format", None)
    check_options(format_name, options, ENCODING_KEYS)
    name, parts = _parts(path) if get_format(format_name).has_parts else (own_name(path.name), {})
    if parts:
        files = {**parts, **{role: file for role, file in files.items() if role != "all"}}
    return DetectedFiles(name, format_name, files, options)


def _format_with(path: Path, labels: Path) -> str:
    suffix = Path(uncompressed_name(labels.name)).suffix.lower()
    for name, candidate in formats_by_suffix(path):
        if candidate.labels_suffix == suffix:
            return name
    raise DataError(
        f"{path} and {labels}: --labels takes the .xml of an .arff file, or the .csv with the "
        "labels of a .csv file"
    )


def _parts(path: Path) -> tuple[str, dict[str, Path]]:
    """Return the common name and the two parts, or the file's own name and none."""
    match = _PART.fullmatch(path.name)
    if match is None:
        return own_name(path.name), {}
    part = match["part"].lower()
    other = {"train": "test", "test": "train"}[part]
    ending = uncompressed_name(match["ending"])
    for spelling in (other, other.title(), other.upper()):
        twin = locate_in(f"{match['base']}{match['mark']}{spelling}{ending}", [path.parent])
        if twin is not None:
            pair = {part: path, other: twin}
            return match["base"], {"train": pair["train"], "test": pair["test"]}
    return own_name(path.name), {}


def _draft(draft: Path, name: str, found: DetectedFiles, link: bool) -> Card:
    """Build the data set in a folder of its own, read it there, and write its card."""
    (draft / name).mkdir()
    files = {}
    for role, source in found.files.items():
        place = draft / name / source.name
        if place.exists():
            raise DataError(f"{source.name}: two files of one name cannot make up a data set")
        if link:
            place.symlink_to(source.resolve())
        else:
            shutil.copyfile(source, place)
        files[role] = {"path": f"{name}/{source.name}", "sha256": sha256_of(place)}
        if source.suffix in COMPRESSIONS:
            files[role]["sha256_uncompressed"] = sha256_of(place, source.suffix)
    content: dict[str, Any] = {"name": name, "title": name, "format": found.format, "files": files}
    if found.options:
        content["options"] = dict(found.options)
    _write(draft, content)
    counts = measured_counts(load_card(name, [draft]), [draft])
    load_dataset(name, [draft])
    content["expect"] = {
        key: round(value, 4) if key == "cardinality" else int(value)
        for key, value in counts.items()
        if key != "tasks"
    }
    _write(draft, content)
    return load_card(name, [draft])


def _of_the_originals(error: DataError, copies: Path, found: DetectedFiles) -> DataError:
    """Return the error with the user's files in place of the copies that were read."""
    text = str(error)
    for source in found.files.values():
        text = text.replace(str(copies / source.name), str(source))
    return DataError(text)


def _write(folder: Path, content: Mapping[str, Any]) -> None:
    (folder / f"{content['name']}.yaml").write_text(dump_yaml(content), encoding="utf-8")
