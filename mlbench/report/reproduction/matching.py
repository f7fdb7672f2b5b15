"""Match our names with the paper's."""

from __future__ import annotations

from collections.abc import Iterable


def belongs_to(method: str, printed: Iterable[str]) -> str | None:
    """Return the printed method that one of ours belongs to, if any.

    That is the one whose name it has, or the longest that its name begins with: ``ML-kNN raw``
    is an interpretation of ``ML-kNN``.
    """
    fitting = [
        name for name in printed if method == name or method.startswith((f"{name} ", f"{name},"))
    ]
    return max(fitting, key=len, default=None)


def interpretation_of(method: str, printed: str) -> str:
    """Return the part of a method's name after the printed one."""
    return method.removeprefix(printed).lstrip(", ")


def is_same_dataset(dataset: str, place: str) -> bool:
    """Return whether a data set has the paper's name, ignoring case."""
    return dataset.casefold() == place.casefold()


def is_other_version(dataset: str, place: str) -> bool:
    """Return whether a data set is another version of the paper's: ``Arts (reduced)``."""
    return dataset.casefold().startswith(f"{place.casefold()} (") and dataset.endswith(")")
