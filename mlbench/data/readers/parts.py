"""Helpers shared by readers: the training and the test part, and checks of options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from mlbench.data.table import RawTable, stack_parts
from mlbench.errors import DataError


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
