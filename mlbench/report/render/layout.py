"""Lay out a table's columns as text, with headings over groups of columns.

rich has no headings over several columns, and wraps cells if a table is too wide. Tables of
numbers are easier to read when whole columns move to a block below.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from mlbench.report.tables.table import Column

GAP = "  "
RULE = "─"
MIN_HEADING_WIDTH = 14
_BREAK = re.compile(r"(?<=[,_/ ])|(?<=-)(?=\w{3})|(?=[\[(])")


@dataclass(frozen=True)
class TextGrid:
    """The texts of a table."""

    corner: Sequence[str]
    """Headings of the label columns."""
    columns: Sequence[Column]
    labels: Sequence[Sequence[Text]]
    cells: Sequence[Sequence[Text]]
    """By row, then by column."""

    @cached_property
    def label_widths(self) -> list[int]:
        """Widths of the label columns."""
        return [
            max([cell_len(heading), *(row[j].cell_len for row in self.labels)])
            for j, heading in enumerate(self.corner)
        ]

    @cached_property
    def titles(self) -> list[list[str]]:
        """Lines of each column's heading, wrapped to about the width of its cells."""
        return [
            wrap_heading(column.title, max(MIN_HEADING_WIDTH, self._widest_cell(j)))
            for j, column in enumerate(self.columns)
        ]

    @cached_property
    def widths(self) -> list[int]:
        """Widths of the columns, wide enough for the longest word of a group's heading."""
        widths = [
            max([self._widest_cell(j), *map(cell_len, title)])
            for j, title in enumerate(self.titles)
        ]
        for name, members in self.groups(range(len(self.columns))):
            needed = max(map(cell_len, wrap_heading(name, 1)))
            widths[members[0]] += max(0, needed - total_width([widths[j] for j in members]))
        return widths

    @property
    def width(self) -> int:
        """Width of the whole table."""
        return total_width([*self.label_widths, *self.widths])

    def groups(self, members: Sequence[int]) -> list[tuple[str, list[int]]]:
        """Return the group headings over some columns, each with its columns."""
        runs = groupby(members, key=lambda j: self.columns[j].group)
        return [(name, list(run)) for name, run in runs]

    def _widest_cell(self, j: int) -> int:
        return max((row[j].cell_len for row in self.cells), default=0)


def blocks(grid: TextGrid, limit: int) -> Iterator[list[Text]]:
    """Yield the lines of as few blocks of columns as fit the width, each with the row labels."""
    groups = [members for _, members in grid.groups(range(len(grid.columns)))]
    room = limit - total_width(grid.label_widths) - len(GAP)

    def fits(members: Sequence[int]) -> bool:
        return total_width([grid.widths[j] for j in members]) <= room

    for block in split_columns(groups, fits):
        yield _block_lines(grid, block)


def split_columns(
    groups: Sequence[Sequence[int]], fits: Callable[[Sequence[int]], bool]
) -> Iterator[list[int]]:
    """Yield as few blocks of columns as possible; split a group only if it is too wide by itself.

    Parameters
    ----------
    groups : sequence of sequence of int
        Columns under a common heading.
    fits : callable
        Returns whether columns are narrow enough for a block.
    """
    block: list[int] = []
    for members in groups:
        for part in [[*members]] if fits(members) else [[j] for j in members]:
            if block and not fits(block + part):
                yield block
                block = []
            block = block + part
    yield block


def wrap_heading(text: str, width: int) -> list[str]:
    """Wrap a heading after ``,``, ``_``, ``/`` and spaces, before brackets, and in ``ML-kNN``."""
    lines = [""]
    for piece in _BREAK.split(text):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def total_width(widths: Sequence[int]) -> int:
    """Return the width of columns with the gaps between them."""
    return sum(widths) + len(GAP) * max(0, len(widths) - 1)


def _block_lines(grid: TextGrid, members: Sequence[int]) -> list[Text]:
    widths = [grid.widths[j] for j in members]
    lines = _common_headings(grid, members)
    *upper, last = _bottom_aligned([grid.titles[j] for j in members]) or [[]]
    headings = [*(([""] * len(grid.corner), line) for line in upper), (grid.corner, last)]
    for left, right in headings:
        lines.append(_line([*map(Text, left)], [*map(Text, right)], grid.label_widths, widths))
    lines.append(Text(RULE * total_width([*grid.label_widths, *widths])))
    for labels, cells in zip(grid.labels, grid.cells, strict=True):
        lines.append(_line(labels, [cells[j] for j in members], grid.label_widths, widths))
    return lines


def _common_headings(grid: TextGrid, members: Sequence[int]) -> list[Text]:
    """Return the lines of the group headings, with a rule over the columns of each."""
    groups = grid.groups(members)
    if not any(name for name, _ in groups):
        return []
    spans = [total_width([grid.widths[j] for j in run]) for _, run in groups]
    names = [wrap_heading(name, n) for (name, _), n in zip(groups, spans, strict=True)]
    rules = [(RULE if name else " ") * n for (name, _), n in zip(groups, spans, strict=True)]
    margin = Text(" " * total_width(grid.label_widths))
    return [
        Text(GAP).join([margin, *map(_centered, map(Text, line), spans)])
        for line in [*_bottom_aligned(names), rules]
    ]


def _line(
    labels: Sequence[Text], cells: Sequence[Text], label_widths: list[int], widths: list[int]
) -> Text:
    left = [text + _blank(n - text.cell_len) for text, n in zip(labels, label_widths, strict=True)]
    right = [_blank(n - text.cell_len) + text for text, n in zip(cells, widths, strict=True)]
    return Text(GAP).join(left + right)


def _centered(text: Text, width: int) -> Text:
    before = (width - text.cell_len) // 2
    return _blank(before) + text + _blank(width - text.cell_len - before)


def _blank(width: int) -> Text:
    return Text(" " * width)


def _bottom_aligned(headings: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the lines of headings that end on the same line."""
    height = max((len(heading) for heading in headings), default=1)
    filled = [[""] * (height - len(heading)) + list(heading) for heading in headings]
    return [list(line) for line in zip(*filled, strict=True)]
