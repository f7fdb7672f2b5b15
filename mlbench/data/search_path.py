"""Where data files are searched for, and the error message if they are missing."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from mlbench.errors import DataError, MissingFileError

COMPRESSIONS = (".gz", ".bz2")


def own_data_dir() -> Path:
    """Return the folder where ``mlbench data add`` puts the user's data sets.

    This is ``mlbench/datasets`` in ``$XDG_DATA_HOME`` or ``~/.local/share``.
    """
    return _user_folder("XDG_DATA_HOME", ".local/share") / "datasets"


def fetched_data_dir() -> Path:
    """Return the folder where ``mlbench data fetch`` puts files: ``datasets`` in `user_cache`."""
    return user_cache() / "datasets"


def user_cache() -> Path:
    """Return ``mlbench`` in ``$XDG_CACHE_HOME`` or ``~/.cache``, for replaceable files."""
    return _user_folder("XDG_CACHE_HOME", ".cache")


def _user_folder(variable: str, below_home: str) -> Path:
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / below_home) / "mlbench"


def search_path(data_dirs: Sequence[str | Path] = ()) -> list[Path]:
    """Return the folders searched for data files and cards, in order of precedence.

    The order is: the given folders, those in ``MLBENCH_DATA`` (separated as in ``PATH``),
    ``./datasets``, the user's data folder, the user's cache. Each folder is listed once; it need
    not exist.

    Raises
    ------
    DataError
        If a folder starts with ``~`` and the name of an unknown user.
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
    """Return a folder with ``~`` and ``~user`` expanded.

    Parameters
    ----------
    whence
        Where the folder was given, such as a variable, for the message.

    Raises
    ------
    DataError
        If there is no such user.
    """
    try:
        return Path(folder).expanduser()
    except RuntimeError as error:
        raise DataError(
            f"{whence}: {str(folder)!r} starts with the home folder of an unknown user; "
            "write the full path"
        ) from error


def check_relative(path: str) -> str:
    """Return the path if it stays inside any folder it is joined to.

    Raises
    ------
    DataError
        If the path is empty or absolute, contains ``..``, or is not written with ``/``.
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
    """Return the first file with this path, compressed or not, or None.

    A folder earlier on the search path takes precedence, whether its file is compressed or not.
    """
    return locate_in(relative_path, search_path(data_dirs))


def locate_in(relative_path: str, folders: Sequence[Path]) -> Path | None:
    """Like `locate`, but only in these folders."""
    return next(_candidates(check_relative(relative_path), folders), None)


def find_file(
    relative_path: str, data_dirs: Sequence[str | Path] = (), *, remedy: str = ""
) -> Path:
    """Return the first file with this path on the search path.

    Parameters
    ----------
    relative_path
        As on a card: ``emotions/emotions-train.arff``. The same file with ``.gz`` or ``.bz2``
        added or removed is accepted too.
    data_dirs
        Folders to search before the default ones; see `search_path`.
    remedy
        What to do if the file is missing; see `mlbench.data.cards.Card.remedy`.

    Raises
    ------
    MissingFileError
        If no folder has the file; the message lists the folders and the remedy.
    """
    found = locate(relative_path, data_dirs)
    if found is not None:
        return found
    looked_in = "\n".join(f"  {folder}{_state(folder)}" for folder in search_path(data_dirs))
    remedy = remedy or "Add your own files with `mlbench data add PATH`."
    raise MissingFileError(
        f"cannot find {relative_path} (or a .gz or .bz2 of it); looked in\n{looked_in}\n"
        f"{remedy}\nIf it is in another folder, give that folder in MLBENCH_DATA or with --data.",
        relative_path,
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
