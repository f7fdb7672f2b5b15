"""Files without a card: detecting the format from their names and neighboring files."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from mlbench.data.dataset_file import SUFFIX
from mlbench.data.dataset_reference import Reference
from mlbench.data.readers import FORMATS, formats_by_suffix, get_format
from mlbench.data.readers.csv_pair import features_in
from mlbench.data.search_path import COMPRESSIONS
from mlbench.errors import DataError


def is_path(use: str) -> bool:
    """Whether a reference names a file rather than a card."""
    separators = {os.sep, os.altsep or os.sep, "/"}
    known = use.endswith(SUFFIX) or any(formats_by_suffix(Path(use)))
    return known or any(one in use for one in separators)


def check_path_keys(wanted: Reference, more: Collection[str] = ()) -> None:
    """Reject keys that no format of such a file has, and that are not in `more`.

    Raises
    ------
    DataError
        At the first such key, with a suggestion.
    """
    if wanted.use.endswith(SUFFIX):
        wanted.check_keys(more, has_attributes=False)
        return
    chosen = [name for name in FORMATS if name == wanted.settings.get("format")]
    names = chosen or [name for name, _ in formats_by_suffix(Path(wanted.use))] or FORMATS
    options = {option for name in names for option in get_format(name).options}
    wanted.check_keys(["format", *sorted(options), *more])


def find_own_files(use: str, settings: Mapping[str, object]) -> tuple[str, dict[str, Path]]:
    """Return the format of a file and the files that belong to it, by role.

    The setting ``format`` decides; otherwise the first format with the file's extension that
    applies to the file. The format finds the other files. A folder means the pair of CSV files in
    it.

    Raises
    ------
    DataError
        If there is no such file, or if its format cannot be detected.
    """
    path = _expanded(use)
    chosen = str(settings["format"]) if settings.get("format") is not None else None
    if chosen is not None:
        try:
            get_format(chosen)
        except DataError as error:
            raise DataError(f"{use}: {error}") from None
    if path.is_dir():
        path = features_in(path)
    if not path.is_file():
        raise DataError(f"{use}: no such file; give its path, or the name of a data set")
    for name, candidate in formats_by_suffix(path):
        if chosen is None and candidate.applies(path, settings):
            chosen = name
    if chosen is None:
        raise DataError(
            f"{path}: cannot detect the format from the name; write "
            f"{{use: {use}, format: ...}} with one of {', '.join(FORMATS)}"
        )
    return chosen, get_format(chosen).find(path)


def _expanded(use: str) -> Path:
    try:
        path = Path(use).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"{use[:200]!r} cannot be the path of a file: {error}") from error
    return path


def own_name(use: str) -> str:
    """Return the name of a data set given by its path: ``data`` for ``my/data.arff.gz``."""
    path = Path(use)
    return Path(path.stem).stem if path.suffix in COMPRESSIONS else path.stem
