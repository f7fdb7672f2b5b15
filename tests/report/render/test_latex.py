from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mlbench.report.render import to_latex
from mlbench.report.render.latex import LONG, PACKAGES, SPECIAL
from mlbench.report.tables.table import Column, Table, TableCell, TableRow
from tests.processes import PATIENCE

GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = (
    '50%_{a}&b|c*~\\^#$ <x> `quoted\' "twice"',
    "[red] first",
    "*starred*",
    "--a---b - c",
    "Σ λ₁ ≤ ℓ² – naïve Łódź Müller ß",
)


def named(name):
    """A table in which a name stands wherever names can."""
    cell = TableCell("0.50 ± 0.01", bold=True, marks=("•", "†"))
    rows = (TableRow((name,), (cell,)), TableRow((name,), (TableCell("—"),)))
    return Table("n", name, (name,), (Column(name, group=name),), rows, notes=(name,))


def compiled(folder, body):
    """Typeset a document and return the log."""
    lines = [r"\documentclass{article}", PACKAGES, r"\begin{document}", body, r"\end{document}"]
    (folder / "page.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=PATIENCE, check=False)
    log = (folder / "page.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-3000:]
    assert (folder / "page.pdf").read_bytes().startswith(b"%PDF")
    return log


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")


@needs_latex
@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.tex")), ids=lambda file: file.stem)
def test_committed_tables_compile(file, tmp_path):
    log = compiled(tmp_path, file.read_text(encoding="utf-8"))
    assert "Missing character" not in log
    assert "Overfull" not in log


@needs_latex
def test_names_of_any_kind_compile(tmp_path):
    body = r"\clearpage ".join(to_latex(named(name)) for name in NAMES)
    assert "Missing character" not in compiled(tmp_path, body)


@needs_latex
def test_every_symbol_that_has_a_command_compiles(tmp_path):
    symbols = " ".join(chr(code) for code in SPECIAL)
    compiled(tmp_path, to_latex(named(symbols)))


@pytest.mark.parametrize("name", NAMES)
def test_braces_and_dollars_are_balanced(name):
    text = to_latex(named(name)).replace(r"\{", "").replace(r"\}", "").replace(r"\$", "")
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0


def test_what_begins_a_row_is_no_option_of_the_end_of_the_row_before():
    lines = [line for line in to_latex(named("[1]")).splitlines() if " & " in line]
    assert not [line for line in lines if line.startswith(("[", "*"))]
    assert r"{}[1] & \textbf{0.50 $\pm$ 0.01}\rlap{$^\bullet$$^\dagger$} \\" in lines


def of_cells(*cells, title="p"):
    rows = tuple(TableRow((f"row {i}", "b"), (cell,)) for i, cell in enumerate(cells))
    note = "p = 0.5; p-values from -1 to 2e-10 of MtSDA-2"
    return to_latex(Table("n", "Title", ("a", "b"), (Column(title),), rows, notes=(note,)))


@pytest.mark.parametrize(
    ("printed", "bold", "found"),
    [
        ("-0.52", False, "$-$0.52"),
        ("-1.34 to +6.57", False, "$-$1.34 to +6.57"),
        ("1.79e-05", False, r"$1.79 \times 10^{-5}$"),
        ("1.79e-05", True, r"{\boldmath\textbf{$1.79 \times 10^{-5}$}}"),
        ("-0.52", True, r"\textbf{$-$0.52}"),
        ("1-2", False, "1-2"),
    ],
)
def test_numbers_have_minus_signs_and_powers_of_ten(printed, bold, found):
    assert rf"row 0 & b & {found} \\" in of_cells(TableCell(printed, bold=bold))


def test_the_p_of_a_test_is_in_italics():
    text = of_cells(TableCell("0.5"), title="p (Holm)")
    assert r"a & b & $p$ (Holm) \\" in text
    assert r"$p$ = 0.5; $p$-values from $-$1 to $2 \times 10^{-10}$ of MtSDA-2\par" in text
    assert r"a & b & pH \\" in of_cells(TableCell("0.5"), title="pH")


def test_marks_leave_digits_in_line():
    text = of_cells(TableCell("0.5", marks=("•",)), TableCell("0.6"))
    assert r"\begin{tabular}{llr@{\phantom{$^\bullet$}\hspace{\tabcolsep}}}" in text
    assert r"& 0.5\rlap{$^\bullet$} \\" in text
    assert r"& 0.6 \\" in text


def test_data_sets_stand_apart():
    text = of_cells(TableCell("1"), TableCell("2"))
    rows = [r"row 0 & b & 1 \\", r"\addlinespace", r"row 1 & b & 2 \\"]
    assert "\n".join(rows) in text


def long(n_columns):
    columns = tuple(Column(f"column {j}") for j in range(n_columns))
    cells = tuple(TableCell("0.50 ± 0.01") for _ in columns)
    rows = tuple(TableRow((f"row {i}",), cells) for i in range(LONG + 60))
    return to_latex(Table("n", "Many rows", ("a",), columns, rows, notes=("A note.",)))


@needs_latex
@pytest.mark.parametrize("n_columns", [2, 12])
def test_a_long_table_goes_on_on_the_next_page(n_columns, tmp_path):
    text = long(n_columns)
    assert r"\begin{table}" not in text
    log = compiled(tmp_path, text)
    assert "too large" not in log
    assert "Overfull" not in log
    assert int(re.search(r"page\.pdf \((\d+) pages", log)[1]) >= n_columns / 4


def test_more_columns_of_a_long_table_are_no_table_of_their_own():
    text = long(12)
    assert text.count(r"\caption{") == 1
    assert text.count(r"\begin{longtable}") == 1 + text.count(r"\addtocounter{table}{-1}") > 1


def test_hyphens_stay_hyphens():
    assert r"-{}-a-{}-{}-b - c" in to_latex(named("--a---b - c"))


def test_greek_letters_are_mathematics():
    assert r"MtSDA($\Delta$), $\lambda$" in to_latex(named("MtSDA(Δ), λ"))


def test_the_packages_stand_above_the_table():
    assert to_latex(named("a")).splitlines()[0] == rf"% {PACKAGES}"
