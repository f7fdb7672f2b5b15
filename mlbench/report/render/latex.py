"""Tables in LaTeX, for pdfLaTeX and other engines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby

from mlbench.report.render.layout import GAP, split_columns, total_width
from mlbench.report.tables.table import Column, Table, TableCell

PACKAGES = r"\usepackage{booktabs,amssymb}"
"""Packages for the preamble: rules, and marks of significance."""

LINE, SMALL_LINE = 56, 76
"""Characters per line of the class article, in normal and in footnote size."""

_NOTHING = "\u200b"
_GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"


def _greek(letter: str) -> str:
    name = unicodedata.name(letter).rpartition(" ")[2].replace("LAMDA", "LAMBDA").lower()
    return rf"$\{name if letter.islower() else name.capitalize()}$"


SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        '"': "''",
        _NOTHING: "{}",
        "\t": " ",
        "\n": " ",
        "\u00a0": "~",
        "±": r"$\pm$",
        "×": r"$\times$",
        "·": r"$\cdot$",
        "−": r"$-$",
        "–": "--",
        "—": "---",
        "…": r"\dots{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "→": r"$\rightarrow$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "≈": r"$\approx$",
        "≠": r"$\neq$",
        "∞": r"$\infty$",
        "ℓ": r"$\ell$",
        "²": r"$^2$",
        "³": r"$^3$",
        "₁": r"$_1$",
        "₂": r"$_2$",
        "†": r"$^\dagger$",
        "‡": r"$^\ddagger$",
        "§": r"$^\S$",
        "¶": r"$^\P$",
        "•": r"$^\bullet$",
        "◦": r"$^\circ$",
        "▪": r"$^\blacksquare$",
        "▫": r"$^\square$",
        "▴": r"$^\blacktriangle$",
        "▵": r"$^\vartriangle$",
        **{letter: _greek(letter) for letter in _GREEK},
    }
)

MARKS = SPECIAL | str.maketrans({"=": "$^=$"})


def to_latex(table: Table) -> str:
    """Return a table environment with a caption, booktabs rules and notes.

    A table that is too wide for a page is set in a smaller font; columns that still do not fit
    follow in blocks below, with the same row labels.
    """
    lines = [
        f"% {PACKAGES}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape(table.title)}}}",
        rf"\label{{tab:{_label(table.name)}}}\par\smallskip",
    ]
    lines += _tabulars(table) if table.corner else []
    if notes := table.legend():
        lines += ["", r"\smallskip", r"\begin{minipage}{\linewidth}\footnotesize"]
        lines += [rf"{_escape(note)}\par" for note in notes]
        lines += [r"\end{minipage}"]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _tabulars(table: Table) -> list[str]:
    """Return the columns in as few blocks as fit the line width."""
    labels = total_width(
        [
            _width(heading, [row.labels[j] for row in table.rows])
            for j, heading in enumerate(table.corner)
        ]
    )
    widths = [
        _width(column.title, [_letters(row.cells[j]) for row in table.rows])
        for j, column in enumerate(table.columns)
    ]
    if labels + len(GAP) + total_width(widths) <= LINE:
        return _tabular(table, range(len(widths)))
    runs = groupby(range(len(widths)), key=lambda j: table.columns[j].group)
    lines = [r"\footnotesize\setlength{\tabcolsep}{4pt}"]
    for block in split_columns([[*run] for _, run in runs], widths, SMALL_LINE - labels):
        lines += [r"\par\medskip"] if len(lines) > 1 else []
        lines += _tabular(table, block)
    return lines


def _letters(cell: TableCell) -> str:
    return cell.printed + "".join(cell.marks)


def _width(heading: str, texts: Sequence[str]) -> int:
    return max(map(len, [heading, *texts]))


def _tabular(table: Table, members: Sequence[int]) -> list[str]:
    columns = [table.columns[j] for j in members]
    form = "l" * len(table.corner) + "r" * len(columns)
    lines = [rf"\begin{{tabular}}{{{form}}}", r"\toprule"]
    if any(column.group for column in columns):
        lines += _group_headings(columns, len(table.corner))
    headings = [*table.corner, *(column.title for column in columns)]
    lines += [_line([_escape(heading) for heading in headings]), r"\midrule"]
    for row in table.rows:
        cells = [row.cells[j] for j in members]
        lines.append(_line([*map(_escape, row.labels), *map(_cell, cells)]))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _group_headings(columns: Sequence[Column], n_labels: int) -> list[str]:
    cells = [""] * n_labels
    rules = []
    first = n_labels + 1
    for group, members in groupby(column.group for column in columns):
        width = len(list(members))
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_escape(group)}}}")
        if group:
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
        first += width
    return [_line(cells), "".join(rules)]


def _line(cells: list[str]) -> str:
    """Return a row, guarded so that its start is not read as an option of the previous ``\\``."""
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"


def _escape(text: str) -> str:
    """Escape a text so that LaTeX prints it literally; two hyphens do not become a dash."""
    return re.sub("-(?=-)", f"-{_NOTHING}", text).translate(SPECIAL)


def _label(name: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in name)


def _cell(cell: TableCell) -> str:
    text = _escape(cell.printed)
    if cell.bold:
        text = rf"\textbf{{{text}}}"
    return text + "".join(mark.translate(MARKS) for mark in cell.marks)
