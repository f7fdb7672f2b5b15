"""A hash of the code behind a method, blind to comments, docstrings and layout."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from hashlib import sha256
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from mlbench.hashing import digest
from mlbench.registry.loading import FILE_MODULE
from mlbench.registry.source_imports import imports_in, locate

_HOME = Path(__file__).parents[2]
_NO_NUMBERS = ("mlbench/errors.py", "mlbench/spelling.py", "mlbench/registry/")
"""What only finds, checks or describes: all of it is in a result's identity, or is words."""

_SKIPPED = {"ctx", "kind", "type_comment", "type_params"}
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def code_fingerprint(method: type) -> str:
    """Identify the code of a method, so that results can be known to be out of date.

    Parameters
    ----------
    method
        A class of mlbench, of a user's file or folder, or of an installed package.

    Returns
    -------
    str
        For mlbench's own classes: the SHA-256 of the module that defines the class and of the
        mlbench modules that it imports, directly or not, without those that yield no numbers.
        For a class from a file, or from a folder on the search path: the same over that file
        and what it imports beside it. For an installed package: its distribution's name,
        without the version.
    """
    package = method.__module__.partition(".")[0]
    if package != "mlbench" and not package.startswith(FILE_MODULE):
        owners = packages_distributions().get(package)
        if owners:
            return f"distribution:{owners[0]}"
    source = inspect.getsourcefile(sys.modules[method.__module__])
    if source is None:
        return f"module:{method.__module__}"
    start = Path(source).resolve()
    depth = 0 if package.startswith(FILE_MODULE) else method.__module__.count(".")
    root = start.parents[depth + (start.name == "__init__.py")]
    inside = None if depth == 0 else package
    return digest([[name, text] for name, text in sorted(_sources(start, root, inside).items())])


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


def _sources(start: Path, root: Path, inside: str | None) -> dict[str, list[Any]]:
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
        except (SyntaxError, ValueError):  # a neighbour that the method can do without
            found[name] = ["unreadable", sha256(content).hexdigest()]
            continue
        found[name] = normal_form(tree)
        for imported, level in imports_in(tree):
            package = imported.partition(".")[0]
            if level:
                target, its_home = locate(path.parents[level - 1], imported), home
            elif package == "mlbench":
                target, its_home = locate(_HOME, imported), _HOME
            elif inside is None or package == inside:
                target, its_home = locate(root, imported), root
            else:
                continue
            if target is not None:
                waiting.append((target, its_home))
    return found
