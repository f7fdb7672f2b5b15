"""The numbers of methods on the small data: scores and labels of new rows."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from .cases import BASE_OF_PATHS, FIXED, GRIDS, SETTINGS
from .data import FORMS, Data
from .imports import make_method

IN_FULL = {"dense", "sparse", "tasks"}
"""The forms of data of which all new rows are scored, and whose paths are."""

OF_DEFAULTS = {"dense", "tasks"}
"""The forms of data on which tolerances are also left as they are: well conditioned ones."""

FEW = 3
"""How many new rows are scored otherwise, and with how many settings."""

OF_LABEL_SPACE = {"rakel", "ecc", "homer", "mlcssp"}
"""The methods that do something else where there are many labels."""


def forms(name: str) -> dict[str, Data]:
    """Make the data that a method takes, by the name of their form."""
    model = make_method(name)
    taken = set()
    if not getattr(model, "needs_tasks", False):
        taken |= {"dense", "wide", "one class"}
        taken |= {"sparse", "narrow sparse"} if getattr(model, "accepts_sparse", True) else set()
        taken |= {"many labels"} if name in OF_LABEL_SPACE else set()
    if "tasks" in inspect.signature(model.fit).parameters:
        taken |= {"tasks", "one class in a task"}
    return {form: make() for form, make in FORMS.items() if form in taken}


def found(name: str) -> dict[str, dict[str, Any]]:
    """Fit a method in all its cases; return the numbers by the case's name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(_found(name))


def _found(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for form, data in forms(name).items():
        few = data.shortened(FEW)
        yield from _alone(name, form, data if form in IN_FULL else few)
        if form in IN_FULL and name in GRIDS:
            yield from _along_path(name, f"path {form}", few)


def _alone(name: str, form: str, data: Data) -> Iterator[tuple[str, dict[str, Any]]]:
    for parameters in _settings(name, form):
        model = make_method(name, **parameters).fit(data.X, data.Y, **data.known)
        yield _title(form, parameters), _said(model, data)


def _settings(name: str, form: str) -> Iterator[dict[str, Any]]:
    fixed = FIXED.get(name, {})
    if form in OF_DEFAULTS and "tol" in fixed:
        yield {}
    for setting in SETTINGS[name][: None if form in IN_FULL else FEW]:
        if form in setting.get("only", {form}):
            yield {key: value for key, value in (fixed | setting).items() if key != "only"}


def _along_path(name: str, form: str, data: Data) -> Iterator[tuple[str, dict[str, Any]]]:
    fixed = FIXED.get(name, {}) | BASE_OF_PATHS.get(name, {})
    path = make_method(name, **fixed).fit_path(data.X, data.Y, GRIDS[name], **data.known)
    for index, model in path:
        yield _title(form, fixed | GRIDS[name][index]), _said(model, data)


def _said(model: Any, data: Data) -> dict[str, Any]:
    """Return what a model says of the new rows."""
    labels = np.asarray(model.predict(data.new, **data.known_of_new))
    return {
        "scores": np.asarray(model.decision_function(data.new, **data.known_of_new)),
        "labels": " ".join("".join(map(str, row)) for row in labels.tolist()),
    }


def _title(form: str, parameters: dict[str, Any]) -> str:
    written = " ".join(f"{name}={value}" for name, value in parameters.items())
    return f"{form}: {written or 'defaults'}"
