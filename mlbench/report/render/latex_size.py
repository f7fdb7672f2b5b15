"""How much room texts take in LaTeX: in points."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import wrap

from mlbench.report.render.latex_text import HYPHEN_MINUS, MINUS
from mlbench.report.render.layout import wrap_heading
from mlbench.report.tables.table import TableCell

_THIN = "\u2009"
"""The space of LaTeX beside a sign of multiplication."""
_WIDTHS = {
    character: width
    for characters, width in (
        (_THIN, 2.3),
        ("il.,:;'![]`|", 2.8),
        ("jf", 3.1),
        ("⁰¹²³⁴⁵⁶⁷⁸⁹", 4.4),
        ("⁻", 6.9),
        (" -\u00a0", 3.4),
        ("Ist()r", 3.95),
        ("cez", 4.5),
        ("0123456789agoJ/*$^_{}–?", 5.05),
        ("bdhknpquvxyS", 5.6),
        ("EFLPZ", 6.9),
        ("w", 7.25),
        ("ABCDGHKNOQRTUVXY+=<>−±×~&", 7.85),
        ("m%#", 8.4),
        ("M", 9.2),
        ("W@—→", 10.3),
        ("…", 14.0),
    )
    for character in characters
}
_OTHER = 8.0
"""Widths of characters of Computer Modern at 10 points."""
_BOLD = 1.15
_POWER_IN_BOLD = 1.2
"""By how much less a power of ten grows in bold."""
_MARK = 5.0
_SCIENTIFIC = re.compile(r"e-0*(\d+)")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Size:
    """A size of letters, as against the class's normal one."""

    command: str
    scale: float
    gap: float
    """Between two columns, and half of it at each end."""
    line: float
    """From one line to the next."""


NORMAL = Size("", 1.0, 12.0, 12.0)
SMALL = Size(r"\footnotesize\setlength{\tabcolsep}{4pt}", 0.85, 8.0, 9.5)


def text_width(text: str) -> float:
    """Return the width of a text at 10 points."""
    printed = _SCIENTIFIC.sub(_power, HYPHEN_MINUS.sub(MINUS, text))
    return sum(_WIDTHS.get(character, _OTHER) for character in printed)


def _power(number: re.Match[str]) -> str:
    """Return the end of 1.79e-05 as it is printed: $\\times 10^{-5}$."""
    return f"{_THIN}×{_THIN}10⁻{number[1].translate(_RAISED)}"


def marks_width(cells: Sequence[TableCell]) -> float:
    """Return the width of the most marks of some cells."""
    return _MARK * max((len(cell.marks) for cell in cells), default=0)


def cell_width(cell: TableCell) -> float:
    """Return the width of a cell without its marks; powers grow little in bold."""
    width = text_width(cell.printed)
    if not cell.bold:
        return width
    return _BOLD * width - _POWER_IN_BOLD * len(_SCIENTIFIC.findall(cell.printed))


def n_lines(text: str, width: float, size: Size = NORMAL) -> int:
    """Return how many lines a paragraph takes."""
    # Half a word is left blank at the end of a line.
    return max(1, ceil(size.scale * text_width(text) / (width - 10.0)))


def broken(text: str, width: int) -> list[str]:
    """Break a name into lines of at most some characters."""
    lines = [line for part in wrap_heading(text, width) for line in wrap(part, width)]
    return lines or [""]
