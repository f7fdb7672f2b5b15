"""The simulation of tests over overlapping splits: its learners, seeds, and file."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from benchmarks import overlapping_splits
from benchmarks.overlapping_splits import main, nearest_means, nearest_neighbors, rejections


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(nearest_means, NearestCentroid()), (nearest_neighbors, KNeighborsClassifier(5))],
)
def test_learners_are_those_of_scikit_learn(ours, theirs):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 4)), rng.random(60) < 0.4
    train = rng.permuted(np.tile(np.arange(60) < 30, (3, 1)), axis=1)
    for part, predicted in zip(train, ours(x, y, train), strict=True):
        assert (predicted == theirs.fit(x[part], y[part]).predict(x)).all()


def test_the_same_seed_gives_the_same_shares():
    first, again = (rejections(nearest_means, 4.0, 1.0, 2, seed=3) for _ in range(2))
    assert first == again
    assert set(first) == {f"{m}, {n} splits" for m in ("accuracy", "F1") for n in (5, 10, 30)}


def test_settings_in_the_file_are_not_computed_again(tmp_path, monkeypatch, capsys):
    out = tmp_path / "found.json"
    monkeypatch.setattr(overlapping_splits, "RATIOS", (4.0, 11.0))
    words = ["", "--datasets", "1", "--learners", "fixed rule", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    main()
    found = json.loads(out.read_text())
    assert len(found) == 4
    kept = next(iter(found))
    out.write_text(json.dumps({kept: {"accuracy, 5 splits": {"t": 0.123}}}))
    main()
    again = json.loads(out.read_text())
    assert again.pop(kept) == {"accuracy, 5 splits": {"t": 0.123}}
    assert again == {key: value for key, value in found.items() if key != kept}
    assert "t 12.3 %" in capsys.readouterr().out
