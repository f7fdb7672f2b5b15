"""Hashes of the code behind a method; comments, docstrings and layout do not count."""

import ast
import inspect
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import decode_source
from pathlib import Path
from types import FunctionType, ModuleType

from mlbench.hashing import digest
from mlbench.methods.catalogue import METHODS
from mlbench.registry.loading import imports_in, locate, modules_around, names_in
from mlbench.registry.names import FILE_MODULE, is_built_in
from mlbench.registry.search_path import HOME, is_installed, is_users, users_module

_NO_NUMBERS = ("mlbench/errors.py", "mlbench/methods/catalogue.py", "mlbench/steps.py")
"""What only finds or describes: all of it is in a result's identity, or is words."""

_SKIPPED = {"ctx", "kind", "type_comment", "type_params"}
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def content_hash(method: type | FunctionType) -> str | None:
    """Hash the code of a class or function that is part of no installed package.

    Returns
    -------
    str or None
        The SHA-256 of the file that defines it and of the user's files that this file imports.
        Comments, docstrings, layout, and the location of the files do not count. None for
        built-in methods, which their `revision` identifies, and for installed packages.
    """
    if is_built_in(method) or _distribution(method) is not None:
        return None
    return _hash_of(method, with_mlbench=False)


def provenance(method: type | FunctionType) -> str:
    """Identify the code that runs; results record it, but no key contains it.

    Returns
    -------
    str
        For an installed package, its distribution and version. Otherwise the SHA-256 of the
        module and of what it imports from the user's files and from mlbench.
    """
    if is_built_in(method):
        return built_in_provenance(method.__module__)
    if (distribution := _distribution(method)) is not None:
        return f"{distribution} {_version(distribution)}"
    return _hash_of(method, with_mlbench=True)


@cache
def built_in_provenance(module: str) -> str:
    """Return the `provenance` of the built-in methods of a module, which is not imported."""
    path = HOME.joinpath(*module.split(".")).with_suffix(".py")
    return _hash_of_files(_sources(path, HOME, with_mlbench=True), HOME)


def current_provenance(name: str, recorded: str) -> str | None:
    """Return the current `provenance` of a class by its name, without importing it.

    Parameters
    ----------
    name : str
        As :func:`mlbench.registry.names.name_of` gives it.
    recorded : str
        The provenance that a result recorded.

    Returns
    -------
    str or None
        None where only an import could find out, as for a file of the user.
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


@dataclass(frozen=True)
class CodeNow:
    """The code that a user's class has now, as far as it is found without importing it."""

    provenance: str
    not_found: tuple[str, ...]
    """The packages that its files import and that are not found, in order."""

    def is_still(self, recorded: str) -> bool | None:
        """Tell whether a provenance is that of this code; None where it cannot be known."""
        if self.provenance == recorded:  # an import that is not found was not found then
            return True
        return None if self.not_found else False


def code_of_file(path: Path) -> CodeNow:
    """Return the current code of the classes in a user's file."""
    path = path.resolve()
    return _code_now(path, path.parent)


def code_of_class(name: str) -> CodeNow | None:
    """Return the current code of a user's class by its dotted name.

    Returns
    -------
    CodeNow or None
        None if its module is not found, or has no such name.
    """
    place = users_module(name)
    if place is None or name.rpartition(".")[2] not in _names_of(place[0].read_bytes()):
        return None
    return _code_now(*place)


def is_of_users_module(name: str, recorded: str) -> bool:
    """Tell whether a name, with the provenance that a row has for it, is of a user's module.

    Not of a user's file, a built-in method, an installed package, or a program that runs.
    """
    is_hash = re.fullmatch("[0-9a-f]{64}", recorded) is not None
    is_dotted = "." in name and ":" not in name and not name.startswith("__main__.")
    return is_hash and is_dotted and name.partition(".")[0] != "mlbench"


def files_beside(path: Path) -> list[str]:
    """Return the files in the folder of a user's file, and below, that it reaches by imports."""
    path = path.resolve()
    sources = _sources(path, path.parent, with_mlbench=False)
    near = [each for each in sources if each != path and each.is_relative_to(path.parent)]
    return [_name(each, path.parent) for each in near]


def _code_now(start: Path, root: Path) -> CodeNow:
    files = _sources(start, root, with_mlbench=True)
    not_found: dict[str, None] = {}
    for file in files:
        for imported, level in () if _is_mlbench(file) else _read(file.read_bytes())[1] or ():
            package = imported.partition(".")[0]
            if level or package == "mlbench" or package in sys.stdlib_module_names:
                continue
            if not (locate(root, imported) or users_module(imported) or is_installed(package)):
                not_found[package] = None
    return CodeNow(_hash_of_files(files, root), tuple(not_found))


def _names_of(content: bytes) -> set[str]:
    """Return the names that a file has; none if it is no Python."""
    try:
        return names_in(ast.parse(decode_source(content)))
    except (SyntaxError, ValueError):
        return set()


def _distribution(method: type | FunctionType) -> str | None:
    """Return the distribution of a class; one that is installed in editable mode has none."""
    package = method.__module__.partition(".")[0]
    if package in sys.stdlib_module_names:
        return "Python"
    source = _source(method)
    edited = source is not None and is_users(source)
    return None if edited else _owner(package)


@cache
def _version(name: str) -> str:
    return platform.python_version() if name == "Python" else version(name)


@cache
def _owner(package: str) -> str | None:
    """Return the distribution that installed a package, faster than `packages_distributions`."""
    python = re.compile(rf"{re.escape(package)}(/.*)?\.py\b", re.ASCII)
    for found in distributions():
        if declared := (found.read_text("top_level.txt") or "").split():
            owns = package in declared
        else:
            files = found.read_text("RECORD") or found.read_text("SOURCES.txt") or ""
            owns = any(map(python.match, files.splitlines()))
        if owns:
            return found.metadata["Name"]
    return None


def _source(method: type | FunctionType) -> Path | None:
    module = modules_around(method).get(method.__module__)
    source = None if module is None else inspect.getsourcefile(module)
    return None if source is None else Path(source).resolve()


@cache
def uses(module: str, file: str, without: str = "") -> bool:
    """Tell whether the built-in methods of a module reach a file of mlbench by their imports.

    Imports of the file ``without`` do not count.
    """
    path = HOME.joinpath(*module.split(".")).with_suffix(".py")
    return HOME / file in _sources(path, HOME, with_mlbench=True, without=HOME / without)


@cache
def _hash_of(method: type | FunctionType, with_mlbench: bool) -> str:
    start, module = _source(method), method.__module__
    if start is None:
        return digest(["no source", module])
    depth = 0 if module.startswith(FILE_MODULE) else module.count(".")
    root = start.parents[depth + (start.name == "__init__.py")]
    return _hash_of_files(_sources(start, root, with_mlbench, modules_around(method)), root)


def _hash_of_files(forms: Mapping[Path, str], root: Path) -> str:
    return digest(sorted([_name(path, root), form] for path, form in forms.items()))


def _name(path: Path, root: Path) -> str:
    """Return the path of a file from the folder of its package, wherever that folder is."""
    for home in (HOME, root) if _is_mlbench(path) else (root,):
        if path.is_relative_to(home):
            return path.relative_to(home).as_posix()
    return path.name


def _is_mlbench(path: Path) -> bool:
    return path.is_relative_to(HOME / "mlbench")


def normal_form(node: ast.AST, text: str) -> list[object]:
    """Return parsed Python as nested lists that leave out docstrings, comments and layout.

    All versions of Python give the same lists. Which empty fields a node has depends on the
    version, so they are left out. So does the parse of an f-string, which counts as its source in
    `text`.
    """
    form: list[object] = [type(node).__name__]
    if isinstance(node, ast.JoinedStr):
        return [*form, ast.get_source_segment(text, node)]
    for field, value in ast.iter_fields(node):
        if field in _SKIPPED or (value is None and not isinstance(node, ast.Constant)):
            continue
        if isinstance(value, list):
            if field == "body" and isinstance(node, _WITH_DOCSTRING):
                value = value[1:] if ast.get_docstring(node, clean=False) is not None else value
            if value:
                form.append([field, *(_entry(item, text) for item in value)])
        else:
            form.append([field, _entry(value, text)])
    return form


def _entry(value: object, text: str) -> object:
    return normal_form(value, text) if isinstance(value, ast.AST) else ascii(value)


def _sources(
    start: Path,
    root: Path,
    with_mlbench: bool,
    loaded: Mapping[str, ModuleType] | None = None,
    without: Path | None = None,
) -> dict[Path, str]:
    """Return the hashes of a file and of all files that it reaches by imports.

    Parameters
    ----------
    start : Path
    root : Path
        The folder of the outermost package.
    with_mlbench : bool
        Whether files of mlbench count.
    loaded : mapping, optional
        The modules in use, for those that stand in other folders of the search path.
    without : Path, optional
        A file that is not followed.
    """
    found: dict[Path, str] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in found or (_is_mlbench(path) and _name(path, root).startswith(_NO_NUMBERS)):
            continue
        found[path], imports = _read(path.read_bytes())
        if imports is None or path == without:
            continue
        if not _is_mlbench(path):
            waiting += _packages_of(path)
        for imported, level in imports:
            package = imported.partition(".")[0]
            if level:
                target = locate(path.parents[level - 1], imported)
            elif package == "mlbench":
                target = locate(HOME, imported) if with_mlbench else None
            elif _is_mlbench(path):  # a dependency: results record its version
                target = None
            else:
                place = users_module(imported)
                target = locate(root, imported) or _loaded(imported, loaded or {})
                target = target or (place and place[0])
            if target is not None:
                waiting.append(target)
    return found


@cache
def _read(content: bytes) -> tuple[str, Sequence[tuple[str, int]] | None]:
    """Return the hash of a file's normal form, and its imports, or None if it is no Python."""
    try:
        text = decode_source(content)  # a byte-order mark or a coding line counts
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # the method may do without it
        return digest(["unreadable", sha256(content).hexdigest()]), None
    return digest(normal_form(tree, text)), list(imports_in(tree))


def _packages_of(path: Path) -> Iterator[Path]:
    """Yield the ``__init__.py`` of each package that contains a module: Python runs them first."""
    for folder in path.parents:
        if not (folder / "__init__.py").is_file():
            return
        yield folder / "__init__.py"


def _loaded(imported: str, loaded: Mapping[str, ModuleType]) -> Path | None:
    """Return the user's file that is loaded under a name, from any folder."""
    for name in (imported, imported.rpartition(".")[0]):
        file = getattr(loaded.get(name), "__file__", None)
        if file is not None and is_users(found := Path(file).resolve()):
            return found
    return None
