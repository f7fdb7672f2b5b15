"""Python objects as the plain values that an experiment file could hold."""

from __future__ import annotations

import inspect
import os
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from mlbench.errors import MethodError
from mlbench.methods.parameters import is_estimator
from mlbench.registry.import_policy import is_harmless, is_trusted
from mlbench.registry.loading import is_file_target
from mlbench.registry.names import is_built_in, name_of, ufunc_name
from mlbench.registry.object_arguments import arguments_of
from mlbench.registry.value_forms import ESTIMATOR, form_of, form_of_mapping, item_defaults
from mlbench.yaml_loader import MAX_DIGITS

_DEEPEST = 50
_IS_CLASS = "{0} is a class; write {0}() for an object of it"
_BESIDE_PARAMETERS = {
    "_sklearn_output_config": "set_output",
    "_metadata_request": "set_fit_request or a method like it",
}
"""What `sklearn.base.clone` copies of an estimator in addition to its parameters."""


def as_plain(value: object, at: Sequence[str] = ()) -> Any:
    """Return a value in which estimators are ``{use: NAME, ...}`` and arrays are lists.

    Mappings in it are read as in an experiment file. Paths of files are made absolute, so that
    the folder of the experiment does not matter.

    Parameters
    ----------
    value : object
    at : sequence of str
        The keys that lead to the value, for messages.

    Raises
    ------
    MethodError
        Worker processes could not import the class of an estimator or have one of its
        parameters, or a file could not hold the value.
    """
    _refuse_depth(at)
    if isinstance(value, type):
        raise _refusal(at, _IS_CLASS.format(value.__qualname__))
    if is_estimator(value):
        return _as_entry(value, at)
    if isinstance(value, Mapping):
        return {str(key): as_plain(item, (*at, str(key))) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple | range):
        return [as_plain(item, (*at, str(i))) for i, item in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, str) and is_file_target(value):
        path, _, name = value.rpartition(":")
        return f"{Path(path).expanduser().absolute()}:{name}"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise _refusal(at, f"is an object of the type {_type_name(value)}, which no file can hold")


def parameter_as_plain(value: object, at: Sequence[str] = ()) -> Any:
    """Return a parameter that a mapping states, as `as_plain`, but with its type.

    What an experiment file has no notation for has a form of its own; see
    :mod:`mlbench.registry.value_forms`. Scalars of numpy become numbers.

    Raises
    ------
    MethodError
        The parameter cannot be carried to worker processes.
    """
    _refuse_depth(at)
    if isinstance(value, Mapping):
        if "use" in value or all(isinstance(key, str) for key in value):
            return {
                str(key): parameter_as_plain(item, (*at, str(key))) for key, item in value.items()
            }
        return form_of_mapping(value, lambda item, key: parameter_as_plain(item, (*at, key)))
    if isinstance(value, list):
        return [parameter_as_plain(item, (*at, str(i))) for i, item in enumerate(value)]
    if isinstance(value, str | np.generic | os.PathLike):
        return as_plain(value, at)
    return _exact(value, at)


def is_foreign(value: object) -> bool:
    """Tell whether a value contains code of neither mlbench nor scikit-learn."""
    if is_estimator(value):
        inside = value.get_params(deep=False).values()
        return not is_trusted(type(value).__module__) or any(map(is_foreign, inside))
    if isinstance(value, Mapping):
        return any(map(is_foreign, value.values()))
    if isinstance(value, list):
        return any(map(is_foreign, value))
    parts: list[object] = []
    if form_of(value, lambda part, _: parts.append(part)) is not None:
        return any(map(is_foreign, parts))
    if isinstance(value, np.ufunc) or hasattr(value, "__qualname__"):
        return not isinstance(value, type) and not is_harmless(value)
    arguments = arguments_of(value)
    return arguments is not None and (not is_harmless(type(value)) or is_foreign(arguments))


def _as_entry(model: Any, at: Sequence[str]) -> dict[str, Any]:
    """Return the name of an estimator's class, and the parameters that differ from its defaults."""
    if isinstance(model, FrozenEstimator):
        raise _refusal(at, "is a frozen estimator: what it has learned cannot be carried")
    for attribute, setters in _BESIDE_PARAMETERS.items():
        if attribute in getattr(model, "__dict__", ()):
            raise _refusal(at, f"what {setters} has set is no parameter, and cannot be carried")
    return _as_use(type(model), model.get_params(deep=False), at)


def _as_use(kind: type, parameters: Mapping[str, Any], at: Sequence[str]) -> dict[str, Any]:
    defaults = {
        name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()
    }
    target = _target(kind, at)
    stated = {}
    for name, value in parameters.items():
        default = defaults.get(name, inspect.Parameter.empty)
        if not _same(value, default):
            stated[name] = _exact(value, (*at, name), default)
    if "use" in stated:
        return {"use": ESTIMATOR, "of": target, "params": stated}
    return {"use": target, **stated}


def _exact(value: Any, at: Sequence[str], default: object = None) -> Any:
    """Return a plain value from which the factory makes the same one.

    Parameters
    ----------
    value : object
    at : sequence of str
    default : object
        Of the parameter: where it is a tuple, a list stands for a tuple.
    """

    def part(item: object, key: str) -> Any:
        return _exact(item, (*at, key))

    _refuse_depth(at)
    if type(value) is int and abs(value) >= 10**MAX_DIGITS:
        raise _refusal(at, f"a whole number has at most {MAX_DIGITS} digits")
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, str):
        return _text(value, at)
    if is_estimator(value):
        return _as_entry(value, at)
    if isinstance(value, Mapping):
        if "use" in value or not all(isinstance(key, str) for key in value):
            return form_of_mapping(value, part)
        return {key: part(item, key) for key, item in value.items()}
    in_brackets = tuple if isinstance(default, tuple) else list
    if isinstance(value, list | tuple) and isinstance(value, in_brackets):
        defaults = item_defaults(default, len(value))
        return [_exact(item, (*at, str(i)), defaults[i]) for i, item in enumerate(value)]
    if isinstance(value, list):
        return {"use": "list", "items": [part(item, str(i)) for i, item in enumerate(value)]}
    form = form_of(value, part)
    if form is not None:
        return form
    if isinstance(value, type):
        raise _refusal(at, _IS_CLASS.format(value.__qualname__))
    if isinstance(value, np.ufunc):
        name = ufunc_name(value)
        if name is None:
            raise _refusal(at, "is a universal function of neither numpy nor scipy.special")
        return {"use": name}
    if callable(value) and hasattr(value, "__qualname__"):
        return {"use": _target(value, at)}
    arguments = arguments_of(value)
    if arguments is None:
        raise _refusal(
            at,
            f"is an object of the type {_type_name(value)}, which cannot be carried to worker "
            "processes; values, estimators, splitters, and functions that can be imported can be",
        )
    return _as_use(type(value), arguments, at)


def _text(value: str, at: Sequence[str]) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _refusal(at, f"{value!r} contains half of a character (a lone surrogate)") from None
    return str(value)


def _refuse_depth(at: Sequence[str]) -> None:
    if len(at) > _DEEPEST:
        raise MethodError(f"{'.'.join(at[:5])}...: is nested more than {_DEEPEST} levels deep")


def _type_name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _refusal(at: Sequence[str], words: str) -> MethodError:
    return MethodError(f"{'.'.join(at)}: {words}" if at else words)


def _same(value: object, default: object) -> bool:
    if value is default:
        return True
    if isinstance(value, np.ndarray) or isinstance(default, np.ndarray):
        return False
    try:
        is_equal = type(value) is type(default) and bool(value == default)
        return is_equal and repr(value) == repr(default)
    except Exception:  # a comparison may be a user's own
        return False


def _target(value: Any, at: Sequence[str] = ()) -> str:
    """Return what an experiment calls a class or function: its name, or its file if it has one."""
    what, name = "class" if isinstance(value, type) else "function", value.__qualname__
    module = sys.modules.get(str(value.__module__))
    if module is None or not _can_import(value, module):
        raise _refusal(
            at,
            f"the {what} {name} is defined in a notebook, a script or a function, from which "
            "worker processes cannot import it; put it in a file of its own, such as my.py, and "
            f"give 'my.py:{name}', or import it from there",
        )
    path = _users_file(module)
    return name_of(value) if path is None or is_built_in(value) else f"{path}:{name}"


def _can_import(value: Any, module: ModuleType) -> bool:
    """Tell whether worker processes find a class or function in a module."""
    found = getattr(module, value.__qualname__, None)
    is_there = found is value or (isinstance(value, type) and isinstance(found, type))
    name = module.__name__
    has_source = hasattr(module, "__file__") or name in sys.builtin_module_names
    return is_there and has_source and name != "__main__"


def _users_file(module: ModuleType) -> Path | None:
    """Return the file of a module that is part of no package."""
    file = getattr(module, "__file__", None)
    if file is None or "." in module.__name__:
        return None
    path = Path(file).resolve()
    folders = ("purelib", "platlib", "stdlib", "platstdlib")
    installed = [Path(sysconfig.get_path(each)).resolve() for each in folders]
    is_part = path.name == "__init__.py" or any(map(path.is_relative_to, installed))
    return None if is_part else path
