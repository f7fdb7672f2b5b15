from __future__ import annotations

import pytest

from mlbench.report.figures.names import wrapped


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("ML-kNN", ["ML-kNN"]),
        ("", [""]),
        ("Ensemble of classifier chains", ["Ensemble of", "classifier chains"]),
        ("yahoo-arts[labels=5,rows=400]", ["yahoo-arts", "[labels=5,", "rows=400]"]),
        ("x" * 20, ["x" * 18, "xx"]),
        ("y" * 60, ["y" * 18, "y" * 18, "y" * 17 + "…"]),
    ],
)
def test_a_long_name_takes_several_lines(name, lines):
    assert wrapped(name) == lines
