"""Tables in LaTeX; the preamble needs booktabs, and amssymb for marks."""

from __future__ import annotations

from itertools import groupby

from mlbench.report.table import Table, TableCell

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
        "±": r"$\pm$",
        "−": r"$-$",
        "—": "---",
        "↓": r"$\downarrow$",
        "†": r"$^\dagger$",
        "‡": r"$^\ddagger$",
        "§": r"$^\S$",
        "•": r"$^\bullet$",
        "◦": r"$^\circ$",
        "▪": r"$^\blacksquare$",
        "▫": r"$^\square$",
        "▴": r"$^\blacktriangle$",
        "▵": r"$^\vartriangle$",
    }
)


def to_latex(table: Table) -> str:
    """Return a table environment with caption, booktabs rules and notes."""
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape(table.title)}}}",
        rf"\label{{tab:{_label(table.name)}}}",
    ]
    lines += _tabular(table) if table.corner else []
    notes = list(table.notes)
    if table.bold_means:
        notes.insert(0, f"Bold: {table.bold_means}.")
    if notes:
        lines += ["", r"\smallskip", r"\begin{minipage}{\linewidth}\footnotesize"]
        lines += [rf"{_escape(note)}\par" for note in notes]
        lines += [r"\end{minipage}"]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _tabular(table: Table) -> list[str]:
    form = "l" * len(table.corner) + "r" * len(table.columns)
    lines = [rf"\begin{{tabular}}{{{form}}}", r"\toprule"]
    if table.has_groups:
        lines += _group_headings(table)
    headings = [*table.corner, *(column.title for column in table.columns)]
    lines += [_line([_escape(heading) for heading in headings]), r"\midrule"]
    lines += [_line([*map(_escape, row.labels), *map(_cell, row.cells)]) for row in table.rows]
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _group_headings(table: Table) -> list[str]:
    cells = [""] * len(table.corner)
    rules = []
    first = len(table.corner) + 1
    for group, members in groupby(column.group for column in table.columns):
        width = len(list(members))
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_escape(group)}}}")
        if group:
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
        first += width
    return [_line(cells), "".join(rules)]


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _escape(text: str) -> str:
    return text.translate(SPECIAL)


def _label(name: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in name)


def _cell(cell: TableCell) -> str:
    text = _escape(cell.printed)
    if cell.bold:
        text = rf"\textbf{{{text}}}"
    return text + "".join(map(_escape, cell.marks))
