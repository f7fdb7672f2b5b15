"""From a name in an experiment to an estimator: built-in, plug-in, dotted name or file."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlbench.errors import MethodError
from mlbench.methods import base_learners
from mlbench.methods.catalogue import BASE_LEARNERS, METHODS
from mlbench.methods.parameters import is_estimator
from mlbench.registry.import_policy import refuse_unasked_cache
from mlbench.registry.loading import is_file_target, load_class, load_value
from mlbench.registry.object_arguments import arguments_of
from mlbench.registry.plugins import base_learner_plugins, method_plugins
from mlbench.registry.value_forms import ESTIMATOR, FORMS, item_defaults, make_value
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
    meant = _of_scikit_learn(target) or did_you_mean(target, [*method_names(), *_base_names()])
    raise MethodError(
        f"there is no method {target!r}{meant}; "
        "`mlbench methods list` shows all short names, and any estimator can be named as "
        "package.module.Class or path/to/file.py:Class"
    )


def _of_scikit_learn(name: str) -> str:
    """Return how a classifier of scikit-learn is named here, if it is one."""
    from sklearn.utils import all_estimators

    classes = dict(all_estimators(type_filter="classifier"))
    if name not in classes:
        return ""
    package = classes[name].__module__.partition("._")[0]
    return f" (did you mean {f'{package}.{name}'!r}?)"


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
    known, takes_any = _parameters_of(kind)
    given = dict(_named(known, parameters))
    direct = {
        name: _parameter(name, value, folder, known.get(name))
        for name, value in given.items()
        if takes_any or name in known
    }
    if isinstance(known.get("base"), str) and _takes_learner(known):
        direct.setdefault("base", _make_base(known["base"], folder))
    try:
        model = kind(**direct)
    except TypeError as error:
        raise MethodError(f"{target}: {error}") from error
    nested = {name: value for name, value in given.items() if name not in direct}
    if nested:
        reported = model.get_params(deep=True)
        _refuse_unknown(target, nested, reported)
        values = {
            name: _parameter(name, value, folder, _default_in(reported, name))
            for name, value in nested.items()
        }
        try:
            model.set_params(**values)
        except ValueError as error:
            raise MethodError(f"{target}: {error}") from error
    return model


def method_parameters(
    target: str,
    parameters: Mapping[str, Any],
    folder: Path | None = None,
    model: Any = None,
) -> dict[str, Any]:
    """Translate the parameters of an experiment into parameters of the estimator.

    The result suits ``set_params``, for fixed parameters and for the points of a tuning grid.

    * ``{use: NAME, ...}`` as a value, or inside lists and mappings, becomes an estimator; it
      need not predict (a transformer, a kernel). It may also become a splitter, a function, or
      one of the values of :mod:`mlbench.registry.value_forms`.
    * Where the default of a parameter is a tuple, a list becomes a tuple.
    * Where the method has a parameter ``base`` for a base learner, a name given for it becomes
      an estimator, and a parameter that the method does not have itself is passed on to the
      base: ``C`` becomes ``base__C``.

    Parameters
    ----------
    target, folder
        As for `resolve`.
    parameters
        By the names that the experiment uses.
    model : estimator, optional
        The method with its fixed parameters, whose parts tell the defaults of nested parameters.

    Raises
    ------
    MethodError
        There is no such method, or a parameter that neither it nor its base can have.
    """
    known, takes_any = _parameters_of(resolve(target, folder))
    given = dict(_named(known, parameters))
    if not takes_any:
        _refuse_unknown(target, (name for name in given if "__" not in name), known)
    has_lists = any(isinstance(value, list) for value in given.values())
    reported = model.get_params(deep=True) if has_lists and model is not None else {}
    return {
        name: _parameter(
            name, value, folder, known[name] if name in known else _default_in(reported, name)
        )
        for name, value in given.items()
    }


def _named(known: Mapping[str, Any], parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield parameters under the names that the estimator has for them."""
    has_base = _takes_learner(known)
    for name, value in parameters.items():
        of_base = has_base and name.partition("__")[0] not in known
        yield f"base__{name}" if of_base else name, value


def _takes_learner(known: Mapping[str, Any]) -> bool:
    """Tell whether a parameter ``base`` is a base learner, and not a number or another text."""
    default = known.get("base", 0)
    if isinstance(default, str):
        return default in _base_names()
    return default is None or default is inspect.Parameter.empty or is_estimator(default)


def _parameter(name: str, value: object, folder: Path | None, default: object) -> Any:
    made = _value(value, folder, default)
    refuse_unasked_cache(name, made)
    is_left_out = made is None and default is None
    if name == "base" and _takes_learner({"base": default}) and not is_left_out:
        return _make_base(made, folder)
    return made


def _default_in(reported: Mapping[str, Any], name: str) -> object:
    """Return the default of a nested parameter such as ``base__C`` in the parts of a model."""
    owner, _, own = name.rpartition("__")
    part = reported.get(owner)
    return _parameters_of(type(part))[0].get(own) if is_estimator(part) else None


def _value(value: object, folder: Path | None, default: object = None) -> Any:
    """Return the value that a plain one stands for.

    Parameters
    ----------
    value
    folder
    default
        Of the parameter: where it is a tuple, a list becomes one.
    """
    if isinstance(value, list | tuple):
        defaults = item_defaults(default, len(value))
        items = [_value(item, folder, each) for item, each in zip(value, defaults, strict=True)]
        return tuple(items) if isinstance(value, tuple) or isinstance(default, tuple) else items
    if not isinstance(value, Mapping):
        return value
    if "use" not in value:
        return _without_cache({key: _value(item, folder) for key, item in value.items()})
    use, given = value["use"], {key: item for key, item in value.items() if key != "use"}
    if isinstance(use, str) and use in FORMS:
        made = make_value(use, {key: _value(item, folder) for key, item in given.items()})
        return _without_cache(made) if isinstance(made, dict) else made
    if use == ESTIMATOR:
        use, given = given.get("of"), given.get("params", {})
        if not isinstance(given, Mapping):
            raise MethodError(f"{{use: {ESTIMATOR}, ...}}: params is a mapping, not {given!r}")
    if isinstance(use, str) and use in _base_names() and use not in method_plugins():
        inside = _without_cache({key: _value(item, folder) for key, item in given.items()})
        return base_learners.with_parameters(_make_base(use, folder), inside, use)
    return _imported(use, given, folder)


def _without_cache(values: dict[Any, Any]) -> dict[Any, Any]:
    for name, value in values.items():
        refuse_unasked_cache(name, value)
    return values


def _imported(use: Any, given: Mapping[str, Any], folder: Path | None) -> Any:
    """Return a function, or an object of a class with the given parameters."""
    names = [key for key in given if not isinstance(key, str)]
    if names:
        raise MethodError(f"{use}: a parameter has a name, not {names[0]!r}")
    is_own = use in METHODS or use in method_plugins() if isinstance(use, str) else True
    found = _find(use, folder) if is_own or "." not in use else load_value(use, folder)
    if not isinstance(found, type):
        if given:
            raise MethodError(f"{use}: a function stands as it is, without {', '.join(given)}")
        return found
    if all(hasattr(found, name) for name in _PARAMETERS):
        return _build(use, found, given, folder)
    known, takes_any = _parameters_of(found)
    if not takes_any:
        _refuse_unknown(use, given, known)
    try:
        values = {key: _value(item, folder, known.get(key)) for key, item in given.items()}
        made = found(**_without_cache(values))
    except (TypeError, ValueError) as error:
        raise MethodError(f"{use}: {error}") from error
    if arguments_of(made) is None:
        raise MethodError(
            f"{use}: the class {found.__name__} is no scikit-learn estimator: it has no "
            f"{', '.join(_PARAMETERS)}; nor does it keep its arguments in attributes of the same "
            "names, as splitters do"
        )
    return made


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


def _refuse_unknown(target: str, given: Iterable[str], known: Mapping[str, Any]) -> None:
    for name in given:
        owner = known.get(name.rpartition("__")[0])
        takes_any = is_estimator(owner) and _parameters_of(type(owner))[1]
        if name not in known and not takes_any:
            shown, choices = name.removeprefix("base__"), {n.removeprefix("base__") for n in known}
            raise MethodError(
                f"{target} has no parameter {shown!r}{did_you_mean(shown, sorted(choices))}; it "
                f"has {', '.join(sorted(choices)) or 'none'}"
            )
