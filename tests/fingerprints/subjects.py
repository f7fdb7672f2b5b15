"""Whose numbers the file holds: every built-in method, and every part of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .imports import METHODS, POLICIES, PROTOCOL_REVISION, make_method
from .methods import found
from .protocol import PARTS

Cases = dict[str, dict[str, Any]]

_OF_PROTOCOL = "protocol/"

NAMES = [*METHODS, *(f"{_OF_PROTOCOL}{part}" for part in PARTS)]


@dataclass(frozen=True)
class Subject:
    """What has numbers and a revision.

    Attributes
    ----------
    name : str
    revision : int
        As the code declares it.
    stated : str
        Where it does, in words.
    cases : callable
        Returns the numbers of each case.
    """

    name: str
    revision: int
    stated: str
    cases: Callable[[], Cases]


def subject(name: str) -> Subject:
    """Return the subject of a name in `NAMES`."""
    if name.startswith(_OF_PROTOCOL):
        part, policy = PARTS[name.removeprefix(_OF_PROTOCOL)], name.rpartition("/")[2]
        raised = POLICIES[policy].revision - 1 if policy in POLICIES else 0
        stated = "PROTOCOL_REVISION, or `revision` of a threshold's policy"
        return Subject(name, PROTOCOL_REVISION + raised, stated, part)
    kind = type(make_method(name))
    stated = f"`revision` of the class {kind.__module__}.{kind.__name__}"
    return Subject(name, getattr(kind, "revision", 1), stated, partial(found, name))
