"""How numbers are printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

NOTHING = "—"
_PLURALS = {"error": "errors", "timeout": "timeouts", "crash": "crashes"}


@dataclass(frozen=True)
class ScoreFormat:
    """The unit and the digits of one metric's scores."""

    factor: float
    decimals: int

    def number(self, value: float) -> str:
        """Return the value as printed; a rounded zero has no sign."""
        if math.isnan(value):
            return NOTHING
        text = f"{value * self.factor:.{self.decimals}f}"
        return text.removeprefix("-") if float(text) == 0 else text

    def score(self, mean: float, std: float) -> str:
        """Return mean ± standard deviation, or the mean if there is no deviation."""
        if math.isnan(mean) or math.isnan(std):
            return self.number(mean)
        return f"{self.number(mean)} ± {self.number(std)}"

    def telling_apart(self, a: float, b: float) -> ScoreFormat:
        """Return this format, with more digits if two numbers look the same without them."""
        finer = (replace(self, decimals=self.decimals + more) for more in range(16))
        return next((each for each in finer if each.number(a) != each.number(b)), self)

    def signed(self, value: float) -> str:
        """Return a difference with its sign."""
        text = self.number(value)
        return text if text.startswith(("-", NOTHING)) or float(text) == 0 else f"+{text}"


def score_format(is_fraction: bool, percent: bool, decimals: int | None) -> ScoreFormat:
    """Choose unit and digits: 2 decimals in percent, 4 for fractions, 3 for other numbers."""
    if not is_fraction:
        return ScoreFormat(1.0, 3 if decimals is None else decimals)
    if percent:
        return ScoreFormat(100.0, 2 if decimals is None else decimals)
    return ScoreFormat(1.0, 4 if decimals is None else decimals)


def p_value(value: float) -> str:
    """Return a p-value with four decimals, or in scientific notation below 0.001."""
    if math.isnan(value):
        return NOTHING
    if 0 < value < 0.001:
        return f"{value:.2e}"
    return f"{value:.4f}"


def p_in_words(value: float) -> str:
    """Return a p-value for a sentence, which writes 1 without decimals."""
    text = p_value(value)
    return "1" if text == "1.0000" else text


def counted(number: int, singular: str) -> str:
    """Return ``1 split``, ``3 splits``."""
    return f"{number} {singular}" if number == 1 else f"{number} {singular}s"


def counted_of(number: int, total: int, noun: str) -> str:
    """Return ``4 methods`` of 4, ``2 of 4 methods`` of more."""
    return counted(number, noun) if number == total else f"{number} of {counted(total, noun)}"


def were(number: int) -> str:
    """Return ``was`` for one, ``were`` for others."""
    return "was" if number == 1 else "were"


def by_reason(reasons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each reason, with the names that it holds for."""
    for reason in dict.fromkeys(reasons.values()):
        yield reason, listed([name for name, why in reasons.items() if why == reason])


def of_kinds(numbers: Iterable[tuple[str, int]]) -> str:
    """Return the numbers of splits by kind of failure, most first: ``2 timeouts, 1 missing``."""
    return ", ".join(
        f"{number} {_PLURALS.get(kind, kind) if number != 1 else kind}"
        for kind, number in sorted(numbers, key=lambda each: (-each[1], each[0] == "missing", each))
    )


def counted_from_to(numbers: Iterable[int], noun: str) -> str:
    """Return ``4 methods``, or ``2 to 4 methods`` of several numbers."""
    found = {*numbers}
    least, most = min(found), max(found)
    return counted(most, noun) if least == most else f"{least} to {counted(most, noun)}"


def listed(words: Sequence[str], most: int | None = None) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``; of more than `most`, ``a, b and 3 more``."""
    if most is not None and len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def splits_in_words(splits: Iterable[int]) -> str:
    """Return ``split 3``, or ``splits 0 to 9, 11``: four or more in a row by their ends."""
    numbers, words = sorted(splits), list[str]()
    for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        found = [str(number) for _, number in run]
        words += [f"{found[0]} to {found[-1]}"] if len(found) > 3 else found
    return f"{'split' if len(numbers) == 1 else 'splits'} {', '.join(words)}"


def row_from_one(row: int) -> str:
    """Return ``row 6, counted from 1`` for row 5, where most numbers of rows count from 0."""
    return f"row {row + 1}, counted from 1"


def duration(seconds: float, to: Callable[[float], float] = round) -> str:
    """Return a time in seconds, minutes or hours; less than a millisecond is 0 s.

    Parameters
    ----------
    seconds : float
    to : callable
        How to round from a second on: with `math.floor` or `math.ceil` it is a bound.
    """
    if seconds < 0.1:
        return f"{seconds:.1g} s" if seconds >= 1e-3 else f"{seconds:.0f} s"
    exact = round(seconds, 6)
    if seconds < 100:
        return f"{to(exact)} s" if seconds >= 10 else f"{to(10 * exact) / 10:.1f} s"
    if seconds < 6000:
        return f"{to(exact / 60)} min"
    return f"{to(exact / 360) / 10:.1f} h"
