"""Whole tables against committed files.

After a wanted change, write them anew with ``MLBENCH_WRITE_GOLDEN=1 pytest tests/report`` and
read the difference before committing it.
"""

from __future__ import annotations

import csv
import io
import os
from itertools import chain
from pathlib import Path

import pytest
import scipy

from mlbench.report.render import RENDERERS
from tests.report.experiment_tables import experiment_tables

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES = {"text": "txt", "markdown": "md", "latex": "tex", "csv": "csv"}
TABLES = {"scores": 0, "comparison": 1}


def same_csv(actual, expected):
    ours, theirs = (list(csv.reader(io.StringIO(text))) for text in (actual, expected))
    assert [len(line) for line in ours] == [len(line) for line in theirs]
    for a, b in zip(chain(*ours), chain(*theirs), strict=True):
        try:
            assert float(a) == pytest.approx(float(b), rel=1e-9)
        except ValueError:
            assert a == b


@pytest.mark.parametrize("form", RENDERERS)
@pytest.mark.parametrize("which", TABLES)
def test_table(frames, settings, which, form):
    table = experiment_tables(*frames, settings)[TABLES[which]]
    actual = RENDERERS[form](table).replace(scipy.__version__, "VERSION")
    file = GOLDEN / f"{which}.{SUFFIXES[form]}"
    if os.environ.get("MLBENCH_WRITE_GOLDEN"):
        file.write_text(actual, encoding="utf-8")
    expected = file.read_text(encoding="utf-8")
    if form == "csv":
        same_csv(actual, expected)
    else:
        assert actual == expected
