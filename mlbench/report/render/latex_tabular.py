"""Columns of a table as a ``tabular``, whose width and height are known beforehand."""

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby

from mlbench.report.render.latex_size import (
    Size,
    broken,
    cell_width,
    marks_width,
    text_width,
)
from mlbench.report.render.latex_text import cell_text, escape, heading_text, marks_text
from mlbench.report.render.layout import MIN_HEADING_WIDTH
from mlbench.report.tables.table import Table

MAX_LABELS = 46
MIN_GROUP = 18
"""Characters of all labels of a row that stay on one line, and of a heading over columns."""
_RULES, _GROUP_RULE, _SPACE = 13.0, 5.0, 5.0
"""Points of the rules of a tabular, of the rules below groups, and above a data set."""


class Tabular:
    """A table that is set in a size, whole or some of its columns and rows."""

    def __init__(self, table: Table, size: Size) -> None:
        self.table, self.size = table, size
        most = _most_characters([table.corner, *(row.labels for row in table.rows)])
        self.labels = [[*map(broken, row.labels, most)] for row in table.rows]
        self.corner = [*map(broken, table.corner, most)]
        cells = [[row.cells[j] for row in table.rows] for j in range(len(table.columns))]
        self.titles = [
            broken(
                column.title,
                max([MIN_HEADING_WIDTH, *(len(cell.printed) for cell in cells[j])]),
            )
            for j, column in enumerate(table.columns)
        ]
        self.widths = [
            max([*map(text_width, self.titles[j]), *map(cell_width, cells[j])])
            + marks_width(cells[j])
            for j in range(len(table.columns))
        ]

    @cached_property
    def label_widths(self) -> list[float]:
        """Widths of the label columns at 10 points."""
        return [
            max(
                text_width(line)
                for lines in [heading, *(each[j] for each in self.labels)]
                for line in lines
            )
            for j, heading in enumerate(self.corner)
        ]

    def groups(self, members: Sequence[int]) -> list[tuple[list[str], list[int]]]:
        """Return the lines of each common heading over some columns, with these columns."""
        found = []
        for name, run in groupby(members, key=lambda j: self.table.columns[j].group):
            columns = list(run)
            room = sum(len(max(self.titles[j], key=len)) for j in columns)
            found.append((broken(name, max(MIN_GROUP, room)), columns))
        return found

    def width(self, members: Sequence[int]) -> float:
        """Return the width of some columns with the labels, in points."""
        size = self.size
        total = sum(size.scale * width + size.gap for width in self.label_widths)
        for heading, columns in self.groups(members):
            own = sum(size.scale * self.widths[j] + size.gap for j in columns)
            total += max(own, size.scale * max(map(text_width, heading)) + size.gap)
        return total

    def height(self, members: Sequence[int], rows: Sequence[int]) -> float:
        """Return the height of some columns and rows, in points."""
        n_lines = max(map(len, [*self.corner, *(self.titles[j] for j in members)]))
        height = _RULES + n_lines * self.size.line
        if any(self.table.columns[j].group for j in members):
            n_lines = max(len(heading) for heading, _ in self.groups(members))
            height += _GROUP_RULE + n_lines * self.size.line
        return height + sum(self.row_height(i) for i in rows)

    def row_height(self, i: int) -> float:
        """Return the height of a row, with the space above it."""
        return _SPACE * self.begins(i) + self.size.line * max(map(len, self.labels[i]))

    def begins(self, i: int) -> bool:
        """Return whether a data set or totals begin with a row."""
        if i == 0:
            return False
        above, row = self.table.rows[i - 1], self.table.rows[i]
        grouped = len(row.labels) > 1 and above.labels[0] != row.labels[0]
        return grouped or (row.is_total and not above.is_total)

    def lines(self, members: Sequence[int], rows: Sequence[int]) -> list[str]:
        """Return the ``tabular`` of some columns and rows."""
        return [
            rf"\begin{{tabular}}{{{self._form(members)}}}",
            r"\toprule",
            *self._group_headings(members),
            *self._headings(members),
            r"\midrule",
            *(line for i in rows for line in self._row(i, members, i == rows[0])),
            r"\bottomrule",
            r"\end{tabular}",
        ]

    def _form(self, members: Sequence[int]) -> str:
        """Return the column types, with space for marks after the digits."""
        # Marks hang over the right edge of a cell (\rlap); a phantom of the most marks keeps them
        # clear of the next column.
        form = "l" * len(self.corner)
        for j in members:
            gap = r"2\tabcolsep" if j != members[-1] else r"\tabcolsep"
            most = max((row.cells[j].marks for row in self.table.rows), key=len, default=())
            form += "r"
            if most:
                form += rf"@{{\phantom{{{marks_text(most)}}}\hspace{{{gap}}}}}"
        return form

    def _headings(self, members: Sequence[int]) -> list[str]:
        """Return the headings, which end on the same line."""
        headings = [*self.corner, *(self.titles[j] for j in members)]
        height = max(map(len, headings))
        filled = [[""] * (height - len(heading)) + heading for heading in headings]
        return [_line([*map(heading_text, line)]) for line in zip(*filled, strict=True)]

    def _group_headings(self, members: Sequence[int]) -> list[str]:
        groups = self.groups(members)
        if not any(self.table.columns[j].group for j in members):
            return []
        height = max(len(heading) for heading, _ in groups)
        lines = [[""] * len(self.corner) for _ in range(height)]
        rules, first = [], len(self.corner) + 1
        for heading, columns in groups:
            width = len(columns)
            for line, text in zip(lines, [""] * (height - len(heading)) + heading, strict=True):
                line.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(text)}}}")
            if heading != [""]:
                rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
            first += width
        return [*map(_line, lines), "".join(rules)]

    def _row(self, i: int, members: Sequence[int], is_first: bool) -> list[str]:
        row = self.table.rows[i]
        height = max(map(len, self.labels[i]), default=1)
        labels = [lines + [""] * (height - len(lines)) for lines in self.labels[i]]
        cells = [[cell_text(row.cells[j]) for j in members], *[[""] * len(members)] * (height - 1)]
        space = [r"\addlinespace"] if self.begins(i) and not is_first else []
        texts = zip(zip(*labels, strict=True), cells, strict=True)
        return [*space, *(_line([*map(escape, label), *line]) for label, line in texts)]


def _most_characters(texts: Sequence[Sequence[str]]) -> list[int]:
    """Return how long a line may be in each label column; what short ones leave, others get."""
    longest = [max(map(len, column)) for column in zip(*texts, strict=True)]
    most = [0] * len(longest)
    left = MAX_LABELS
    for place, j in enumerate(sorted(range(len(longest)), key=longest.__getitem__)):
        share = left // (len(longest) - place)
        most[j] = max(1, min(longest[j], share))
        left -= most[j]
    return most


def _line(cells: list[str]) -> str:
    """Return a row, guarded so that its start is not read as an option of the previous ``\\``."""
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"
