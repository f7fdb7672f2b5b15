"""An experiment file for another folder, where its paths lead to the same files."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

import yaml

from mlbench.config.overrides import parts_of_key
from mlbench.config.splits import DATASET
from mlbench.data.dataset_reference import ROW_KEYS, is_path, is_row_file
from mlbench.yaml_loader import Location


def relative_path(path: Path, folder: Path) -> str | None:
    """Return a path as seen from a folder, or None if no text can hold it."""
    try:
        found = os.path.relpath(path, folder.resolve())
    except ValueError:  # there is no way between two drives
        found = str(path)
    is_text = found.encode(errors="replace").decode() == found
    return Path(found).as_posix() if is_text else None


def relocated(text: str, old: Path, new: Path) -> str:
    """Return the text of an experiment file for another folder.

    Parameters
    ----------
    text : str
    old : Path
        Where the paths of data sets, their groups, ``splits.file`` and ``tuning.params`` start.
    new : Path
        Where they are to start. Paths that lead nowhere stay, and so does the rest of the text.
    """
    found: dict[tuple[int, int], str | None] = {}
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        for location, node in _scalars(root, ()):
            if _is_relative_path(location, node.value):
                path = old.resolve() / node.value
                if path.exists() or (DATASET in path.name and path.parent.exists()):
                    found[node.start_mark.index, node.end_mark.index] = relative_path(path, new)
    except (
        yaml.YAMLError,
        RecursionError,
        ValueError,
        OSError,
    ):  # not an experiment: it stays as it is
        return text
    for (start, end), moved in sorted(found.items(), reverse=True):
        if moved is None:
            continue
        shown = moved if is_path(moved) else f"./{moved}"
        quoted = yaml.safe_dump(shown, default_style='"', allow_unicode=True, width=math.inf)
        text = text[:start] + quoted.rstrip("\n") + text[end:]
    return text


def _scalars(node: yaml.Node | None, at: Location) -> Iterator[tuple[Location, yaml.ScalarNode]]:
    """Yield the scalars of a document, with their locations."""
    if isinstance(node, yaml.ScalarNode):
        yield at, node
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _scalars(item, (*at, index))
    elif isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            yield from _scalars(item, (*at, key.value))


def _is_relative_path(location: Location, value: str) -> bool:
    match location:
        case ("quick", str(key), *rest):
            return _is_relative_path((*parts_of_key(key), *rest), value)
        case ("datasets", _) | ("datasets", _, "use"):
            return is_path(value) and _starts_here(value)
        case ("datasets", _, str(key)) if key in ROW_KEYS:
            return is_row_file(value) and _starts_here(value)
        case ("base",) | ("base", "use"):
            return _starts_here(value)
        case ("protocol", "tuning", "params"):
            return not Path(value).is_absolute()
        case ("protocol", "splits", "file"):
            return _starts_here(value)
    return False


def _starts_here(path: str) -> bool:
    return not path.startswith("~") and not Path(path).is_absolute()
