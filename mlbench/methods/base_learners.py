"""The single-label classifiers that other methods are built upon."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from mlbench.errors import MethodError
from mlbench.methods.catalogue import BASE_LEARNERS
from mlbench.methods.parameters import is_estimator

_SCORES = ("predict_proba", "decision_function")


def make_base(base: Any) -> Any:
    """Return the estimator that ``base`` stands for.

    Parameters
    ----------
    base : str, mapping or estimator
        A short name of `BASE_LEARNERS`, a mapping of ``use`` (such a name) and parameters, or an
        estimator, which is returned as it is.

    Raises
    ------
    MethodError
        There is no such base learner, or it does not take these parameters.
    """
    if isinstance(base, Mapping):
        parameters = dict(base)
        return with_parameters(make_base(parameters.pop("use", None)), parameters, base.get("use"))
    if isinstance(base, str) and base in BASE_LEARNERS:
        target, parameters = BASE_LEARNERS[base]
        module, _, name = target.partition(":")
        return getattr(import_module(module), name)(**parameters)
    if is_estimator(base) and hasattr(base, "fit"):
        return base
    raise MethodError(
        f"base: {base!r} is no classifier; give a name ({', '.join(BASE_LEARNERS)}), or an "
        "estimator object"
    )


def check_scores(base: object) -> None:
    """Refuse a base learner that can have no scores.

    Raises
    ------
    MethodError
        Its class has neither ``predict_proba`` nor ``decision_function``.
    """
    if not any(hasattr(type(base), name) for name in (*_SCORES, "__getattr__")):
        raise MethodError(no_scores(base))


def no_scores(base: object) -> str:
    """Say that a base learner has no scores."""
    return (
        f"base {type(base).__name__} has neither {' nor '.join(_SCORES)}, so it has no scores; "
        "choose another one, or wrap it in sklearn's CalibratedClassifierCV"
    )


def with_parameters(learner: Any, parameters: Mapping[str, Any], name: object) -> Any:
    """Set parameters of a base learner.

    Raises
    ------
    MethodError
        It has no such parameter.
    """
    try:
        return learner.set_params(**parameters)
    except ValueError as error:
        raise MethodError(f"base {name!r}: {error}") from error
