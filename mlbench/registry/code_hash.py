"""Hashes of the code behind a method, blind to comments, docstrings and layout."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from types import FunctionType
from typing import Any

from mlbench.hashing import digest
from mlbench.registry.catalogue import METHODS
from mlbench.registry.names import FILE_MODULE, is_built_in
from mlbench.registry.source_imports import imports_in, locate

_HOME = Path(__file__).parents[2]
_NO_NUMBERS = ("mlbench/errors.py", "mlbench/spelling.py", "mlbench/registry/")
"""What only finds, checks or describes: all of it is in a result's identity, or is words."""

_SKIPPED = {"ctx", "kind", "type_comment", "type_params"}
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def content_hash(method: type | FunctionType) -> str | None:
    """Hash code that neither mlbench nor an installed package answers for.

    Returns
    -------
    str or None
        For what stands in a file, or in a folder on the search path: the SHA-256 of that file and
        of what it imports beside it, blind to comments, docstrings, layout and place. None for
        built-in methods, whose numbers their `revision` stands for, and for installed packages.
    """
    if is_built_in(method) or _distribution(method) is not None:
        return None
    return _hash_of(_source(method), method.__module__, with_mlbench=False)


def provenance(method: type | FunctionType) -> str:
    """Say which code is run: no part of any key, but told where results are shown.

    Returns
    -------
    str
        For an installed package its distribution and version; for all others the SHA-256 of the
        class's module and of what it imports beside it and from mlbench.
    """
    if is_built_in(method):
        return built_in_provenance(method.__module__)
    if (distribution := _distribution(method)) is not None:
        return f"{distribution} {_version(distribution)}"
    return _hash_of(_source(method), method.__module__, with_mlbench=True)


def built_in_provenance(module: str) -> str:
    """Return the `provenance` of the built-in methods of a module, which is not imported."""
    path = _HOME.joinpath(*module.split(".")).with_suffix(".py")
    return _hash_of(path, module, with_mlbench=True)


def current_provenance(name: str, recorded: str) -> str | None:
    """Return the `provenance` that a class of this name has today, without importing anything.

    Parameters
    ----------
    name : str
        As :func:`mlbench.registry.names.name_of` gives it.
    recorded : str
        What it was when a result was computed.

    Returns
    -------
    str or None
        None where it cannot be told, as for a user's own file.
    """
    if name in METHODS:
        return built_in_provenance(METHODS[name].partition(":")[0])
    distribution, found, _ = recorded.partition(" ")
    if not found:
        return None
    try:
        return f"{distribution} {_version(distribution)}"
    except PackageNotFoundError:
        return f"{distribution}, which is not installed"


def _distribution(method: type | FunctionType) -> str | None:
    owners = _owners().get(method.__module__.partition(".")[0])
    return owners[0] if owners else None


@cache
def _version(distribution: str) -> str:
    return version(distribution)


@cache
def _owners() -> Mapping[str, list[str]]:
    return packages_distributions()


def _source(method: type | FunctionType) -> Path | None:
    source = inspect.getsourcefile(sys.modules[method.__module__])
    return None if source is None else Path(source).resolve()


@cache
def _hash_of(start: Path | None, module: str, with_mlbench: bool) -> str:
    if start is None:
        return digest(["no source", module])
    package = module.partition(".")[0]
    depth = 0 if package.startswith(FILE_MODULE) else module.count(".")
    root = start.parents[depth + (start.name == "__init__.py")]
    inside = None if depth == 0 else package
    sources = _sources(start, root, inside, with_mlbench)
    return digest([[name, text] for name, text in sorted(sources.items())])


def normal_form(node: ast.AST) -> list[Any]:
    """Return parsed Python as nested lists that leave out docstrings, comments and layout.

    Of an error that is raised only its class counts, not its message. Empty fields are left out
    too: which ones a node has differs between Python versions.
    """
    form: list[Any] = [type(node).__name__]
    if isinstance(node, ast.Raise):
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return form if error is None else [*form, normal_form(error)]
    for field, value in ast.iter_fields(node):
        if field in _SKIPPED or (value is None and not isinstance(node, ast.Constant)):
            continue
        if isinstance(value, list):
            if field == "body" and isinstance(node, _WITH_DOCSTRING):
                value = value[1:] if ast.get_docstring(node, clean=False) is not None else value
            if value:
                form.append([field, *(_entry(item) for item in value)])
        else:
            form.append([field, _entry(value)])
    return form


def _entry(value: Any) -> Any:
    return normal_form(value) if isinstance(value, ast.AST) else repr(value)


def _sources(
    start: Path, root: Path, inside: str | None, with_mlbench: bool
) -> dict[str, list[Any]]:
    """Return the normal form of a file and of all files that it reaches, by relative path."""
    found: dict[str, list[Any]] = {}
    waiting = [(start, root)]
    while waiting:
        path, home = waiting.pop()
        name = path.relative_to(home).as_posix()
        if name in found or (home == _HOME and name.startswith(_NO_NUMBERS)):
            continue
        content = path.read_bytes()
        try:
            tree = ast.parse(content)  # as bytes: a byte-order mark or a coding line counts
        except (SyntaxError, ValueError):  # a neighbor that the method can do without
            found[name] = ["unreadable", sha256(content).hexdigest()]
            continue
        found[name] = normal_form(tree)
        for imported, level in imports_in(tree):
            package = imported.partition(".")[0]
            if level:
                target, its_home = locate(path.parents[level - 1], imported), home
            elif package == "mlbench":
                if not with_mlbench:
                    continue
                target, its_home = locate(_HOME, imported), _HOME
            elif inside is None or package == inside:
                target, its_home = locate(root, imported), root
            else:
                continue
            if target is not None:
                waiting.append((target, its_home))
    return found
