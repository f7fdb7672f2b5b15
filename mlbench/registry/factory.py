"""From a name in an experiment to an estimator: built-in, plug-in, dotted name or file."""

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlbench.errors import MethodError
from mlbench.methods import base_learners
from mlbench.methods.catalogue import BASE_LEARNERS, METHODS
from mlbench.registry.import_policy import refuse_unasked_cache
from mlbench.registry.loading import is_file_target, load_class
from mlbench.registry.plugins import base_learner_plugins, method_plugins
from mlbench.spelling import did_you_mean

_PARAMETERS = ("get_params", "set_params")


def method_names() -> list[str]:
    """Return all short names, built-in ones first."""
    return [*METHODS, *sorted(method_plugins())]


def resolve(target: str, folder: Path | None = None) -> type:
    """Return the estimator class that a target names.

    Parameters
    ----------
    target
        A short name (``"br"``, or one announced by a plug-in), a dotted name
        (``"sklearn.ensemble.RandomForestClassifier"``), or ``"path/to/file.py:Class"``.
    folder
        Where a relative path starts; the working directory by default.

    Raises
    ------
    MethodError
        There is no such method, it cannot be imported, or it is no estimator.
    """
    return _checked(_find(target, folder), target, ("fit", "predict", *_PARAMETERS))


def _find(target: str, folder: Path | None) -> type:
    if not isinstance(target, str):
        raise MethodError(f"a method is named by text, not by {target!r}")
    if target in method_plugins():
        return load_class(method_plugins()[target].value)
    if target in METHODS:
        return load_class(METHODS[target])
    if "." in target or is_file_target(target):
        return load_class(target, folder)
    if target in _base_names():
        raise MethodError(
            f"{target!r} is a classifier for one label; write {{use: br, base: {target}}} "
            "to fit one per label"
        )
    raise MethodError(
        f"there is no method {target!r}{did_you_mean(target, [*method_names(), *_base_names()])}; "
        "`mlbench methods list` shows all short names, and any estimator can be named as "
        "package.module.Class or path/to/file.py:Class"
    )


def make_method(target: str, folder: Path | None = None, /, **parameters: Any) -> Any:
    """Build an estimator from its name and parameters.

    Parameters
    ----------
    target, folder
        As for `resolve`.
    **parameters
        As an experiment states them; see `method_parameters`.

    Raises
    ------
    MethodError
        There is no such method, or it does not take these parameters.
    """
    return _build(target, resolve(target, folder), parameters, folder)


def _build(target: str, kind: type, parameters: Mapping[str, Any], folder: Path | None) -> Any:
    translated = _translated(target, kind, parameters, folder)
    known, takes_any = _parameters_of(kind)
    if "base" in known:
        translated.setdefault("base", _make_base(known["base"], folder))
    direct = {name: value for name, value in translated.items() if takes_any or name in known}
    try:
        model = kind(**direct)
    except TypeError as error:
        raise MethodError(f"{target}: {error}") from error
    nested = {name: value for name, value in translated.items() if name not in direct}
    if nested:
        _refuse_unknown(target, nested, model.get_params(deep=True))
        model.set_params(**nested)
    return model


def method_parameters(
    target: str, parameters: Mapping[str, Any], folder: Path | None = None
) -> dict[str, Any]:
    """Translate the parameters of an experiment into parameters of the estimator.

    The result suits ``set_params``, for fixed parameters and for the points of a tuning grid.

    * ``{use: NAME, ...}`` as a value, or inside lists and mappings, becomes an estimator; it
      need not predict (a transformer, a kernel).
    * Where the method has a parameter ``base``, a name given for it becomes an estimator, and
      a parameter that the method does not have itself is passed on to the base: ``C`` becomes
      ``base__C``.

    Raises
    ------
    MethodError
        There is no such method, or a parameter that neither it nor its base can have.
    """
    return _translated(target, resolve(target, folder), parameters, folder)


def _translated(
    target: str, kind: type, parameters: Mapping[str, Any], folder: Path | None
) -> dict[str, Any]:
    known, takes_any = _parameters_of(kind)
    translated: dict[str, Any] = {}
    for name, value in parameters.items():
        of_base = "base" in known and name.partition("__")[0] not in known
        key = f"base__{name}" if of_base else name
        refuse_unasked_cache(name, value)
        names_base = name == "base" and not isinstance(value, Mapping)
        translated[key] = _make_base(value, folder) if names_base else _value(value, folder)
    if not takes_any:
        _refuse_unknown(target, (name for name in translated if "__" not in name), known)
    return translated


def _value(value: object, folder: Path | None) -> Any:
    """Return a value in which every ``{use: NAME, ...}`` has become an estimator."""
    if isinstance(value, list | tuple):
        return type(value)(_value(item, folder) for item in value)
    if not isinstance(value, Mapping):
        return value
    for key, item in value.items():
        refuse_unasked_cache(key, item)
    inside = {key: _value(item, folder) for key, item in value.items() if key != "use"}
    if "use" not in value:
        return inside
    use = value["use"]
    if isinstance(use, str) and use in _base_names() and use not in method_plugins():
        return base_learners.with_parameters(_make_base(use, folder), inside, use)
    return _build(use, _checked(_find(use, folder), use, _PARAMETERS), inside, folder)


def _base_names() -> list[str]:
    return [*BASE_LEARNERS, *base_learner_plugins()]


def _make_base(base: object, folder: Path | None) -> Any:
    """Return the base learner that stands for a short name, a dotted name or a file."""
    if not isinstance(base, str) or base in BASE_LEARNERS:
        return base_learners.make_base(base)
    target = base
    if base in base_learner_plugins():
        target = base_learner_plugins()[base].value
    elif "." not in base and not is_file_target(base):
        raise MethodError(
            f"there is no base learner {base!r}{did_you_mean(base, _base_names())}; known are "
            f"{', '.join(_base_names())}, any dotted name, and file.py:Class"
        )
    kind = load_class(target, folder)
    if not (hasattr(kind, "fit") and hasattr(kind, "get_params")):
        raise MethodError(f"base {base}: the class is no scikit-learn estimator")
    try:
        return kind()
    except TypeError as error:
        raise MethodError(f"base {base}: {error}") from error


def _checked(found: type, target: str, needed: Sequence[str]) -> type:
    missing = [name for name in needed if not hasattr(found, name)]
    if missing:
        raise MethodError(
            f"{target}: the class {found.__name__} is no scikit-learn estimator: it has no "
            f"{', '.join(missing)}; derive it from sklearn.base.BaseEstimator"
        )
    return found


def _parameters_of(method: type) -> tuple[dict[str, Any], bool]:
    """Return the constructor's parameters with their defaults, and whether it takes any name."""
    known: dict[str, Any] = {}
    takes_any = False
    if method.__init__ is object.__init__:  # type: ignore[misc]
        return known, takes_any
    for parameter in list(inspect.signature(method.__init__).parameters.values())[1:]:  # type: ignore[misc]
        if parameter.kind is parameter.VAR_KEYWORD:
            takes_any = True
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            known[parameter.name] = parameter.default
    return known, takes_any


def _refuse_unknown(target: str, given: Iterable[str], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            shown, choices = name.removeprefix("base__"), {n.removeprefix("base__") for n in known}
            raise MethodError(
                f"{target} has no parameter {shown!r}{did_you_mean(shown, sorted(choices))}; it "
                f"has {', '.join(sorted(choices)) or 'none'}"
            )
