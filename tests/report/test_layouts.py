"""The tables of each paper's layout against committed files; see test_golden.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import scipy

from mlbench.report.render import to_latex, to_markdown, to_text
from tests.report.experiment_tables import experiment_tables
from tests.report.layouts import LAYOUTS

GOLDEN = Path(__file__).parent / "golden"
FORMS = {"txt": to_text, "md": to_markdown, "tex": to_latex}


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_tables_of_a_paper(name, suffix):
    tables = experiment_tables(*LAYOUTS[name])
    actual = "\n".join(map(FORMS[suffix], tables)).replace(scipy.__version__, "VERSION")
    file = GOLDEN / f"{name}.{suffix}"
    if os.environ.get("MLBENCH_WRITE_GOLDEN"):
        file.write_text(actual, encoding="utf-8")
    assert actual == file.read_text(encoding="utf-8")
