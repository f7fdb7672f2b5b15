"""Where data files are looked for, and what to say when they are not there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from mlbench.errors import DataError

COMPRESSIONS = (".gz", ".bz2")


def own_data_dir() -> Path:
    """Return where ``mlbench data add`` puts what nobody could fetch again.

    That is ``mlbench/datasets`` in ``$XDG_DATA_HOME`` or ``~/.local/share``.
    """
    return _user_folder("XDG_DATA_HOME", ".local/share") / "datasets"


def fetched_data_dir() -> Path:
    """Return where ``mlbench data fetch`` puts files: ``datasets`` in `user_cache`."""
    return user_cache() / "datasets"


def user_cache() -> Path:
    """Return ``mlbench`` in ``$XDG_CACHE_HOME`` or ``~/.cache``: what can be had again."""
    return _user_folder("XDG_CACHE_HOME", ".cache")


def _user_folder(variable: str, below_home: str) -> Path:
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / below_home) / "mlbench"


def search_path(data_dirs: Sequence[str | Path] = ()) -> list[Path]:
    """Return the folders in which data files and cards are looked for, first choice first.

    The order is: the given folders, those of ``MLBENCH_DATA`` (separated as in ``PATH``),
    ``./datasets``, the user's data folder, the user's cache. A folder is named once; it need not
    exist.

    Raises
    ------
    DataError
        If one starts with ``~`` and the name of no user.
    """
    from_environment = os.environ.get("MLBENCH_DATA", "").split(os.pathsep)
    folders = [
        *(expanded(folder, "the data folder") for folder in data_dirs),
        *(expanded(folder, "MLBENCH_DATA") for folder in from_environment if folder.strip()),
        Path("datasets"),
        own_data_dir(),
        fetched_data_dir(),
    ]
    return list({folder.absolute(): folder for folder in reversed(folders)}.values())[::-1]


def expanded(folder: str | Path, whence: str) -> Path:
    """Return a folder with ``~`` and ``~user`` replaced.

    Parameters
    ----------
    whence
        What names the folder, for the message: a variable.

    Raises
    ------
    DataError
        If there is no such user.
    """
    try:
        return Path(folder).expanduser()
    except RuntimeError as error:
        raise DataError(
            f"{whence}: {str(folder)!r} starts with the home folder of a user that is not known "
            "here; write the whole path"
        ) from error


def check_relative(path: str) -> str:
    """Return a path that stays inside the folder it is joined to.

    Raises
    ------
    DataError
        If the path is empty, absolute, climbs with ``..``, or is not written with ``/``.
    """
    pure = PurePosixPath(path)
    climbs = ".." in pure.parts or pure.is_absolute() or PureWindowsPath(path).drive
    if climbs or not pure.parts or "\\" in path or "\0" in path:
        raise DataError(
            f"the path {path!r} would leave the data folder: "
            "write it relative to that folder, with '/' and without '..'"
        )
    return path


def uncompressed_name(path: str) -> str:
    """Return the path without ``.gz`` or ``.bz2``."""
    for suffix in COMPRESSIONS:
        path = path.removesuffix(suffix)
    return path


def locate(relative_path: str, data_dirs: Sequence[str | Path] = ()) -> Path | None:
    """Return the first file with this path, or its compressed or plain twin, or None.

    A folder that comes earlier on the search path wins, whichever twin it holds.
    """
    return locate_in(relative_path, search_path(data_dirs))


def locate_in(relative_path: str, folders: Sequence[Path]) -> Path | None:
    """As `locate`, in these folders and no others."""
    return next(_candidates(check_relative(relative_path), folders), None)


def find_file(
    relative_path: str, data_dirs: Sequence[str | Path] = (), *, remedy: str = ""
) -> Path:
    """Return the first file with this path on the search path.

    Parameters
    ----------
    relative_path
        As on a card: ``emotions/emotions-train.arff``. A twin with ``.gz`` or ``.bz2``
        (or without, if the card names the compressed one) is as good.
    data_dirs
        Folders to look in before the usual ones; see `search_path`.
    remedy
        What to do where the file is missing; `mlbench.data.cards.Card.remedy` has the words.

    Raises
    ------
    DataError
        If no folder has the file: the message lists the folders and the remedy.
    """
    found = locate(relative_path, data_dirs)
    if found is not None:
        return found
    looked_in = "\n".join(f"  {folder}{_state(folder)}" for folder in search_path(data_dirs))
    remedy = remedy or "Add your own files with `mlbench data add PATH`."
    raise DataError(
        f"cannot find {relative_path} (nor a .gz or .bz2 of it); looked in\n{looked_in}\n"
        f"{remedy}\nIf you have it in another folder, name that in MLBENCH_DATA or with --data."
    )


def _candidates(relative_path: str, folders: Sequence[Path]) -> Iterator[Path]:
    plain = uncompressed_name(relative_path)
    names = dict.fromkeys([relative_path, plain, *(plain + suffix for suffix in COMPRESSIONS)])
    for folder in folders:
        for name in names:
            if os.path.isfile(folder / name):  # noqa: PTH113 - no error where access is denied
                yield folder / name


def _state(folder: Path) -> str:
    if not os.path.isdir(folder):  # noqa: PTH112 - as above
        return "  (no such folder)"
    return "" if os.access(folder, os.R_OK | os.X_OK) else "  (cannot be read)"
