from __future__ import annotations

from pathlib import Path

from mlbench.report.folder import ResultsFolder
from mlbench.store import Scan


def test_data_sets_may_differ_in_their_imbalance():
    references = [
        {"use": "emotions", "imbalance": {"ratio": ratio}, "as": name}
        for name, ratio in (("one", 1.0), ("ten", 10.0))
    ]
    fact = {"n_samples": 593, "n_features": 72, "n_labels": 6}
    plan = {
        "experiment": {"datasets": references},
        "datasets": {"one": fact, "ten": fact},
    }
    assert ResultsFolder(Path(), plan, Scan()).places() == ("ratio", {"one": 1.0, "ten": 10.0})


def test_a_comparison_is_laid_out_as_the_experiment_says():
    wanted = {"method": "A", "against": None, "tests": ["t"], "correction": "none"}
    plan = {
        "experiment": {
            "metrics": ["macro_f1"],
            "compare": [wanted, {**wanted, "layout": "wide"}],
        },
        "methods": ["A", "B"],
        "datasets": {"emotions": {}},
        "n_splits": 2,
        "cells": [],
    }
    settings = ResultsFolder(Path(), plan, Scan()).settings()
    assert [each.layout for each in settings.comparisons] == ["long", "wide"]
    assert settings.comparisons[1].against == ("B",)
