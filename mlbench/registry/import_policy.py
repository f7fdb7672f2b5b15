"""What may be imported because an experiment names it.

An import runs code, and an experiment may come from a stranger. By default mlbench imports only
itself, scikit-learn, and what installed packages announce. Anything else needs the user's
permission: a flag or an environment variable. No file can give it, because a folder from a stranger
could contain that file.
"""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from mlbench.errors import MethodError
from mlbench.registry.plugins import announced_targets, base_learner_plugins, method_plugins

VARIABLE = "MLBENCH_ALLOW_IMPORT"
_TRUSTED = ("mlbench", "sklearn")
UFUNC_MODULES = ("numpy", "scipy.special")
"""Modules whose universal functions may always be parameters."""
_WITHOUT_FILES = ("sklearn.metrics", "sklearn.feature_selection", "sklearn.preprocessing")
"""Packages whose functions may always be parameters: none of them reads or writes files."""


@cache
def imports_allowed() -> bool:
    """Tell whether any code may be imported.

    The first answer holds for the process, even if a method clears the environment.
    """
    return os.environ.get(VARIABLE) == "1"


def allow_imports(allowed: bool = True) -> None:
    """Allow any code from now on, or forbid it, here and in processes that are started later."""
    os.environ[VARIABLE] = "1" if allowed else "0"
    imports_allowed.cache_clear()


def refuse_unasked(target: str) -> None:
    """Refuse a target of an experiment unless its code is trusted, announced or allowed.

    Raises
    ------
    MethodError
        The words name the ways to allow it.
    """
    if is_trusted(target) or imports_allowed() or target in announced_targets():
        return
    raise MethodError(
        f"{target!r} would run code that does not come with mlbench or scikit-learn, and that no "
        "installed plug-in announces; if you trust it, allow it with --allow-import (or set "
        f"{VARIABLE}=1)"
    )


def is_trusted(target: str) -> bool:
    """Tell whether a target names code that comes with mlbench or scikit-learn."""
    module = target.rpartition(":")[0] or target
    return not module.endswith(".py") and module.partition(".")[0] in _TRUSTED


def refuse_unasked_value(target: str, found: Any) -> None:
    """Refuse a class or function as a parameter unless it is known to be harmless, or allowed.

    A function of scikit-learn may write a file that its arguments name, and a module of
    scikit-learn imports classes of other packages.

    Raises
    ------
    MethodError
        The words name the ways to allow it.
    """
    if is_harmless(found) or imports_allowed() or target in announced_targets():
        return
    raise MethodError(
        f"{target!r} is neither an estimator, a splitter nor a scorer of scikit-learn, nor a "
        f"function of {', '.join(_WITHOUT_FILES)}, and could read or write files; if you trust it, "
        f"allow it with --allow-import (or set {VARIABLE}=1)"
    )


def is_harmless(value: Any) -> bool:
    """Tell whether a class or function may be a parameter in an experiment of a stranger."""
    if isinstance(value, np.ufunc):
        return True
    module = str(getattr(value, "__module__", ""))
    if not isinstance(value, type):
        return f"{module}.".startswith(tuple(f"{package}." for package in _WITHOUT_FILES))
    if not is_trusted(module):
        return False
    is_estimator = hasattr(value, "get_params") and hasattr(value, "set_params")
    is_splitter = hasattr(value, "split") and hasattr(value, "get_n_splits")
    return is_estimator or is_splitter or module == "sklearn.metrics._scorer"


def untrusted_names(value: object) -> Iterator[str]:
    """Yield the texts in a value of an experiment that may name code of others.

    Any text with a dot or a colon may, unless it names code of mlbench or scikit-learn.
    """
    if isinstance(value, str):
        point = method_plugins().get(value) or base_learner_plugins().get(value)
        target = point.value if point else value
        if (":" in target or "." in target) and not is_trusted(target):
            yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from untrusted_names(item)


def refuse_unasked_cache(name: object, value: object) -> None:
    """Refuse a folder for scikit-learn's ``memory``: what lies there is unpickled, and so is run.

    Raises
    ------
    MethodError
        The words name the ways to allow it.
    """
    is_folder = isinstance(value, str | os.PathLike)
    is_cache = str(name).rpartition("__")[2] == "memory" and is_folder
    if is_cache and not imports_allowed():
        raise MethodError(
            f"{name}: {value!r} would be a folder from which pickles are loaded, and these can run "
            f"code; leave it out, or allow it with --allow-import (or set {VARIABLE}=1)"
        )
