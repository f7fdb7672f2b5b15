from __future__ import annotations

import csv
import io

from mlbench.report import Cell, Column, Row, Table, to_csv, to_latex, to_markdown, to_text

NASTY = "50%_{a}&b|c*~\\ [1]"

TABLE = Table(
    name="Nasty_name",
    title="Scores on R&D",
    corner=("Method",),
    columns=(Column("F1"), Column("Loss ↓")),
    rows=(
        Row((NASTY,), (Cell("0.50 ± 0.01", bold=True), Cell("—"))),
        Row(("B",), (Cell("0.40", marks=("•", "†")), Cell("0.20", bold=True))),
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


def test_text_for_a_terminal_is_bold_instead():
    text = to_text(TABLE, styled=True, width=80)
    assert "\x1b[1m0.50 ± 0.01\x1b[0m" in text
    assert "*0.50" not in text
    assert "Bold: best." in text


def test_square_brackets_are_no_markup():
    table = Table("n", "[red]t[/red]", ("M",), (Column("[b]"),), (Row(("[x]",), (Cell("1"),)),))
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
    assert r"0.40$^\bullet$$^\dagger$" in text
    assert r"\caption{Scores on R\&D}" in text
    assert text.count("{") == text.count("}")


def test_csv_gives_numbers_back_exactly():
    read = list(csv.DictReader(io.StringIO(to_csv(TABLE))))
    assert [line["method"] for line in read] == [NASTY, "B"]
    assert float(read[0]["mean"]) == 1 / 3
    assert read[1]["mean"] == ""
