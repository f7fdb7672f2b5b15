"""Files without a card: what they are, as their names and their neighbours tell."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mlbench.data.readers import FORMATS
from mlbench.data.readers.meka import declares_labels
from mlbench.data.search import COMPRESSIONS
from mlbench.errors import DataError
from mlbench.spelling import did_you_mean

_SUFFIXES = {
    ".arff": "mulan or meka",
    ".csv": "csv",
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
}
_PAIRS = (("X", "Y"), ("features", "labels"), ("x", "y"))


def is_path(use: str) -> bool:
    """Say whether a reference names a file rather than a card."""
    separators = {os.sep, os.altsep or os.sep, "/"}
    return any(one in use for one in separators) or _suffix(Path(use)) in _SUFFIXES


def find_own_files(use: str, settings: Mapping[str, object]) -> tuple[str, dict[str, Path]]:
    """Return the format of a file and the files that belong to it, by role.

    An ARFF file is MULAN's if an XML file stands beside it with the same name (or the name without
    ``-train`` or ``-test``, or as the only one there), and MEKA's if its relation holds ``-C n``.
    ``X.csv`` belongs with ``Y.csv``, ``features.csv`` with ``labels.csv``, ``a-X.csv`` with
    ``a-Y.csv``. A folder stands for the pair in it. The setting ``format`` goes before all that.

    Raises
    ------
    DataError
        If there is no such file, or if it does not tell what it is.
    """
    path = _expanded(use)
    chosen = settings.get("format")
    if chosen is not None and chosen not in FORMATS:
        raise DataError(
            f"{use}: no format named {chosen!r}{did_you_mean(str(chosen), FORMATS)}; there are "
            + ", ".join(FORMATS)
        )
    if path.is_dir():
        path = _features_in(path)
    if not path.is_file():
        raise DataError(f"{use}: no such file; give its path, or the name of a data set")
    kind = _suffix(path)
    if chosen is None and kind == ".csv" and "class_column" in settings:
        chosen = "delimited"
    if chosen == "csv" or (chosen is None and kind == ".csv"):
        return "csv", {"features": path, "labels": _labels_beside(path)}
    if chosen == "mulan" or (chosen is None and kind == ".arff"):
        return _arff(path, must_be_mulan=chosen == "mulan")
    if chosen is None and _SUFFIXES.get(kind) == "libsvm":
        chosen = "libsvm"
    if chosen is None:
        raise DataError(
            f"{path}: the name does not tell the format; write "
            f"{{use: {use}, format: ...}} with one of {', '.join(FORMATS)}"
        )
    return str(chosen), {"all": path}


def _expanded(use: str) -> Path:
    try:
        path = Path(use).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"{use[:200]!r} cannot be the path of a file: {error}") from error
    return path


def own_name(use: str) -> str:
    """Return the name that a data set has by its path: ``my/data.arff.gz`` gives data."""
    path = Path(use)
    return Path(path.stem).stem if path.suffix in COMPRESSIONS else path.stem


def _suffix(path: Path) -> str:
    return Path(path.stem if path.suffix in COMPRESSIONS else path.name).suffix.lower()


def _features_in(folder: Path) -> Path:
    for left, right in _PAIRS:
        if (folder / f"{left}.csv").is_file() and (folder / f"{right}.csv").is_file():
            return folder / f"{left}.csv"
    raise DataError(
        f"{folder}: a folder, but without X.csv and Y.csv (or features.csv and labels.csv) in it; "
        "give the path of a file"
    )


def _labels_beside(path: Path) -> Path:
    wanted = []
    for left, right in _PAIRS:
        head, found, tail = path.name.rpartition(left)
        if found and not tail.lower().strip(".cvsgzb2"):
            wanted.append(path.with_name(head + right + tail))
    for candidate in wanted:
        if candidate.is_file():
            return candidate
    names = " or ".join(candidate.name for candidate in wanted) or "Y.csv beside X.csv"
    raise DataError(
        f"{path}: no file with the labels beside it (looked for {names}). If one column of the "
        "file holds the class, add `class_column: first` or `class_column: last`"
    )


def _arff(path: Path, must_be_mulan: bool) -> tuple[str, dict[str, Path]]:
    stem = path.name[: path.name.lower().index(".arff")] if ".arff" in path.name else path.stem
    stems = [stem, stem.removesuffix("-train").removesuffix("-test")]
    beside = [path.with_name(f"{one}.xml") for one in stems]
    xml = next((candidate for candidate in beside if candidate.is_file()), None)
    if xml is None:
        others = sorted(path.parent.glob("*.xml"))
        declared = not must_be_mulan and declares_labels(path)
        if declared:
            return "meka", {"all": path}
        if len(others) != 1:
            raise DataError(
                f"{path}: nothing says which attributes are labels; put a MULAN file "
                f"{beside[0].name} beside it, or MEKA's `-C n` into its @relation line"
            )
        xml = others[0]
    return "mulan", {"all": path, "labels": xml}
