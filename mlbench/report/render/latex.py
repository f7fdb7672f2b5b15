"""Tables in LaTeX, for pdfLaTeX and other engines."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import groupby

from mlbench.report.render.layout import GAP, split_columns, total_width
from mlbench.report.tables.table import Column, Table, TableCell

PACKAGES = r"\usepackage{booktabs,amssymb,longtable}"
"""Packages for the preamble: rules, marks of significance, and tables of several pages."""

LINE, SMALL_LINE = 56, 76
"""Characters per line of the class article, in normal and in footnote size."""

LONG = 40
"""Rows of a table that continues on the next page."""

_NOTHING = "\u200b"
_P, _MINUS = "𝑝", "−"
_HYPHEN_MINUS = re.compile(r"(?<![\w)-])-(?=\d)")
_P_TITLE = re.compile(r"^p(?=$| \()")
_P_WORD = re.compile(r"(?<![\w-])p(?=-values? | = | cannot | corrected |, and |: )")
_SCIENTIFIC = re.compile(r"(\d(?:\.\d+)?)e-0*(\d+)")
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
        _MINUS: r"$-$",
        _P: r"$p$",
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
    """Return a table environment; its first line lists the packages it needs.

    A table that is too wide for a page has a smaller font. Columns that still do not fit follow in
    blocks below, with the same row labels. A table of more than `LONG` rows continues on the next
    page, with its headings.
    """
    caption = _escape(table.caption or table.title)
    label = rf"\label{{tab:{_label(table.name)}}}"
    lines = [f"% {PACKAGES}"]
    if len(table.rows) > LONG:
        lines += [r"\begingroup\setlength{\LTcapwidth}{\linewidth}"]
        lines += _blocks(table, lambda block: _long_tabular(table, block, caption, label))
        return "\n".join([*lines, *_notes(table), r"\par\endgroup"]) + "\n"
    lines += [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}"]
    lines += [rf"{label}\par\smallskip"]
    if table.corner:
        lines += _blocks(table, lambda block: _tabular(table, block))
    return "\n".join([*lines, *_notes(table), r"\end{table}"]) + "\n"


def _notes(table: Table) -> list[str]:
    notes = [rf"{_prose(note)}\par" for note in table.legend()]
    start, end = r"\begin{minipage}{\linewidth}\footnotesize", r"\end{minipage}"
    return ["", r"\smallskip\noindent", start, *notes, end] if notes else []


def _blocks(table: Table, tabular: Callable[[Sequence[int]], list[str]]) -> list[str]:
    """Return the columns in as few blocks as the line width allows."""
    labels = total_width(
        [
            _width(heading, [row.labels[j] for row in table.rows])
            for j, heading in enumerate(table.corner)
        ]
    )
    # 1.79e-05 becomes $1.79 \times 10^{-5}$, which is two characters wider.
    widths = [
        _width(column.title, [row.cells[j].printed.replace("e-", "  e-") for row in table.rows])
        + max((len(row.cells[j].marks) for row in table.rows), default=0)
        for j, column in enumerate(table.columns)
    ]
    if labels + len(GAP) + total_width(widths) <= LINE:
        return tabular(range(len(widths)))
    runs = groupby(range(len(widths)), key=lambda j: table.columns[j].group)
    lines = [r"\footnotesize\setlength{\tabcolsep}{4pt}"]
    for block in split_columns([[*run] for _, run in runs], widths, SMALL_LINE - labels):
        lines += [r"\par\medskip"] if len(lines) > 1 else []
        lines += tabular(block)
    return lines


def _width(heading: str, texts: Sequence[str]) -> int:
    return max(map(len, [heading, *texts]))


def _tabular(table: Table, members: Sequence[int]) -> list[str]:
    return [
        rf"\begin{{tabular}}{{{_form(table, members)}}}",
        *_headings(table, members),
        *_rows(table, members),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _long_tabular(table: Table, members: Sequence[int], caption: str, label: str) -> list[str]:
    headings = _headings(table, members)
    first, same_number = rf"\caption{{{caption}}}{label}\\", []
    if members[0] > 0:
        first = rf"\caption[]{{{caption} (more columns)}}\\"
        same_number = [r"\addtocounter{table}{-1}"]
    return [
        *same_number,
        rf"\begin{{longtable}}{{{_form(table, members)}}}",
        *(first, *headings, r"\endfirsthead"),
        *(rf"\caption[]{{{caption} (continued)}}\\", *headings, r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
        *_rows(table, members),
        r"\end{longtable}",
    ]


def _form(table: Table, members: Sequence[int]) -> str:
    """Return the column types, with space for marks after the digits."""
    # Marks hang over the right edge of a cell (\rlap); a phantom of the most marks keeps them clear
    # of the next column.
    form = "l" * len(table.corner)
    for j in members:
        gap = r"2\tabcolsep" if j != members[-1] else r"\tabcolsep"
        most = max((row.cells[j].marks for row in table.rows), key=len, default=())
        form += "r"
        if most:
            form += rf"@{{\phantom{{{_marks(most)}}}\hspace{{{gap}}}}}"
    return form


def _headings(table: Table, members: Sequence[int]) -> list[str]:
    columns = [table.columns[j] for j in members]
    lines = [r"\toprule"]
    if any(column.group for column in columns):
        lines += _group_headings(columns, len(table.corner))
    titles = [_P_TITLE.sub(_P, column.title) for column in columns]
    return [*lines, _line([_escape(title) for title in (*table.corner, *titles)]), r"\midrule"]


def _rows(table: Table, members: Sequence[int]) -> list[str]:
    """Return the rows, with a gap between data sets and above totals."""
    lines: list[str] = []
    for above, row in zip((None, *table.rows), table.rows, strict=False):
        grouped = len(row.labels) > 1 and above is not None and above.labels[0] != row.labels[0]
        if grouped or (above is not None and row.is_total and not above.is_total):
            lines.append(r"\addlinespace")
        cells = [row.cells[j] for j in members]
        lines.append(_line([*map(_escape, row.labels), *map(_cell, cells)]))
    return lines


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
    """Escape a text so that LaTeX prints it literally, and two hyphens not as a dash."""
    return re.sub("-(?=-)", f"-{_NOTHING}", text).translate(SPECIAL)


def _label(name: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in name)


def _prose(text: str) -> str:
    """Escape a sentence: with minus signs, powers of ten, and p in italics."""
    return _with_powers(_escape(_P_WORD.sub(_P, _HYPHEN_MINUS.sub(_MINUS, text))))


def _with_powers(text: str) -> str:
    return _SCIENTIFIC.sub(r"$\1 \\times 10^{-\2}$", text)


def _cell(cell: TableCell) -> str:
    text = _with_powers(_escape(_HYPHEN_MINUS.sub(_MINUS, cell.printed)))
    if cell.bold:
        text = rf"{{\boldmath\textbf{{{text}}}}}" if "times" in text else rf"\textbf{{{text}}}"
    return text + (rf"\rlap{{{_marks(cell.marks)}}}" if cell.marks else "")


def _marks(marks: Sequence[str]) -> str:
    return "".join(mark.translate(MARKS) for mark in marks)
