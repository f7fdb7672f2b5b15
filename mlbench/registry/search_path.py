"""Where modules stand on Python's search path, told without importing them."""

import os
import site
import sysconfig
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from mlbench.registry.loading import locate

HOME = Path(__file__).parents[2]
"""The folder in which mlbench stands."""


def is_users(file: Path) -> bool:
    """Tell whether a file, with all links resolved, belongs to no package that is installed."""
    return file.is_absolute() and not str(file).startswith(_installed())


@cache
def _installed() -> tuple[str, ...]:
    folders = [sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [*site.getsitepackages(), site.getusersitepackages(), str(HOME / "mlbench")]
    return tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in folders)


def is_installed(package: str) -> bool:
    """Tell whether a package is found among the installed ones, and not among the user's files."""
    spec = _spec(package)
    if spec is None:
        return False
    places = [spec.origin] if spec.origin else spec.submodule_search_locations or []
    files = [path.resolve() for path in map(Path, places) if path.is_absolute()]
    return not any(map(is_users, files))


def users_module(imported: str) -> tuple[Path, Path] | None:
    """Find a module of the user, in any folder of the search path or installed in editable mode.

    Parameters
    ----------
    imported : str
        A dotted name, whose last part may be a name in the module.

    Returns
    -------
    (Path, Path) or None
        The file, and the folder of its outermost package.
    """
    package, _, rest = imported.partition(".")
    spec = _spec(package)
    if spec is None or package == "__main__":
        return None
    if spec.submodule_search_locations is None:
        found = [Path(spec.origin)] if spec.origin else []
        places = [(path.resolve(), path.resolve().parent) for path in found]
    else:
        folders = [Path(place).resolve() for place in spec.submodule_search_locations]
        places = [
            (path, folder.parent)
            for folder in folders
            if (path := _module_in(folder, rest)) is not None
        ]
    return next((place for place in places if is_users(place[0]) and place[0].is_file()), None)


def _module_in(package: Path, rest: str) -> Path | None:
    """Return the file that the rest of a dotted name leads to; its last part may be a name."""
    if rest and (found := locate(package, rest)) is not None:
        return found
    return None if "." in rest else package / "__init__.py"


def _spec(package: str) -> ModuleSpec | None:
    try:
        return find_spec(package)
    except ValueError:  # a module that says nothing of where it comes from
        return None
