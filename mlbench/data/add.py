"""Add a user's own files as a data set with a card."""

import re
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mlbench.data.card_checks import counts_of, sha256_of
from mlbench.data.cards import Card, card_places, load_card, read_card
from mlbench.data.dataset_reference import (
    ENCODING_KEYS,
    ROW_KEYS,
    DataReference,
    find_path_files,
    is_row_file,
    name_of_file,
    with_lists,
)
from mlbench.data.encoding import encode
from mlbench.data.readers import check_options, formats_by_suffix, get_format
from mlbench.data.row_columns import read_with_rows
from mlbench.data.search_path import COMPRESSIONS, locate_in, uncompressed_name
from mlbench.errors import DataError
from mlbench.yaml_loader import dump_yaml

_PART_LAST = re.compile(
    r"(?P<base>.+)(?P<mark>[-_. ])(?P<part>train|test|trn|tst)(?P<ending>\..+)", re.I
)
_PART_FIRST = re.compile(
    r"(?P<part>train|test|trn|tst)(?P<mark>[-_. ])(?P<base>[^.]+)(?P<ending>\..+)", re.I
)
_OTHER = {"train": "test", "test": "train", "trn": "tst", "tst": "trn"}
_ABANDONED = 24 * 3600
"""Seconds."""
_WRITTEN = ("title", "citation", "terms", "home")
"""What a new card takes over from the one that it replaces."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class DetectedFiles:
    """The detected format of a user's files, the files by role, and the reader options."""

    name: str
    format: str
    files: Mapping[str, Path]
    options: Mapping[str, object] = field(default_factory=dict)


def add(
    path: Path,
    target_dir: Path,
    *,
    name: str | None = None,
    labels: Path | None = None,
    settings: Mapping[str, object] | None = None,
    link: bool = False,
    force: bool = False,
    data_dirs: Sequence[str | Path] = (),
) -> Card:
    """Write a card for the user's files, and put both in a data folder.

    The files are read first; the folder changes only if that succeeds.

    Parameters
    ----------
    path, labels, settings
        See `detect_files`.
    target_dir
        Receives ``<name>.yaml`` and a folder ``<name>`` with the files.
    name
        Defaults to the file name without ``-train``, ``-test`` and extensions.
    link
        Make symbolic links to the files instead of copies.
    force
        Replace an existing data set with this name; title, citation, terms and home stay.

    Raises
    ------
    DataError
        If the format is unknown, the files cannot be read, the name is taken, or the folder
        cannot be written.
    """
    found = detect_files(path, labels, settings)
    name = name or found.name
    if not _NAME.fullmatch(name):
        raise DataError(
            f"{name!r} is not a valid data set name: use letters, digits, '.', '_' and '-' "
            "(`--name NAME`)"
        )
    taken = card_places([target_dir, *data_dirs]).get(name)
    if taken and not force:
        raise DataError(
            f"data set {name!r} already exists ({taken[0]}): choose another name with "
            "--name, or replace it with --force"
        )
    for source in found.files.values() if link else ():
        if source.resolve() == (target_dir / name / source.name).resolve():
            raise DataError(f"{source} is already in the data folder: add it without --link")
    try:
        target_dir.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(target_dir)
        with tempfile.TemporaryDirectory(dir=target_dir, prefix=".adding-") as folder:
            draft = Path(folder)
            card = _draft(draft, name, found, link, _described(target_dir / f"{name}.yaml"))
            (target_dir / name).mkdir(exist_ok=True)
            for file in card.files.values():
                (draft / file.path).replace(target_dir / file.path)
            (draft / f"{name}.yaml").replace(target_dir / f"{name}.yaml")
    except OSError as error:
        raise DataError(f"cannot write to the data folder {target_dir}: {error}") from error
    return card


def _remove_abandoned(target_dir: Path) -> None:
    """Remove what an `add` that was killed more than a day ago has left."""
    for folder in target_dir.glob(".adding-*"):
        if time.time() - folder.stat().st_mtime > _ABANDONED:
            shutil.rmtree(folder, ignore_errors=True)


def detect_files(
    path: Path, labels: Path | None = None, settings: Mapping[str, object] | None = None
) -> DetectedFiles:
    """Detect the format of a file and the files that belong to it.

    Given ``x-train`` or ``x-test``, this also finds the other part, which
    `mlbench.data.dataset_reference.find_path_files` does not. The caller may name the file with the
    labels.

    Parameters
    ----------
    path
        An ARFF, svmlight, CSV or R file.
    labels
        The XML file of an ARFF file, or the CSV file of labels of a CSV file.
    settings
        ``format``, reader options and encoding options.

    Raises
    ------
    DataError
        If the format cannot be detected.
    """
    options = with_lists(settings or {})
    if labels is None:
        format_name, files = find_path_files(str(path), options)
    else:
        format_name = str(options.get("format") or _format_with(path, labels))
        files = {get_format(format_name).role: path, "labels": labels}
    options.pop("format", None)
    check_options(format_name, options, (*ENCODING_KEYS, *ROW_KEYS))
    for key in ROW_KEYS:
        if is_row_file(options.get(key)):
            raise DataError(
                f"{key} is {options[key]!r}: a card of `data add` names a column; name the file in "
                f"the experiment: {{use: NAME, {key}: {options[key]}}}"
            )
    name, parts = (
        _parts(path) if get_format(format_name).has_parts else (name_of_file(path.name), {})
    )
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
    """Return the common name and both parts, or the file's name and no parts."""
    last = _PART_LAST.fullmatch(path.name)
    match = last or _PART_FIRST.fullmatch(path.name)
    if match is None:
        return name_of_file(path.name), {}
    part, base, mark = match["part"].lower(), match["base"], match["mark"]
    ending = uncompressed_name(match["ending"])
    for other in (_OTHER[part], _OTHER[part].title(), _OTHER[part].upper()):
        stem = f"{base}{mark}{other}" if last else f"{other}{mark}{base}"
        twin = locate_in(stem + ending, [path.parent])
        if twin is not None:
            pair = (path, twin) if part in ("train", "trn") else (twin, path)
            return base, dict(zip(("train", "test"), pair, strict=True))
    return name_of_file(path.name), {}


def replaced_card(path: Path) -> Card | None:
    """Return the card that is replaced; None if there is none, or it is damaged."""
    try:
        return read_card(path) if path.is_file() else None
    except DataError:
        return None


def _described(path: Path) -> dict[str, object]:
    """Return what somebody has written on a card that is replaced."""
    card = replaced_card(path)
    return {} if card is None else {key: value for key in _WRITTEN if (value := getattr(card, key))}


def _draft(
    draft: Path, name: str, found: DetectedFiles, link: bool, described: Mapping[str, object]
) -> Card:
    """Copy or link the files to a temporary folder, and write the card."""
    (draft / name).mkdir()
    files = {}
    for role, source in found.files.items():
        place = draft / name / source.name
        if place.exists():
            raise DataError(f"{source.name}: two files of a data set cannot share a name")
        if link:
            place.symlink_to(source.resolve())
        else:
            shutil.copyfile(source, place)
        files[role] = {"path": f"{name}/{source.name}", "sha256": sha256_of(place)}
        if source.suffix in COMPRESSIONS:
            files[role]["sha256_uncompressed"] = sha256_of(place, source.suffix)
    content: dict[str, object] = {
        "name": name,
        "title": name,
        "format": found.format,
        "files": files,
        **described,
    }
    if found.options:
        content["options"] = dict(found.options)
    content["expect"] = {
        key: round(value, 4) if key == "cardinality" else int(value)
        for key, value in _counts(found).items()
        if key != "tasks"
    }
    _write(draft, content)
    return load_card(name, [draft])


def _counts(found: DetectedFiles) -> dict[str, float]:
    """Read and encode the user's files, so that errors name these files, and count."""
    general = (*ENCODING_KEYS, *ROW_KEYS)
    options = {key: value for key, value in found.options.items() if key not in general}
    reference = DataReference(found.name, found.options)
    with_features = [path for role, path in found.files.items() if role != "labels"]
    source = " and ".join(map(str, with_features))
    columns = reference.row_values({})
    table, *_ = read_with_rows(found.format, found.files, options, columns, source)
    encode(table, reference.encoding({}), source)
    n_attributes = table.n_columns + len({*columns.values()})
    return counts_of(table.Y, n_attributes, len(table.task_names))


def _write(folder: Path, content: Mapping[str, object]) -> None:
    (folder / f"{content['name']}.yaml").write_text(dump_yaml(content), encoding="utf-8")
