"""The description of a data format, and helpers that readers share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mlbench.data.table import RawTable, stack_parts
from mlbench.errors import DataError

Files = Mapping[str, Path]
"""Role (``train``, ``test``, ``all``, ``features``, ``labels``, ...) to path."""


@dataclass(frozen=True)
class Format:
    """A data format: how its files are recognized, found and read."""

    read: Callable[[Files, Mapping[str, object]], RawTable]
    """Reads files with options into a table; raises DataError if a file is malformed."""
    options: frozenset[str] = frozenset()
    """The options that `read` accepts."""
    suffixes: tuple[str, ...] = ()
    """File extensions in lower case, without ``.gz`` and ``.bz2``. Empty if the format cannot be
    detected from a name.
    """
    applies: Callable[[Path, Mapping[str, object]], bool] = lambda path, settings: True
    """Whether a file with such an extension, and these settings, has this format. Of the formats
    that share an extension, the first in the catalog that applies is used.
    """
    find: Callable[[Path], dict[str, Path]] = lambda path: {"all": path}
    """Finds the files that belong to a file, by role; by default only the file itself, ``all``."""
    has_parts: bool = False
    """Whether ``train`` and ``test`` may be two files."""
    role: str = "all"
    """Role of a file whose labels are in another file."""
    labels_suffix: str | None = None
    """Extension of that other file."""


def part_paths(files: Mapping[str, Path]) -> list[Path]:
    """Return the training and the test file, or the only file.

    Raises
    ------
    DataError
        If there are neither ``train`` and ``test`` nor ``all``.
    """
    if "train" in files and "test" in files:
        return [files["train"], files["test"]]
    if "all" in files:
        return [files["all"]]
    raise DataError(
        f"found files for {', '.join(files) or 'no role'}; train and test, or all, are needed"
    )


def needed(files: Mapping[str, Path], role: str, meaning: str) -> Path:
    """Return the file with a role.

    Raises
    ------
    DataError
        If there is no such file.
    """
    if role not in files:
        raise DataError(f"no file has the role {role!r} ({meaning}); add it to the files")
    return files[role]


def read_parts(files: Mapping[str, Path], read_part: Callable[[Path], RawTable]) -> RawTable:
    """Read each part with `read_part`, and stack them."""
    tables = [read_part(path) for path in part_paths(files)]
    if len(tables) == 1:
        return tables[0]
    return stack_parts(tables[0], tables[1], f"{files['train']} and {files['test'].name}")


def whole_number(options: Mapping[str, object], key: str) -> int:
    """Return an option that must be a whole number; 0 if it is not given.

    Raises
    ------
    DataError
        If it is not a whole number, or negative.
    """
    value = options.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise DataError(f"{key} is {value!r}; it must be a whole number of at least 0")
    return value
