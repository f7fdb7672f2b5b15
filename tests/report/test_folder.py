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
