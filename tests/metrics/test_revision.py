"""What a metric yields is part of what a cell's key promises, so it changes with the revision."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mlbench.metrics import evaluate
from mlbench.plan.identity import PROTOCOL_REVISION

PINNED = Path(__file__).with_name(f"values-of-revision-{PROTOCOL_REVISION}.json")


def outcomes():
    """Return labels with ties, absent and full columns and empty rows, and tasks."""
    i, j = np.mgrid[:24, :6]
    Y = ((i * 7 + j * 3 + i * j) % 5 < 2).astype(int)
    Y[:, 4], Y[:, 5], Y[3] = 0, 1, 0
    scores = ((i * 37 + j * 11 + i * i) % 17 + 4 * Y) / 20
    labels = (scores > 0.5).astype(int)
    labels[:, 4] = 0
    tasks = np.arange(24) % 3
    return {
        "labels": (Y, scores, labels),
        "tasks": (Y[:, :1], scores[:, :1], labels[:, :1], tasks),
    }


@pytest.mark.parametrize("name", outcomes())
def test_values_are_those_of_the_revision(name):
    """If this fails, raise PROTOCOL_REVISION and pin the new values: old rows are out of date."""
    values = evaluate(*outcomes()[name]).values
    for metric, pinned in json.loads(PINNED.read_text())[name].items():
        value = values[metric]
        assert (pinned is None) == bool(np.isnan(value)), metric
        assert pinned is None or value == pytest.approx(pinned, rel=1e-12), metric
