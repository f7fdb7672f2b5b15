from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from mlbench.report.render import csv_blocks, to_csv, to_latex, to_markdown, to_text
from mlbench.report.render.layout import wrap_heading
from mlbench.report.tables.table import Column, Table, TableCell, TableRow

NASTY = "50%_{a}&b|c*~\\ [1]"

TABLE = Table(
    name="Nasty_name",
    title="Scores on R&D",
    corner=("Method",),
    columns=(Column("F1"), Column("Loss ↓")),
    rows=(
        TableRow((NASTY,), (TableCell("0.50 ± 0.01", bold=True), TableCell("—"))),
        TableRow(("B",), (TableCell("0.40", marks=("•", "†")), TableCell("0.20", bold=True))),
    ),
    bold_means="best",
    notes=("A note with 5 %.",),
    records=({"method": NASTY, "mean": 1 / 3}, {"method": "B", "mean": float("nan")}),
)


def test_plain_text_holds_no_codes_and_breaks_no_line():
    text = to_text(TABLE)
    assert "\x1b" not in text
    assert NASTY in text
    assert "*0.50 ± 0.01" in text
    assert "*: best." in text


def test_a_notebook_gets_the_same_text(monkeypatch):
    outside = to_text(TABLE)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert to_text(TABLE) == outside


def test_text_for_a_terminal_is_bold_instead():
    text = to_text(TABLE, styled=True, width=80)
    assert "\x1b[1m0.50 ± 0.01\x1b[0m" in text
    assert "*0.50" not in text
    assert "Bold: best." in text


def test_marks_leave_digits_in_line():
    cells = (TableCell("10.5", marks=("•", "†")), TableCell("9.5", bold=True), TableCell("—"))
    rows = tuple(TableRow((name,), (cell,)) for name, cell in zip("abc", cells, strict=True))
    table = Table("n", "t", ("M",), (Column("F1"),), rows)
    assert to_text(table).splitlines()[4:] == ["a  10.5 • †", "b  *9.5", "c         —"]
    assert to_text(table, width=8).splitlines()[4:] == ["a  10.5•†", "b  *9.5", "c       —"]


def test_square_brackets_are_no_markup():
    table = Table(
        "n", "[red]t[/red]", ("M",), (Column("[b]"),), (TableRow(("[x]",), (TableCell("1"),)),)
    )
    text = to_text(table)
    assert "[red]t[/red]" in text
    assert "[b]" in text
    assert "[x]" in text


def test_markdown_escapes_names_and_keeps_its_columns():
    lines = to_markdown(TABLE).splitlines()
    assert r"50%\_{a}&b\|c\*~\\ \[1\]" in lines[4]
    assert "**0.50 ± 0.01**" in lines[4]
    assert lines[5] == "| B | 0.40 • † | **0.20** |"
    plain = [line.replace(r"\|", "") for line in lines if line.startswith("|")]
    assert {line.count("|") for line in plain} == {4}


def test_latex_escapes_names():
    text = to_latex(TABLE)
    assert r"50\%\_\{a\}\&b\textbar{}c*\textasciitilde{}\textbackslash{} [1]" in text
    assert r"\textbf{0.50 $\pm$ 0.01} & --- \\" in text
    assert r"0.40\rlap{$^\bullet$$^\dagger$}" in text
    assert r"\caption{Scores on R\&D}" in text
    assert text.count("{") == text.count("}")


def test_csv_gives_numbers_back_exactly():
    read = list(csv.DictReader(io.StringIO(to_csv(TABLE))))
    assert [line["method"] for line in read] == [NASTY, "B"]
    assert float(read[0]["mean"]) == 1 / 3
    assert read[1]["mean"] == ""


def test_tables_with_the_same_columns_share_a_header():
    other = replace(TABLE, records=({"threat": 1},))
    alike, unlike = csv_blocks([TABLE, TABLE, replace(TABLE, records=()), other])
    assert len(alike.splitlines()) == 1 + 2 * len(TABLE.records)
    assert unlike == "threat\n1\n"


def wide(dataset, titles=("Macro F1", "Micro F1", "Macro AUC"), printed="12.34 ± 0.56"):
    """A table of two data sets over their metrics."""
    columns = [Column(title, group) for group in (dataset, "toy") for title in titles]
    cells = tuple(TableCell(printed, bold=True, marks=("•",)) for _ in columns)
    rows = (TableRow(("BR(logistic)",), cells), TableRow(("LSPC",), cells))
    return Table("wide", "Scores", ("Method",), tuple(columns), rows)


def test_two_data_sets_and_three_metrics_fit_100_columns_side_by_side():
    lines = to_text(wide("digits")).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[2].split() == ["digits", "toy"]
    assert lines[4].split()[0] == "Method"
    assert lines[6].split() == ["BR(logistic)", *["*12.34±0.56•"] * 6]


def test_the_name_of_a_group_stands_once_and_breaks_over_lines():
    name = "yahoo-reduced-entertainment[labels=5,rows=400,seed=12]"
    text = to_text(wide(name))
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("yahoo-reduced-") == 1
    assert "".join(text.split("─")[0].split()[1:]).replace("toy", "") == name


def test_what_does_not_fit_follows_below_under_the_same_row_headings():
    blocks = to_text(wide("digits"), width=64).split("\n\n")[1:]
    assert [block.split()[0] for block in blocks] == ["digits", "toy"]
    assert all("BR(logistic)" in block and "Macro AUC" in block for block in blocks)
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 64


def test_columns_of_a_group_part_where_the_group_alone_is_too_wide():
    text = to_text(wide("digits"), width=32)
    assert max(map(len, text.splitlines())) <= 32
    assert text.count("BR(logistic)") == 6


def test_a_long_name_over_one_column_breaks_rather_than_widens_it():
    name = "yahoo-reduced-arts[labels=5,rows=400]"
    columns = tuple(Column(f"{name[:-4]}{i}00]") for i in range(5))
    row = TableRow(("A",), tuple(TableCell("12.34 ± 0.56") for _ in columns))
    lines = to_text(Table("n", "t", ("Method",), columns, (row,))).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[-1].split()[0] == "A"
    assert lines[2].split() == ["yahoo-reduced-"] * 5


def test_a_table_without_rows_or_columns_has_its_headings():
    assert "Method  F1" in to_text(Table("n", "t", ("Method",), (Column("F1"),), ()))
    assert "Method" in to_text(Table("n", "t", ("Method",), (), ()))


@pytest.mark.parametrize("width", [1, 3, 14, 100])
def test_breaking_a_heading_loses_no_letter(width):
    name = "yahoo-reduced-arts[labels=5,rows=400] in_two (parts)/x"
    assert "".join(wrap_heading(name, width)).replace(" ", "") == name.replace(" ", "")
