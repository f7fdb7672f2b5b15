"""Texts, numbers and marks as LaTeX."""

import re
import unicodedata
from collections.abc import Sequence

from mlbench.report.tables.table import TableCell

_NOTHING = "\u200b"
_P, MINUS = "𝑝", "−"
_OPEN = "“"
_OPENING_QUOTE = re.compile(r'(?<![^\s(])"(?=\S)')
HYPHEN_MINUS = re.compile(r"(?<![\w)-])-(?=\d)")
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
        _OPEN: "``",
        _NOTHING: "{}",
        "\t": " ",
        "\n": " ",
        "\u00a0": "~",
        "±": r"$\pm$",
        "×": r"$\times$",
        "·": r"$\cdot$",
        MINUS: r"$-$",
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
        "°": r"$^\star$",
        "▪": r"$^\blacksquare$",
        "▫": r"$^\square$",
        "▴": r"$^\blacktriangle$",
        "▵": r"$^\vartriangle$",
        **{letter: _greek(letter) for letter in _GREEK},
    }
)

MARKS = SPECIAL | str.maketrans({"=": "$^=$"})


def escape(text: str) -> str:
    """Escape a text so that LaTeX prints it literally, and two hyphens not as a dash."""
    text = _OPENING_QUOTE.sub(_OPEN, text)
    return re.sub("-(?=-)", f"-{_NOTHING}", text).translate(SPECIAL)


def label_text(name: str) -> str:
    """Return a name as LaTeX allows it in ``\\label``."""
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in name)


def heading_text(title: str) -> str:
    """Escape the heading of a column, with the p of a test in italics."""
    return escape(_P_TITLE.sub(_P, title))


def prose(text: str) -> str:
    """Escape a sentence: with minus signs, powers of ten, and p in italics."""
    return _with_powers(escape(_P_WORD.sub(_P, HYPHEN_MINUS.sub(MINUS, text))))


def _with_powers(text: str) -> str:
    return _SCIENTIFIC.sub(r"$\1 \\times 10^{-\2}$", text)


def cell_text(cell: TableCell) -> str:
    """Return a cell; its marks hang over its right edge, so that digits stay in line."""
    text = _with_powers(escape(HYPHEN_MINUS.sub(MINUS, cell.printed)))
    if cell.bold:
        text = rf"{{\boldmath\textbf{{{text}}}}}" if "times" in text else rf"\textbf{{{text}}}"
    return text + (rf"\rlap{{{marks_text(cell.marks)}}}" if cell.marks else "")


def marks_text(marks: Sequence[str]) -> str:
    """Return marks, which stand above the line."""
    return "".join(mark.translate(MARKS) for mark in marks)
