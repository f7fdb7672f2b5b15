from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import gmean

from mlbench.data import Dataset, load_dataset
from mlbench.data.description import describe, one_valued_labels
from mlbench.data.rdata import read_rdata


def dataset(Y, **more):
    Y = np.asarray(Y, dtype=np.int64)
    names = tuple(f"label{j}" for j in range(Y.shape[1]))
    return Dataset("some", np.zeros((len(Y), 1)), Y, names, ("x",), **more)


def scumble_by_definition(Y, ratios):
    """Formula (4) of Charte et al. (2014), row by row."""
    each = [ratios[row == 1] for row in Y]
    return np.mean([1 - gmean(row) / row.mean() if row.size else 0 for row in each])


@pytest.mark.parametrize("seed", range(5))
def test_all_measures_by_their_definitions(seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((60, 5)) < rng.uniform(0.05, 0.6, 5)).astype(int)
    Y[0] = 1
    got = describe(dataset(Y))
    counts = [int(column.sum()) for column in Y.T]
    ratios = np.array([max(counts) / count for count in counts])
    assert got.cardinality == pytest.approx(np.mean([row.sum() for row in Y]))
    assert got.density == pytest.approx(np.mean([row.sum() / 5 for row in Y]))
    assert got.labelsets == len({tuple(row) for row in Y})
    assert got.distinct == got.labelsets / 60
    assert got.unlabeled == sum(not row.any() for row in Y)
    assert [each.positives for each in got.frequencies] == counts
    assert [each.frequency for each in got.frequencies] == [count / 60 for count in counts]
    assert [each.imbalance for each in got.frequencies] == pytest.approx(list(ratios))
    assert got.mean_imbalance == pytest.approx(ratios.mean())
    assert got.largest_imbalance == pytest.approx(ratios.max())
    assert got.scumble == pytest.approx(scumble_by_definition(Y, ratios))
    together = {(i, j): int((Y[:, i] & Y[:, j]).sum()) for i, j in combinations(range(5), 2)}
    by_count = sorted(together.items(), key=lambda pair: (-pair[1], pair[0]))
    expected = [(f"label{i}", f"label{j}", rows) for (i, j), rows in by_count if rows]
    assert [(*pair.labels, pair.rows) for pair in got.pairs] == expected


def test_a_label_without_positives_has_no_ratio():
    got = describe(dataset([[1, 0, 1], [1, 0, 0]]))
    assert [each.imbalance for each in got.frequencies] == [1, None, 2]
    assert (got.mean_imbalance, got.without_positives) == (1.5, 1)


def test_without_any_positive_no_ratio_is_defined():
    got = describe(dataset([[0, 0], [0, 0]]))
    assert (got.mean_imbalance, got.largest_imbalance, got.scumble) == (None, None, None)
    assert (got.cardinality, got.unlabeled, got.pairs) == (0, 2, ())


def test_frequencies_count_what_is_known():
    known = np.array([[True, True], [True, False], [False, False], [True, False]])
    got = describe(dataset([[1, 1], [0, 0], [0, 0], [1, 0]], known=known))
    assert [each.frequency for each in got.frequencies] == [2 / 3, 1]
    assert (got.known, got.density) == (0.5, 0.75)


def test_a_task_is_a_label_of_its_own_rows():
    tasks = np.array([0, 0, 1, 1, 1])
    got = describe(dataset([[1], [0], [1], [1], [0]], tasks=tasks, task_names=("a", "b")))
    assert [(each.label, each.frequency) for each in got.frequencies] == [
        ("a", 1 / 2),
        ("b", 2 / 3),
    ]
    assert (got.labels, got.known) == (2, 0.5)


def test_missing_cells_are_counted():
    X = np.array([[1.0, np.nan], [0.0, 2.0]])
    data = replace(dataset([[1], [0]]), X=X, feature_names=("x", "y"))
    assert describe(data).missing == 0.25


@pytest.mark.parametrize(
    ("name", "cardinality", "density"),
    [("yeast", 4.237, 0.303), ("cal500", 26.044, 0.150), ("birds", 1.014, 0.053)],
)
def test_what_mulan_prints(real_file, name, cardinality, density):
    """The table of data sets at mulan.sourceforge.net/datasets-mlc.html."""
    real_file(f"{name}/{name}.xml")
    got = describe(load_dataset(name))
    assert got.cardinality == pytest.approx(cardinality, abs=1e-3)
    assert got.density == pytest.approx(density, abs=1e-3)


def test_what_the_manual_of_mldr_prints(real_file):
    """summary(emotions), in the reference manual of the R package mldr."""
    real_file("emotions/emotions.xml")
    got = describe(load_dataset("emotions"))
    assert got.labelsets == 27
    assert got.cardinality == pytest.approx(1.868465)
    assert got.density == pytest.approx(0.3114109)
    assert got.mean_imbalance == pytest.approx(1.478068)
    assert got.scumble == pytest.approx(0.01095238)


@pytest.mark.slow
def test_the_measures_that_mldr_stores(real_file):
    path = real_file("rcv1/rcv1sub1.rda")
    (stored,) = (each.named() for each in read_rdata(path).values())
    measures = {name: float(each.dense()[0]) for name, each in stored["measures"].named().items()}
    got = describe(load_dataset("rcv1-subset1"))
    assert got.cardinality == pytest.approx(measures["cardinality"])
    assert got.density == pytest.approx(measures["density"])
    assert got.labelsets == measures["num.labelsets"]
    assert got.mean_imbalance == pytest.approx(measures["meanIR"])
    assert got.scumble == pytest.approx(measures["scumble"])
    ratios = stored["labels"].named()["IRLbl"].dense()
    assert [each.imbalance for each in got.frequencies] == pytest.approx(list(ratios))


def test_labels_of_one_value_where_they_are_known_are_constant():
    Y = [[0, 1, 1, 0], [0, 1, 0, 1], [0, 1, 0, 0]]
    assert one_valued_labels(dataset(Y)) == ["label0", "label1"]
    known = np.array(
        [[True, True, True, True], [True, True, False, True], [True, True, False, True]]
    )
    assert one_valued_labels(dataset(Y, known=known)) == ["label0", "label1", "label2"]
