"""Keys in the parameters of methods, which need not be texts: ``class_weight: {0: 1, 1: 2}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlbench.config.schema import METHOD_WORDS
from mlbench.registry.value_forms import form_of_mapping
from mlbench.yaml_loader import Location

_OF_PARAMETERS = ("params", "tune")


def has_typed_keys(location: Location) -> bool:
    """Tell whether a mapping at a location of an experiment file is the value of a parameter."""
    if len(location) < 3 or location[0] != "methods":
        return False
    if location[2] in _OF_PARAMETERS:
        return len(location) > 3
    return location[2] not in METHOD_WORDS


def with_plain_keys(value: Any, location: Location = ()) -> Any:
    """Return the value of an experiment file in which all keys are texts.

    Mappings with other keys have the form of :mod:`mlbench.registry.value_forms`.
    """
    if isinstance(value, list):
        return [with_plain_keys(item, (*location, i)) for i, item in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    items = {key: with_plain_keys(item, (*location, key)) for key, item in value.items()}
    if not has_typed_keys(location) or all(isinstance(key, str) for key in items):
        return items
    if "use" in items:  # names of parameters
        return {str(key): item for key, item in items.items()}
    return form_of_mapping(items, lambda part, _: part)
