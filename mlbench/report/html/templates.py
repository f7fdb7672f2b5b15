"""The HTML templates, and what they ask about tables. Text from results is escaped."""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined

from mlbench.escape_controls import escape_controls
from mlbench.report.tables.scores import MARKS
from mlbench.report.tables.table import Table, TableCell
from mlbench.report.tables.threats import line

MARK_CLASSES = {
    **{better: "beaten" for better, _ in MARKS},
    **{worse: "beating" for _, worse in MARKS},
}
"""CSS classes of the marks of significance."""

TONE_CLASSES = {"": "", "good": "good", "bad": "bad", "muted": "note"}

IN_DOUBT = " In doubt: the lead over "
DOUBT_NUMBERS = r"(?<= \()(\d[\d, ]*)(?=\)(?:, | and |\.$))"
THREAT_NUMBERS = (
    r"((?<=^Not a controlled comparison \()\d[\d, ]*(?=\): )"
    r"|(?<= \()\d[\d, ]*(?=\)(?:\.$|: |; |, | and | (?:is|are) not told )))"
)

N_SHADES = 4

MAX_ROWS = 200
MAX_PAIRS = 30
"""Longer tables are folded: those with one label column, and those with more."""


@dataclass(frozen=True)
class PageCell(TableCell):
    """A cell of a table that only the page shows."""

    css_class: str = ""
    href: str = ""
    """Where it links to if it has no source."""
    anchor: str = ""
    """By which links find it."""
    links: tuple[tuple[str, str], ...] = ()
    """Texts in place of its own, each with where it links to."""


def templates() -> Environment:
    """Return the environment of all templates."""
    environment = Environment(
        loader=PackageLoader("mlbench.report.html", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape_controls,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    helpers = (
        column_groups,
        css_class,
        is_long,
        mark_class,
        marked,
        most_marks,
        pinning,
        sort_value,
        text_columns,
        threat_numbers,
    )
    environment.globals.update({helper.__name__: helper for helper in helpers})
    environment.globals["threat_line"] = line
    return environment


def asset(environment: Environment, name: str) -> str:
    """Return the text of a style or a script beside the templates."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def script_hash(script: str) -> str:
    """Return the hash by which a page's policy allows a script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def notebook_tables(tables: Sequence[Table]) -> str:
    """Return tables as HTML for a notebook, which has its own styles."""
    return templates().get_template("notebook.html").render(tables=tables)


def column_groups(table: Table) -> list[tuple[str, int]]:
    """Return the headings over groups of columns, each with the number of its columns."""
    if not table.has_groups:
        return []
    return [(name, len(list(run))) for name, run in groupby(table.columns, lambda c: c.group)]


def css_class(cell: TableCell) -> str:
    """Return the CSS classes of a cell."""
    shade = 0 if cell.goodness is None else round(N_SHADES * cell.goodness)
    classes = (
        "words" if cell.is_text else "",
        TONE_CLASSES[cell.tone],
        f"shade-{shade}" if shade else "",
        cell.css_class if isinstance(cell, PageCell) else "",
    )
    return " ".join(filter(None, classes))


def is_long(table: Table) -> bool:
    """Return whether a table is folded."""
    return len(table.rows) > (MAX_PAIRS if len(table.corner) > 1 else MAX_ROWS)


def mark_class(mark: str) -> str:
    """Return the CSS class of a mark."""
    return MARK_CLASSES.get(mark, "note")


def marked(note: str) -> list[tuple[str, str]]:
    """Split a note at the marks of significance; return each part with its CSS class."""
    parts = re.split(f"([{''.join(MARK_CLASSES)}])", note)
    return [(part, MARK_CLASSES.get(part, "")) for part in parts if part]


def most_marks(table: Table) -> int:
    """Return the largest number of marks of any cell."""
    return max((len(cell.marks) for row in table.rows for cell in row.cells), default=0)


def pinning(corner: Sequence[str]) -> str:
    """Return the CSS class that says which labels stay in view when a table scrolls."""
    if corner[0] == "Rank":
        return "ranked"
    return "grouped" if corner[0] == "Data set" and len(corner) > 1 else "pinned"


def sort_value(cell: TableCell) -> float | None:
    """Return a cell's value if its text does not start with a number to sort by."""
    try:
        float(cell.printed.split(" ", 1)[0])
    except ValueError:
        return cell.value
    return None


def text_columns(table: Table) -> list[bool]:
    """Return for each column whether it holds words rather than numbers."""
    return [cell.is_text for cell in table.rows[0].cells] if table.rows else []


def threat_numbers(sentence: str, n_threats: int) -> list[tuple[str, str]]:
    """Split a sentence of the verdict at numbers of threats; return each part with its number.

    They stand at its start or after what they are about:
    ``Not a controlled comparison (1): BR leads MTL-REG (2, 3).``
    Behind it, they stand after each name: ``In doubt: the lead over LP (2) and ECC (3).``
    """
    judgment, doubt, doubtful = sentence.partition(IN_DOUBT)
    texts = [*re.split(THREAT_NUMBERS, judgment), *re.split(DOUBT_NUMBERS, doubt + doubtful)]
    parts = []
    for text in texts:
        is_list = re.fullmatch(r"\d[\d, ]*", text) is not None
        for part in re.split(r"(\d+)", text) if is_list else [text]:
            is_number = is_list and part.isdigit() and int(part) <= n_threats
            parts.append((part, part if is_number else ""))
    return parts
