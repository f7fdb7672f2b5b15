"""How much room texts take in LaTeX: in points."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import wrap

from mlbench.report.render.layout import wrap_heading
from mlbench.report.tables.table import TableCell

_WIDTHS = {
    character: width
    for characters, width in (
        ("il.,:;'![]`|", 2.8),
        ("jf", 3.1),
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
_MARK = 5.0
_SCIENTIFIC = re.compile(r"e-0*(?=\d)")


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
    # 1.79e-05 becomes $1.79 \times 10^{-5}$.
    printed = _SCIENTIFIC.sub("×10−", text)
    return sum(_WIDTHS.get(character, _OTHER) for character in printed)


def marks_width(cells: Sequence[TableCell]) -> float:
    """Return the width of the most marks of some cells."""
    return _MARK * max((len(cell.marks) for cell in cells), default=0)


def cell_width(cell: TableCell) -> float:
    """Return the width of a cell without its marks."""
    return text_width(cell.printed) * (_BOLD if cell.bold else 1.0)


def n_lines(text: str, width: float, size: Size = NORMAL) -> int:
    """Return how many lines a paragraph takes."""
    # Half a word is left blank at the end of a line.
    return max(1, ceil(size.scale * text_width(text) / (width - 10.0)))


def broken(text: str, width: int) -> list[str]:
    """Break a name into lines of at most some characters."""
    lines = [line for part in wrap_heading(text, width) for line in wrap(part, width)]
    return lines or [""]
