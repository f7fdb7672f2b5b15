"""Find a class by a dotted name, ``module:Class``, or ``path/to/file.py:Class``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from mlbench.errors import MethodError
from mlbench.names import did_you_mean

FILE_MODULE = "mlbench_file_"
"""Modules loaded from a file are called this, followed by a hash of the file."""


def is_file_target(target: str) -> bool:
    """Tell whether a target has the form ``path/to/file.py:Class``."""
    return target.rpartition(":")[0].endswith(".py")


def load_class(target: str, folder: Path | None = None) -> type:
    """Import the class that a target names.

    Parameters
    ----------
    target
        ``"package.module.Class"``, ``"package.module:Class"`` or ``"path/to/file.py:Class"``.
    folder
        Where a relative path starts; the working directory by default.

    Raises
    ------
    MethodError
        The module cannot be imported, or has no class of that name.
    """
    if is_file_target(target):
        place, _, name = target.rpartition(":")
        module = _import_file(Path(folder or ".", place), target)
    else:
        place, _, name = target.rpartition(":" if ":" in target else ".")
        module = _import_module(place, target)
    if not hasattr(module, name):
        names = [word for word in vars(module) if not word.startswith("_")]
        raise MethodError(f"{target}: {place} has no {name!r}{did_you_mean(name, names)}")
    found = getattr(module, name)
    if not isinstance(found, type):
        raise MethodError(f"{target}: {name!r} is a {type(found).__name__}, not a class")
    return found


def _import_module(name: str, target: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise MethodError(f"{target}: there is no module {error.name!r} installed") from error
        raise _broken(target, name, error) from error
    except (Exception, SystemExit) as error:
        raise _broken(target, name, error) from error


def _import_file(path: Path, target: str) -> ModuleType:
    path = path.expanduser().resolve()
    if not path.is_file():
        raise MethodError(f"{target}: there is no file {path}")
    content = sha256(bytes(path) + b"\0" + path.read_bytes()).hexdigest()
    name = f"{FILE_MODULE}{content[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # the path ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))  # so that the file may import its neighbours
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _broken(target, str(path), error) from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _broken(target: str, place: str, error: BaseException) -> MethodError:
    return MethodError(f"{target}: importing {place} failed: {type(error).__name__}: {error}")
