"""Tables in LaTeX, for pdfLaTeX and other engines, in one column or two."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from string import ascii_lowercase
from textwrap import wrap
from typing import Self

from mlbench.report.render.latex_size import NORMAL, SMALL, n_lines, text_width
from mlbench.report.render.latex_tabular import Tabular
from mlbench.report.render.latex_text import escape, label_text, prose
from mlbench.report.render.layout import split_columns
from mlbench.report.tables.table import Table

PACKAGES = r"\usepackage{booktabs,amssymb}"
"""Packages for the preamble: rules, and marks of significance."""

WIDTH, COLUMN, HEIGHT = 336.0, 212.0, 420.0
"""Points at a font size of 10, chosen so that tables fit at 11 and 12, too: a page of the class
article, one of its two columns, and a page's height."""
_CAPTION, _SKIP = 17.0, 6.0
"""Points around a caption, and between blocks of columns."""
_TABLE = "Table 100: "
_MOST_IN_A_ROW = 30
"""Floats that LaTeX is given before it must print them. It holds back 52, a document's own too."""


@dataclass(frozen=True)
class _Piece:
    """Some columns and rows, which stay together."""

    columns: Sequence[int]
    rows: Sequence[int]
    height: float


@dataclass(frozen=True)
class _Part:
    """What one environment holds."""

    pieces: list[_Piece]
    notes: list[str]

    def with_piece(self, piece: _Piece) -> Self:
        """Return the part with one more piece."""
        return replace(self, pieces=[*self.pieces, piece])

    def with_notes(self, notes: Sequence[str]) -> Self:
        """Return the part with more notes."""
        return replace(self, notes=[*self.notes, *notes])

    def height(self, width: float) -> float:
        """Return the height without the caption, on a page of some width."""
        pieces = sum(piece.height + _SKIP for piece in self.pieces)
        return pieces + sum(SMALL.line * n_lines(note, width, SMALL) for note in self.notes)


def to_latex(table: Table) -> str:
    """Return a table environment, or a paragraph of sentences alone.

    The first line of a table lists the packages that it needs.

    It fits the class article at 10 to 12 points, and classes with larger pages. A table that fits a
    column of a page with two has the environment ``table``, others have ``table*``, which is the
    same on a page with one. A table that is too large for a page has a smaller font. Columns that
    still do not fit follow in blocks below, with the same row labels. What is higher than a page is
    split into tables of their own, with the notes below the last.
    """
    notes = table.legend()
    if not table.corner:
        heading = rf"\paragraph{{{escape(_caption(table, '.'))}}}"
        return "\n".join([heading, *map(prose, notes)]) + "\n"
    tabular, every = Tabular(table, NORMAL), range(len(table.columns))
    width = tabular.width(every)
    if width <= COLUMN:
        part = _Part([_whole(tabular, every)], [*notes])
        if _around(table, COLUMN) + part.height(COLUMN) <= HEIGHT / 2:
            return _printed(tabular, [part], "table")
    parts = _parts(tabular, notes)
    if width > WIDTH or len(parts) > 1:
        tabular = Tabular(table, SMALL)
        parts = _parts(tabular, notes)
    return _printed(tabular, parts, "table*")


def to_latex_pages(tables: Iterable[Table], experiment: str = "") -> str:
    """Return several tables; where many follow each other, LaTeX prints them before it goes on.

    Labels begin with the name of an experiment, so that those of several differ.
    """
    if experiment:
        tables = [replace(table, name=f"{experiment}-{table.name}") for table in tables]
    lines, n_floats = [], 0
    for line in "\n".join(map(to_latex, _of_own_labels(tables))).split("\n"):
        if line.startswith(r"\begin{table"):
            if n_floats and n_floats % _MOST_IN_A_ROW == 0:
                lines.append(r"\clearpage  % so many floats are as many as LaTeX can hold back")
            n_floats += 1
        lines.append(line)
    return "\n".join(lines)


def _of_own_labels(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables, with a letter behind the names of those whose label another one has."""
    found: Counter[str] = Counter()
    for table in tables:
        n = found[label_text(table.name)]
        found[label_text(table.name)] += 1
        yield replace(table, name=f"{table.name}-{ascii_lowercase[n % 26]}") if n else table


def _whole(tabular: Tabular, columns: Sequence[int]) -> _Piece:
    rows = range(len(tabular.table.rows))
    return _Piece(columns, rows, tabular.height(columns, rows))


def _around(table: Table, width: float) -> float:
    """Return the height of a caption with the space around it."""
    return _CAPTION + NORMAL.line * n_lines(_TABLE + _caption(table, " (part 10 of 10)"), width)


def _caption(table: Table, part: str) -> str:
    return (table.caption or table.title) + part


def _parts(tabular: Tabular, notes: Sequence[str]) -> list[_Part]:
    """Return as few parts as hold all columns, rows and notes, in this order."""
    table = tabular.table
    room = HEIGHT - _around(table, WIDTH)
    blocks = list(_blocks(tabular))
    whole = _Part([_whole(tabular, block) for block in blocks], [*notes])
    if whole.height(WIDTH) <= room:
        return [whole]
    parts = [_Part([], [])]
    room_of_pieces = room - _Part([], ["Notes are below a table."]).height(WIDTH)
    for piece in chain.from_iterable(_cut(tabular, each, room_of_pieces) for each in blocks):
        if parts[-1].with_piece(piece).height(WIDTH) > room_of_pieces and parts[-1].pieces:
            parts.append(_Part([], []))
        parts[-1] = parts[-1].with_piece(piece)
    if parts[-1].pieces and parts[-1].with_notes(notes).height(WIDTH) > room:
        parts.append(_Part([], []))
    longest = int(0.5 * room / SMALL.line * WIDTH / (SMALL.scale * text_width("n")))
    for note in chain.from_iterable(wrap(each, longest) for each in notes):
        if parts[-1].with_notes([note]).height(WIDTH) > room:
            parts.append(_Part([], []))
        parts[-1] = parts[-1].with_notes([note])
    return parts


def _blocks(tabular: Tabular) -> Iterator[list[int]]:
    """Yield the columns in as few blocks as the width allows."""
    columns = tabular.table.columns
    runs = groupby(range(len(columns)), key=lambda j: columns[j].group)
    groups = [[*run] for _, run in runs]
    return split_columns(groups, lambda block: tabular.width(block) <= WIDTH)


def _cut(tabular: Tabular, columns: Sequence[int], room: float) -> Iterator[_Piece]:
    """Yield the rows of some columns in pieces that fit a page, between data sets if possible."""
    start, n_rows = 0, len(tabular.table.rows)
    while start < n_rows:
        heights = {
            end: tabular.height(columns, range(start, end)) for end in range(start + 1, n_rows + 1)
        }
        ends = [end for end, height in heights.items() if height <= room] or [start + 1]
        if ends[-1] < n_rows:
            late = (end for end in ends if tabular.begins(end) and heights[end] > room / 2)
            ends.append(max(late, default=ends[-1]))
        yield _Piece(columns, range(start, ends[-1]), heights[ends[-1]])
        start = ends[-1]


def _printed(tabular: Tabular, parts: Sequence[_Part], environment: str) -> str:
    table = tabular.table
    name = label_text(table.name)
    titled = [part for part in parts if part.pieces] or parts[:1]
    labels = [name, *(f"{name}-{number}" for number in range(2, len(titled) + 1))]
    below = next((label for label, part in zip(labels, titled, strict=False) if part.notes), "")
    elsewhere = rf"Notes are below Table~\ref{{tab:{below}}}." if below else "Notes follow."
    lines = [f"% {PACKAGES}"]
    for number, part in enumerate(parts, start=1):
        of = f" (part {number} of {len(titled)})" if len(titled) > 1 else ""
        lines += [rf"\begin{{{environment}}}", r"\centering"]
        if number <= len(titled):
            lines += [rf"\caption{{{escape(_caption(table, of))}}}"]
            lines += [rf"\label{{tab:{labels[number - 1]}}}\par\smallskip"]
        lines += [tabular.size.command] if tabular.size.command and part.pieces else []
        for place, piece in enumerate(part.pieces):
            lines += [r"\par\medskip"] if place else []
            lines += tabular.lines(piece.columns, piece.rows)
        notes = [*map(prose, part.notes)]
        if number > len(titled):
            notes = [rf"Notes to Table~\ref{{tab:{name}}}.", *notes]
        elif not notes and any(each.notes for each in parts):
            notes = [elsewhere]
        lines += [*_notes(notes), rf"\end{{{environment}}}"]
    return "\n".join(lines) + "\n"


def _notes(notes: Sequence[str]) -> list[str]:
    lines = [rf"{note}\par" for note in notes]
    start, end = r"\begin{minipage}{\linewidth}\footnotesize", r"\end{minipage}"
    return ["", r"\smallskip\noindent", start, *lines, end] if notes else []
