"""Find a class or a function by a dotted name, ``module:Class``, or ``path/to/file.py:Class``."""

import ast
import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from mlbench.errors import MethodError
from mlbench.registry.import_policy import UFUNC_MODULES, refuse_unasked, refuse_unasked_value
from mlbench.registry.names import FILE_MODULE
from mlbench.spelling import did_you_mean

_neighbors: dict[str, dict[str, ModuleType]] = {}
"""Module loaded from a file -> the modules of its folder that it imported, by name."""
_added_folders: set[Path] = set()
"""The folders that files have put on the search path."""


def modules_around(definition: type | FunctionType) -> Mapping[str, ModuleType]:
    """Return the modules that the code of a class or function sees under their names.

    Modules from the folder of a file are not in ``sys.modules`` any more; see `_neighbors_of`.
    """
    name = definition.__module__
    for file_module, neighbors in _neighbors.items():
        neighbor = neighbors.get(name)
        if file_module == name or getattr(neighbor, definition.__qualname__, None) is definition:
            return {**sys.modules, **neighbors}
    return sys.modules


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
        The module may not or cannot be imported, or has no class of that name.
    """
    found = _load(target, folder)
    if not isinstance(found, type):
        hint = ""
        if callable(found) or hasattr(found, "get_params"):
            hint = (
                "; name the class, and its parameters beside `use`: those that are estimators as "
                "`{use: NAME, ...}` of their own"
            )
        kind = type(found).__name__
        raise MethodError(f"{target}: {_name(target)!r} is a {kind}, not a class{hint}")
    return found


def load_function(target: str, folder: Path | None = None) -> FunctionType:
    """Import the function that a target names, as `load_class` does a class.

    Raises
    ------
    MethodError
        The module may not or cannot be imported, or has no function of that name.
    """
    found = _load(target, folder)
    if not isinstance(found, FunctionType):
        kind = "class" if isinstance(found, type) else type(found).__name__
        raise MethodError(f"{target}: {_name(target)!r} is a {kind}, not a function")
    return found


def load_value(target: str, folder: Path | None = None) -> Any:
    """Import the class or function that a parameter names.

    Raises
    ------
    MethodError
        The module may not or cannot be imported, or has no class or function of that name, or
        what it has could do harm.
    """
    found = _ufunc(target)
    if found is not None:
        return found
    found = _load(target, folder)
    if not callable(found):
        raise MethodError(
            f"{target}: {_name(target)!r} is a {type(found).__name__}, not a class or a function"
        )
    if getattr(found, "__name__", "") == "<lambda>":
        raise MethodError(
            f"{target}: a lambda has no name by which results could tell it from others; define "
            "it with `def`"
        )
    refuse_unasked_value(target, found)
    return found


def _ufunc(target: str) -> np.ufunc | None:
    """Return a universal function of numpy or scipy, which computes and does nothing else."""
    module, _, name = target.rpartition(":" if ":" in target else ".")
    if module not in UFUNC_MODULES:
        return None
    found = getattr(importlib.import_module(module), name, None)
    return found if isinstance(found, np.ufunc) else None


def _name(target: str) -> str:
    return target.rpartition(":" if ":" in target else ".")[2]


def _load(target: str, folder: Path | None) -> Any:
    refuse_unasked(target)
    with chdir("."):  # a module may change the folder while it is imported
        if is_file_target(target):
            source, _, name = target.rpartition(":")
            module = _import_file(Path(folder or ".", source), target)
        else:
            source, _, name = target.rpartition(":" if ":" in target else ".")
            module = _import_module(source, target)
    if not hasattr(module, name):
        names = [word for word, value in vars(module).items() if _may_be_meant(word, value)]
        near = f"{name}Classifier"
        meant = f" (did you mean {near!r}?)" if near in names else did_you_mean(name, names)
        raise MethodError(f"{target}: {source} has no {name!r}{meant}")
    return getattr(module, name)


def _may_be_meant(name: str, value: object) -> bool:
    """Tell whether a wrong name may stand for a value; a regressor is no classifier."""
    return callable(value) and name[0] != "_" and not name.endswith("Regressor")


def _import_module(name: str, target: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if target.endswith(".py"):
            raise MethodError(f"{target}: name a class or function in it: {target}:NAME") from error
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise MethodError(f"{target}: there is no module {error.name!r} installed") from error
        raise _broken(target, name, error) from error
    except (Exception, SystemExit) as error:
        raise _broken(target, name, error) from error


def _import_file(path: Path, target: str) -> ModuleType:
    try:
        path = path.expanduser().resolve()
        if not path.is_file():
            here = Path(target.rpartition(":")[0]).absolute()
            hint = f"; write the whole path, {here}, or copy it there" if here.is_file() else ""
            raise MethodError(f"{target}: there is no file {path}{hint}")
        content = sha256(bytes(path) + b"\0" + path.read_bytes()).hexdigest()
    except (OSError, RuntimeError, ValueError) as error:
        shown = target if len(target) <= 200 else f"{target[:200]}..."
        raise MethodError(f"{shown!r}: this file cannot be read: {_reason(error)}") from error
    name = f"{FILE_MODULE}{content[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # the path ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _neighbors_of(path, name) as neighbors:
            spec.loader.exec_module(module)
        ran = (Path(each.__file__) for each in neighbors.values() if each.__file__ is not None)
        for file in (path, *ran):
            _refuse_shadowed(file, path.parent)
    except MethodError:
        del sys.modules[name]
        raise
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _broken(target, str(path), error) from error
    return module


@contextmanager
def _neighbors_of(path: Path, name: str) -> Iterator[dict[str, ModuleType]]:
    """Let one file import modules from its folder, and collect these modules.

    Afterwards they are removed from ``sys.modules``, because the next file may have others of the
    same names. So are modules from folders that the file put on the search path. Python writes no
    compiled copies: it would use them for a file that is edited within the same second and keeps
    its size.
    """
    known_folders = set(sys.path)
    folder = path.parent
    neighbors = _neighbors[name] = {}
    sys.path.insert(0, str(folder))
    leaves_copies, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
    try:
        yield neighbors
    finally:
        sys.dont_write_bytecode = not leaves_copies
        sys.path.remove(str(folder))
        _added_folders.update(Path(each).resolve() for each in {*sys.path} - known_folders)
        later = list(takewhile(lambda each: each != name, reversed(sys.modules)))  # the last first
        new = {each: sys.modules[each] for each in later}
        for imported in new:
            top = new.get(imported.partition(".")[0])
            if any(_stands_in(each, top) for each in (folder, *_added_folders)):
                neighbors[imported] = sys.modules.pop(imported)


def _refuse_shadowed(file: Path, folder: Path) -> None:
    """Refuse a file that imports a neighbor but got another module of the same name.

    Raises
    ------
    MethodError
        That module was loaded before. So the neighbor did not run, although its code would count
        as the method's.
    """
    for imported, level in imports_in(ast.parse(file.read_bytes())):
        top = imported.partition(".")[0]
        if level or top == "mlbench" or top not in sys.modules:
            continue
        if locate(folder, top) is not None and not _stands_in(folder, sys.modules[top]):
            used = getattr(sys.modules[top], "__file__", None) or "Python itself"
            raise MethodError(
                f"{file} imports {top!r}, which stands beside it and is also the name of a module "
                f"that is in use ({used}); rename the one in {folder}"
            )


def _stands_in(folder: Path, module: ModuleType | None) -> bool:
    """Tell whether a top-level module is a file, or a package, right in the folder."""
    packages = [Path(path).resolve().parent for path in getattr(module, "__path__", ())]
    file = getattr(module, "__file__", None)
    if not packages and file is not None:
        return folder == Path(file).resolve().parent
    return folder in packages


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _broken(target: str, source: str, error: BaseException) -> MethodError:
    try:
        words = str(error)
    except Exception:
        words = "its message cannot be printed"
    return MethodError(f"{target}: importing {source} failed: {type(error).__name__}: {words}")


_BY_CALL = ("import_module", "__import__")


def imports_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every import as (dotted name, level); the last part need not be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{node.module}.{alias.name}" if node.module else alias.name, node.level
        elif isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            text = getattr(node.args[0], "value", None)
            if name in _BY_CALL and isinstance(text, str):
                imported = text.lstrip(".")
                yield imported, len(text) - len(imported)


def names_in(tree: ast.AST) -> set[str]:
    """Return every name that a file defines, imports or assigns."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def locate(folder: Path, imported: str) -> Path | None:
    """Return the file of a module below a folder, or of the module that holds the last part."""
    parts = imported.split(".")
    for tail in (parts, parts[:-1]):
        for path in (
            folder.joinpath(*tail).with_suffix(".py"),
            folder.joinpath(*tail, "__init__.py"),
        ):
            if tail and path.is_file():
                return path.resolve()
    return None
