"""Predictions come with the true labels that they were scored against."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlbench.data import Dataset
from mlbench.data.subsets import Subset, take_subset
from mlbench.errors import DataError
from mlbench.rescoring import truth_of
from mlbench.results.kept import kept_predictions
from tests.cell.cases import cells, make_dataset, run, split_of
from tests.rows import make_row

LOGISTIC = {"use": "br", "solver": "liblinear"}


def kept(cell, dataset, data=None, drop=()):
    """The predictions of a cell as results hold them, without some of what was kept."""
    result = run(cell, dataset)
    arrays = {name: each for name, each in result.predictions.items() if name not in drop}
    row = make_row(identity={"dataset": {"fingerprint": dataset.fingerprint}, **cell.identity})
    return kept_predictions(arrays, replace(row, by_label=result.by_label), data=data)


def facts_of(found):
    arrays = (found.rows, found.data_rows, found.labels, found.truth)
    return [each.tolist() for each in arrays], found.names


def test_every_entry_has_its_row_its_label_and_its_truth():
    dataset = make_dataset()
    found = kept(cells(dataset, LOGISTIC)[0], dataset)
    test = split_of(dataset).test
    assert found.rows.tolist() == np.repeat(test, 3).tolist()
    assert found.truth.tolist() == dataset.Y[test].ravel().tolist()
    assert [found.name(label) for label in found.labels[:4]] == ["y0", "y1", "y2", "y0"]


def test_a_row_keeps_the_number_that_it_has_in_the_files():
    whole = make_dataset(200)
    part = take_subset(take_subset(whole, Subset(drop_unlabeled=True)), Subset(rows=100))
    found = kept(cells(part, LOGISTIC)[0], part)
    places = found.data_rows, found.labels
    assert found.truth.tolist() == whole.Y[places].tolist()
    assert found.data_rows.tolist() != found.rows.tolist()
    assert part.fingerprint == replace(part, row_numbers=None).fingerprint


def test_a_task_names_its_samples():
    random = np.random.RandomState(1)
    tasks = random.permutation(np.repeat([0, 1, 2], 40))
    X = random.randn(120, 5)
    Y = (X[:, :1] + random.randn(120, 1) > 0).astype(np.int64)
    names = tuple("rst")
    dataset = Dataset("digits", X, Y, ("y",), tuple("abcde"), tasks=tasks, task_names=names)
    found = kept(cells(dataset, LOGISTIC)[0], dataset)
    test = split_of(dataset).test
    assert found.labels.tolist() == tasks[test].tolist()
    assert found.truth.tolist() == Y[test, 0].tolist()
    assert found.name(2) == "t"


def partly():
    full = make_dataset()
    known = np.random.RandomState(5).rand(*full.Y.shape) < 0.75
    return replace(full, Y=full.Y * known, known=known)


def test_unknown_labels_have_no_truth():
    dataset = partly()
    found = kept(cells(dataset, LOGISTIC, facts={"fewest_known": 80})[0], dataset)
    places = found.rows, found.labels
    expected = np.where(dataset.known[places], dataset.Y[places], -1)
    assert found.truth.tolist() == expected.tolist()


SKEWED = {"use": "digits", "imbalance": {"ratio": 5}}


@pytest.mark.parametrize(
    ("dataset", "options"),
    [
        (make_dataset(), {}),
        (partly(), {"facts": {"fewest_known": 80}}),
        (make_dataset(400), {"reference": SKEWED}),
    ],
    ids=["labels", "partly known", "imbalance"],
)
def test_what_was_kept_is_what_the_data_say(dataset, options):
    cell = cells(dataset, LOGISTIC, **options)[0]
    told = facts_of(kept(cell, dataset))
    lacking = {"truth", "own_tasks", "data_rows"}
    assert facts_of(kept(cell, dataset, data=dataset, drop=lacking)) == told
    assert kept(cell, dataset, drop=lacking).truth is None


def test_other_data_are_refused():
    dataset, cell = make_dataset(), cells(make_dataset(), LOGISTIC)[0]
    with pytest.raises(DataError, match="not the data that the predictions were made on"):
        kept(cell, dataset, data=make_dataset(seed=1))
    row = make_row(identity={"dataset": {"fingerprint": "0" * 64}})
    with pytest.raises(DataError, match="its fingerprint is"):
        truth_of(dataset, row, {})
