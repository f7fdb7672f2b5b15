from __future__ import annotations

from pathlib import Path

from mlbench.report.folder import ResultsFolder
from mlbench.store import Scan
from tests.plans import make_plan


def test_a_comparison_is_laid_out_as_the_experiment_says():
    wanted = {"method": "A", "against": None, "test": ["t"], "correction": "none"}
    plan = make_plan(methods=["A", "B"], tests=[wanted, {**wanted, "layout": "wide"}])
    settings = ResultsFolder(Path(), plan, Scan()).settings()
    assert [each.layout for each in settings.comparisons] == ["long", "wide"]
    assert settings.comparisons[1].against == ("B",)
