from __future__ import annotations

from pathlib import Path

from mlbench.report.folder import ResultsFolder
from mlbench.store import Scan


def test_a_comparison_is_laid_out_as_the_experiment_says():
    wanted = {"method": "A", "against": None, "test": ["t"], "correction": "none"}
    plan = {
        "experiment": {
            "metrics": ["macro_f1"],
            "tests": [wanted, {**wanted, "layout": "wide"}],
        },
        "methods": ["A", "B"],
        "datasets": {"emotions": {}},
        "n_splits": 2,
        "cells": [],
    }
    settings = ResultsFolder(Path(), plan, Scan()).settings()
    assert [each.layout for each in settings.comparisons] == ["long", "wide"]
    assert settings.comparisons[1].against == ("B",)
