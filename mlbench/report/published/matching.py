"""Which of our names belong to which of the paper's."""

from __future__ import annotations

from collections.abc import Iterable


def belongs_to(method: str, printed: Iterable[str]) -> str | None:
    """Return the printed method that one of ours belongs to, if any.

    That is the one whose name it has, or the longest that its name begins with: ``ML-kNN raw``
    is a reading of ``ML-kNN``.
    """
    fitting = [
        name for name in printed if method == name or method.startswith((f"{name} ", f"{name},"))
    ]
    return max(fitting, key=len, default=None)


def reading_of(method: str, printed: str) -> str:
    """Return what a method's name says beyond the printed one; empty where nothing."""
    return method.removeprefix(printed).lstrip(", ")


def is_place(dataset: str, place: str) -> bool:
    """Return whether a data set is called as the paper calls one, without regard to case."""
    return dataset.casefold() == place.casefold()


def is_other_version(dataset: str, place: str) -> bool:
    """Return whether a data set says that it is another version of one: ``Arts (reduced)``."""
    return dataset.casefold().startswith(f"{place.casefold()} (") and dataset.endswith(")")
