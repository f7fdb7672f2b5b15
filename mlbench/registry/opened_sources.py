"""Which source files of the user an import opens, and which file asked for them."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from weakref import WeakKeyDictionary

_opened: defaultdict[str, set[str]] = defaultdict(set)
_watches = 0
_sources: WeakKeyDictionary[object, Path] = WeakKeyDictionary()


@contextmanager
def watch_imports(file: Path | None = None) -> Iterator[None]:
    """Notice every source file that is opened meanwhile, however it is imported or run.

    Parameters
    ----------
    file
        A file that is imported anew: what it opened before is forgotten.
    """
    global _watches
    _listen()
    _opened.pop(str(file), None)
    _watches += 1
    try:
        yield
    finally:
        _watches -= 1


def opened_by(file: Path) -> list[Path]:
    """Return the files of the user that the code in a file opened as it was imported."""
    return [Path(path) for path in sorted(_opened[str(file)])]


def note_source(module: ModuleType) -> None:
    """Keep the file of what a module defines, for the module will be forgotten."""
    for value in vars(module).values():
        if isinstance(value, type | FunctionType) and value.__module__ == module.__name__:
            _sources[value] = Path(str(module.__file__)).resolve()


def noted_source(definition: object) -> Path | None:
    """Return the file of a class or function of a module that was forgotten."""
    return _sources.get(definition)


def is_users(file: str) -> bool:
    """Tell whether a file, with all links resolved, belongs to no package that is installed."""
    return Path(file).is_absolute() and not file.startswith(_installed())


@cache
def _installed() -> tuple[str, ...]:
    folders = [sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [*site.getsitepackages(), site.getusersitepackages()]
    mlbench = str(Path(__file__).parents[1])
    return tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in [*folders, mlbench])


@cache
def _listen() -> None:
    sys.addaudithook(_note)  # no hook can be removed: this one rests while nobody watches


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if not _watches or event not in ("open", "import"):
        return
    path = arguments[event == "import"]  # of an import: a compiled extension, or None
    if not isinstance(path, str) or (event == "open" and not path.endswith((".py", ".pyc"))):
        return
    if path.endswith(".pyc"):
        try:
            path = source_from_cache(path)
        except ValueError:
            return
    file = os.path.realpath(path)
    if is_users(file) and (asking := _asking_file()) is not None:
        _opened[asking].add(file)


def _asking_file() -> str | None:
    """Return the file of the innermost code of the user that is running."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith("<") and is_users(file := os.path.realpath(name)):
            return file
        frame = frame.f_back
    return None
