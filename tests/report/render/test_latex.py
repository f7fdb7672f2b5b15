from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.report.render import to_latex, to_latex_pages
from mlbench.report.render.latex import PACKAGES, WIDTH
from mlbench.report.render.latex_size import NORMAL, SMALL, cell_width
from mlbench.report.render.latex_text import SPECIAL, cell_text, prose
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


CLASSES = ("{article}", "[12pt]{article}", "[11pt,twocolumn]{article}", "[conference]{IEEEtran}")


def needs_class(name):
    """Skip where TeX does not have the class, as after a small installation."""
    file = re.search(r"\{(\w+)\}", name)[1] + ".cls"
    if not subprocess.run(["kpsewhich", file], capture_output=True, check=False).stdout:
        pytest.skip(f"needs {file}")


def compiled(folder, body, document="{article}"):
    """Typeset a document and return the log."""
    needs_class(document)
    start = [rf"\documentclass{document}", PACKAGES, r"\begin{document}"]
    lines = [*start, "Text.", body, r"\end{document}"]
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


def test_quotes_open_and_close():
    assert prose('a "b c" ("d"), 5" and "e".') == "a ``b c'' (``d''), 5'' and ``e''."


def test_what_begins_a_row_is_no_option_of_the_end_of_the_row_before():
    lines = [line for line in to_latex(named("[1]")).splitlines() if " & " in line]
    assert not [line for line in lines if line.startswith(("[", "*"))]
    assert r"{}[1] & \textbf{0.50 $\pm$ 0.01}\rlap{$^\bullet$$^\dagger$} \\" in lines


def test_tables_of_like_names_have_labels_of_their_own():
    text = to_latex_pages([named("Zwo ä"), named("Zwo ö")])
    tables = [Table(name, "Title", ("a",), (), (), notes=("n",)) for name in ("x-ä", "x-ö")]
    labels = re.findall(r"label{(.*?)}", text + to_latex_pages(tables))
    assert len(set(labels)) == len(labels) == 4


def test_sentences_alone_are_a_paragraph():
    text = to_latex(Table("verdict", "Verdict", (), (), (), notes=("A leads by 5 %.",)))
    assert text == "\\paragraph{Verdict.}\nA leads by 5 \\%.\n"


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


def fits(log):
    """Whether TeX had nothing to say about sizes."""
    return "too large" not in log and "Overfull" not in log


def comparison(n_datasets, n_methods, n_tests, n_notes=3):
    """A table such as tests with effect sizes over some data sets and methods."""
    columns = [Column(title) for title in ("Difference", "Pairs", "P(better / same / worse)")]
    texts = ["-12.34", "10", "0.98 / 0.01 / 0.01"]
    for number in range(n_tests):
        columns += [Column(title, f"corrected t-test {number}") for title in ("p", "p (Holm)")]
        texts += ["1.79e-05", "3.58e-05"]
    cells = tuple(TableCell(text, bold="e" in text, marks=("†",)) for text in texts)
    rows = tuple(
        TableRow((f"Data set {i}", f"Method {j}"), cells)
        for i in range(n_datasets)
        for j in range(n_methods)
    )
    notes = tuple(
        f"{i}. The meaning of a mark is told in some more words. " * 3 for i in range(n_notes)
    )
    return Table("n", "Tests", ("Data set", "Against"), tuple(columns), rows, notes=notes)


WIDE_CELLS = [
    TableCell(text, bold=bold)
    for text in ("-12.56 (-19.08 to -6.03)", "9.30e-10 / 2.79e-09", "-0.52", "12/3/-", "62.4 ± 1.3")
    for bold in (False, True)
]


@needs_latex
@pytest.mark.parametrize("size", [NORMAL, SMALL], ids=["normal", "small"])
def test_no_cell_is_wider_than_was_thought(size, tmp_path):
    boxes = "".join(
        rf"\setbox0\hbox{{{size.command}{cell_text(cell)}}}\message{{is \the\wd0}}"
        for cell in WIDE_CELLS
    )
    log = compiled(tmp_path, boxes).replace("\n", " ")
    actual = [float(found) for found in re.findall(r"is ([\d.]+)pt", log)]
    thought = [size.scale * cell_width(cell) for cell in WIDE_CELLS]
    assert len(actual) == len(thought)
    page = 345.0 / WIDTH  # of the class at 10 points, against the width that is used
    assert all(a <= page * t <= 1.25 * a for a, t in zip(actual, thought, strict=True))


SIZES = [(2, 2, 1, 1), (5, 7, 3, 8), (12, 1, 1, 40), (1, 130, 9, 2)]


@needs_latex
@pytest.mark.slow
@pytest.mark.parametrize("document", CLASSES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_no_table_is_wider_or_higher_than_a_page(size, document, tmp_path):
    assert fits(compiled(tmp_path, to_latex(comparison(*size)), document))


@needs_latex
@pytest.mark.slow
@pytest.mark.parametrize("document", CLASSES)
def test_long_names_and_notes_fit(document, tmp_path):
    name = "A rather long name, with words and_underscores, " * 2 + "unbreakable" * 5
    rows = tuple(TableRow((name, name), (TableCell("1"),) * 3) for _ in range(20))
    columns = tuple(Column(name, group) for group in (name, name, "short"))
    table = Table("n", "Names", (name, "b"), columns, rows, notes=("Words and words. " * 500,))
    assert fits(compiled(tmp_path, to_latex(table), document))


@needs_latex
@pytest.mark.slow
@pytest.mark.parametrize("document", CLASSES)
def test_any_number_of_tables_is_printed(document, tmp_path):
    """Small ones, which stand in a column, and wide ones, some in parts."""
    tables = [
        replace(comparison(*size), name=f"n{number}")
        for number in range(40)
        for size in ((2, 2, 0, 1), (5, 7, 3, 2), (20, 1, 1, 1))
    ]
    text = to_latex_pages(tables)
    assert text.count(r"\begin{table") >= 120
    log = compiled(tmp_path, text, document)
    assert "Too many unprocessed floats" not in log
    assert fits(log)
    aux = (tmp_path / "page.aux").read_text(encoding="utf-8")
    assert aux.count(r"\newlabel{tab:") == text.count(r"\label{tab:")


def test_labels_begin_with_the_experiment_so_that_those_of_several_differ():
    text = to_latex_pages([named("scores"), named("scores")], "first try")
    assert re.findall(r"\\label{(.*?)}", text) == ["tab:first-try-n", "tab:first-try-n-b"]


def test_a_few_tables_end_no_page():
    assert r"\clearpage" not in to_latex_pages([named("a")] * 30)
    assert to_latex_pages([named("a")] * 61).count(r"\clearpage") == 2


def rows_of(text):
    """The first labels of the rows of each environment."""
    parts = text.split(r"\begin{table")[1:]
    return [re.findall(r"^Data set (\d+) &", part, re.MULTILINE) for part in parts]


def test_a_high_table_is_split_between_data_sets():
    text = to_latex(comparison(9, 7, 0, 1))
    first, second, third = rows_of(text)
    assert first + second + third == [str(i) for i in range(9) for _ in range(7)]
    assert first[-1] != second[0]
    assert second[-1] != third[0]
    assert r"\caption{Tests (part 2 of 3)}" in text
    assert text.count("told in some more words") == 3  # all below the last part
    assert text.count(r"Notes are below Table~\ref{tab:n-3}.\par") == 2
    assert r"\label{tab:n-3}" in text


def test_notes_longer_than_a_page_follow_without_a_caption():
    text = to_latex(comparison(2, 3, 0, 400))
    assert text.count(r"\caption{Tests}") == text.count(r"\caption") == text.count(r"\label") == 1
    assert r"Notes follow.\par" in text
    floats = text.split(r"\begin{table*}")[1:]
    assert len(floats) > 2
    assert all(r"Notes to Table~\ref{tab:n}.\par" in each for each in floats[1:])


def test_blocks_of_columns_share_a_table_where_they_fit():
    text = to_latex(comparison(2, 2, 2, 1))
    assert text.count(r"\begin{table*}") == 1
    assert text.count(r"\begin{tabular}") == 3


def test_a_narrow_table_takes_one_of_two_columns():
    assert r"\begin{table}" in of_cells(TableCell("0.5"))
    assert r"\begin{table*}" in to_latex(comparison(2, 2, 1))


def test_hyphens_stay_hyphens():
    assert r"-{}-a-{}-{}-b - c" in to_latex(named("--a---b - c"))


def test_greek_letters_are_mathematics():
    assert r"MtSDA($\Delta$), $\lambda$" in to_latex(named("MtSDA(Δ), λ"))


def test_the_packages_stand_above_the_table():
    assert to_latex(named("a")).splitlines()[0] == rf"% {PACKAGES}"


def test_long_labels_share_what_short_ones_leave():
    rows = (TableRow(("7", "one two three four five six", "seven eight nine ten"), ()),)
    text = to_latex(Table("n", "T", ("Row", "Labels", "Wrong"), (), rows))
    assert "7 & one two three four five & seven eight nine ten \\\\" in text
    assert " & six &  \\\\" in text
