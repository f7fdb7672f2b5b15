"""Rows that look like those of a run, from the few words in which a test's rows differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mlbench.hashing import canonical_json
from mlbench.store import SCHEMA, Row
from mlbench.store.row import key_of, row_from_json

GRID = [{"C": 0.1}, {"C": 1.0}, {"C": 10.0}]
COUNTS = {
    "labels": 3,
    "labels_scored_auc": 3,
    "labels_skipped_f1": 0,
    "train_samples": 60,
    "test_samples": 40,
}


def plain_row(digit: str = "a", **changes: Any) -> dict[str, Any]:
    """Return a row as JSON holds it.

    Changes of ``identity``, ``tuning``, ``counts`` and ``limits`` may state parts alone; a failure
    is filled in where only the status says so, and the tuning of the identity where the row has
    one.
    """
    status = changes.get("status", "ok")
    failure = None if status == "ok" else {"kind": status, "message": "m", "traceback": ""}
    tuning = _search(changes.pop("tuning", None))
    identity = {
        "dataset": {"name": "emotions", "fingerprint": "f" * 64},
        "split": {"kind": "random", "index": 0},
        "tuning": None
        if tuning is None
        else {"grid": tuning["grid"], "scope": "every-split", "scoring": tuning["metric"]},
        "threshold": "default",
        **changes.pop("identity", {}),
    }
    return {
        "schema": SCHEMA,
        "key": digit * 64,
        "dataset": "emotions",
        "method": "BR",
        "split": 0,
        "status": status,
        "metrics": {"macro_f1": 0.1 + 0.2, "macro_auc": None} if status == "ok" else {},
        "params": {"C": 1e-3, "name": "r\u00e9seau"},
        "tuning": tuning,
        "thresholds": [0.5, "inf"],
        "fit": None,
        "predictions": None,
        "seconds": {"fit": 0.5, "total": 1.25},
        "peak_memory_mb": None,
        "warnings": [],
        "failure": failure,
        "environment": {"python": "3.11.7"},
        "code": {"BinaryRelevance": "0" * 64},
        "finished": "2026-01-02T03:04:05+00:00",
        "identity": identity,
        **changes,
        "counts": {**COUNTS, **changes.get("counts", {})},
        "limits": {"time": None, "memory": None, **changes.get("limits", {})},
    }


def make_row(digit: str = "a", **changes: Any) -> Row:
    """Return a row; see :func:`plain_row`."""
    return as_row(plain_row(digit, **changes))


def keyed_row(**changes: Any) -> Row:
    """Return a row whose key is the hash of its identity, as readers of exports ask for."""
    row = make_row(**changes)
    return replace(row, key=key_of(row.identity))


def as_row(plain: Mapping[str, Any]) -> Row:
    """Return a row from what JSON holds."""
    return row_from_json(canonical_json(plain).encode())


def _search(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if given is None:
        return None
    grid = given.get("grid", GRID)
    scores = [[0.5]] * len(grid)
    found = {"metric": "macro_f1", "split": 0, "grid": grid, "best": 0, "scores": scores}
    return {**found, "not_converged": None, "stopped": None, **given}
