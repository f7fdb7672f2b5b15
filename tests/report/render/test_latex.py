from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mlbench.report import Column, Table, TableCell, TableRow, to_latex
from mlbench.report.render.latex import PACKAGES, SPECIAL
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
    assert r"{}[1] & \textbf{0.50 $\pm$ 0.01}$^\bullet$$^\dagger$ \\" in lines


def test_hyphens_stay_hyphens():
    assert r"-{}-a-{}-{}-b - c" in to_latex(named("--a---b - c"))


def test_greek_letters_are_mathematics():
    assert r"MtSDA($\Delta$), $\lambda$" in to_latex(named("MtSDA(Δ), λ"))


def test_the_packages_stand_above_the_table():
    assert to_latex(named("a")).splitlines()[0] == rf"% {PACKAGES}"
