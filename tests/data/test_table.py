from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mlbench.data.table import Attribute, RawTable, stack_parts
from mlbench.errors import DataError


def part(cells, attributes, labels=("y",)):
    Y = np.zeros((np.shape(cells)[0], len(labels)), dtype=np.int64)
    return RawTable(tuple(attributes), cells, Y, tuple(labels))


def test_the_training_part_comes_first():
    train, test = (part(np.array([[v]]), [Attribute("a")]) for v in (1.0, 2.0))
    both = stack_parts(train, test, "f")
    assert both.cells.tolist() == [[1.0], [2.0]]
    assert both.n_train == 1


def test_a_part_without_unknown_labels_has_all_known():
    train, test = (part(np.zeros((1, 1)), [Attribute("a")], ("y", "z")) for _ in range(2))
    test = replace(test, known=np.array([[True, False]]))
    assert stack_parts(train, train, "f").known is None
    assert stack_parts(train, test, "f").known.tolist() == [[True, True], [True, False]]


def test_sparse_parts_stay_sparse():
    train, test = (part(csr_matrix([[v]]), [Attribute("a")]) for v in (1.0, 0.0))
    assert stack_parts(train, test, "f").cells.format == "csr"


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_nominal_values_listed_in_another_order_keep_their_meaning(form):
    ours, theirs = ("a", "b"), ("c", "b", "a")
    train = part(form(np.array([[0.0], [1.0]])), [Attribute("v", "nominal", ours)])
    test = part(form(np.array([[0.0], [1.0], [2.0]])), [Attribute("v", "nominal", theirs)])
    both = stack_parts(train, test, "f")
    dense = both.cells.toarray() if form is csr_matrix else both.cells
    values = [both.attributes[0].values[int(code)] for code in dense[:, 0]]
    assert values == ["a", "b", "c", "b", "a"]


@pytest.mark.parametrize(
    ("attributes", "labels", "message"),
    [
        ([Attribute("a")], ("y",), "has 2 attributes, the test part 1"),
        ([Attribute("a"), Attribute("c")], ("y",), "number 2 of the attributes is 'b' in the tr"),
        ([Attribute("a"), Attribute("b", "text")], ("y",), "'b' is numeric in the training part"),
        ([Attribute("a"), Attribute("b")], ("z",), "number 1 of the labels is 'y'"),
    ],
)
def test_parts_with_other_columns_are_refused(attributes, labels, message):
    train = part(np.zeros((1, 2)), [Attribute("a"), Attribute("b")])
    test = part(np.zeros((1, len(attributes))), attributes, labels)
    with pytest.raises(DataError, match=f"^f: .*{message}"):
        stack_parts(train, test, "f")
