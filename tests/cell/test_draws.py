"""How often a cell divides its data set."""

from __future__ import annotations

import pytest

from mlbench.papers.splitters import Imbalanced
from mlbench.protocol.splitters import RandomSplits
from tests.cell.cases import BR, cells, make_dataset, run


@pytest.fixture
def drawn(monkeypatch):
    """Count the splits that are drawn."""
    numbers = []
    for kind in (RandomSplits, Imbalanced):

        def draw(self, data, index, steps=(), draw=kind.draw):
            numbers.append((type(self).__name__, index))
            return draw(self, data, index, steps)

        monkeypatch.setattr(kind, "draw", draw)
    return numbers


def test_a_split_is_drawn_once_for_tuning_fitting_thresholds_and_scores(drawn):
    dataset = make_dataset(n=60)
    run(cells(dataset, BR, threshold="cv_f1_label", preprocess="standardize")[2], dataset)
    assert drawn == [("RandomSplits", 2)]


def test_so_are_imbalanced_samples(drawn):
    dataset = make_dataset(n=60)
    skewed = {"use": "digits", "imbalance": {"ratio": 2}}
    run(cells(dataset, BR, reference=skewed, threshold="cv_f1_label")[1], dataset)
    assert drawn == [("Imbalanced", 1), ("RandomSplits", 1)]


def test_the_first_split_is_drawn_too_where_it_is_searched_for_all(drawn):
    dataset = make_dataset(n=60)
    run(cells(dataset, BR, tuning={"folds": 3, "scope": "first-split"})[2], dataset)
    assert drawn == [("RandomSplits", 2), ("RandomSplits", 0)]
