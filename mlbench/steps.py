"""How far the work at hand is: the fold, the candidate, the label, of how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Listener = Callable[[str], None]

_at: dict[str, str] = {}
_listeners: list[Listener] = []


def steps(
    name: str, items: Iterable[Item], total: int | None = None, first: int = 1
) -> Iterator[Item]:
    """Yield items, and tell listeners before each that it is the next.

    Parameters
    ----------
    name : str
        What an item is: ``fold``.
    items : iterable
    total : int, optional
        The number of items; by default their length.
    first : int
        The number of the first item.
    """
    if total is None:
        assert isinstance(items, Sized)
        total = len(items)
    iterator, number = iter(items), first
    with doing(name):
        while True:
            _tell(name, f"{name} {min(number, total)} of {total}")
            try:
                item = next(iterator)
            except StopIteration:
                return
            yield item
            number += 1


@contextmanager
def doing(name: str) -> Iterator[None]:
    """Tell listeners what is done inside the block."""
    _tell(name, name)
    try:
        yield
    finally:
        _at.pop(name, None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let a function hear of each step inside the block: ``fold 3 of 5, candidate 12 of 40``."""
    _at.clear()
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _tell(name: str, words: str) -> None:
    if _listeners:
        _at[name] = words
        text = ", ".join(_at.values())
        for listener in _listeners:
            listener(text)
