from __future__ import annotations

import pytest

from mlbench.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


@pytest.fixture(scope="session")
def make_row():
    """A row that looks like one of a run; its key is the digit given, 64 times."""

    def make_row(digit="a", **changes):
        return {
            "schema": 1,
            "key": digit * 64,
            "dataset": "emotions",
            "method": "BR",
            "split": 0,
            "status": "ok",
            "metrics": {"macro_f1": 0.1 + 0.2, "macro_auc": None},
            "params": {"C": 1e-3, "name": "r\u00e9seau"},
            "cuts": [0.5, "inf"],
            "fit": None,
            "predictions": None,
            "seconds": {"fit": 0.5, "total": 1.25},
            "warnings": [],
            "failure": None,
            "environment": {"python": "3.11.7"},
            "code": {"br": "0" * 64},
            "finished": "2026-01-02T03:04:05+00:00",
            **changes,
        }

    return make_row
