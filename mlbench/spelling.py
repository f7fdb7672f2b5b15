"""Suggestions for misspelled names, and what names choose."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence

from mlbench.errors import MlbenchError

MAX_NAMES = 30
"""The most names that a message lists."""


def did_you_mean(word: str, choices: Iterable[str], before: str = "") -> str:
    """Return `` (did you mean 'x'?)`` for the closest choice, or an empty string.

    If none is close, the first that begins with the word is meant. ``before`` stands before it,
    such as a folder.
    """
    by_lower = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    if word and not near:
        near = [lower for lower in by_lower if lower.startswith(f"{word.lower()} ")]
    return f" (did you mean {before + by_lower[near[0]]!r}?)" if near else ""


def is_in_words(text: str) -> bool:
    """Return whether a text has a word, of two letters or more."""
    return re.search(r"[^\W\d_]{2}", text) is not None


def refuse_unknown(before: str, name: str, known: Collection[str]) -> None:
    """Raise MlbenchError, with what may be meant, unless a name is known."""
    if name not in known:
        hint, names = did_you_mean(str(name), known), ", ".join(known) or "none"
        raise MlbenchError(f"{before} {name!r}{hint}; known: {names}")


def check_name(kind: str, name: str, known: Iterable[str], where: str = "results") -> None:
    """Raise MlbenchError, with what may be meant, if there is no data set or method so named."""
    known = list(known)
    if name not in known:
        meant = did_you_mean(name, known) or known_names(known)
        raise MlbenchError(f"there is no {kind} {name!r} in the {where}{meant}")


def known_names(known: Sequence[str]) -> str:
    """Return ``; known: a, b``, of very many the first; empty if there are none."""
    more = f" and {len(known) - MAX_NAMES} more" if len(known) > MAX_NAMES else ""
    return f"; known: {', '.join(known[:MAX_NAMES])}{more}" if known else ""


def chosen(
    kind: str, wanted: Sequence[str], known: Sequence[str], where: str = "results"
) -> list[str]:
    """Return the wanted ones of known names in the order of the known ones, by default all.

    Raises
    ------
    MlbenchError
        If a wanted one is not known.
    """
    for name in wanted:
        check_name(kind, name, known, where)
    return [name for name in known if name in wanted] if wanted else [*known]
