from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mlbench.data.labels import labels_from, truth_values
from mlbench.data.table import Attribute


@pytest.mark.parametrize(
    ("values", "truth"),
    [
        (("0", "1"), [0, 1]),
        (("1", "0"), [1, 0]),
        (("YES", "NO"), [1, 0]),
        (("true", "false"), [1, 0]),
        (("False", "True"), [0, 1]),
        (("-1", "1"), [0, 1]),
        (("+1", "-1"), [1, 0]),
        (("1",), [1]),
        (("0.0", "1.0"), [0, 1]),
        ((" YES", "NO "), [1, 0]),
        (("0", "1", "2"), None),
        (("0", "yes"), None),
        (("2", "1"), None),
    ],
)
def test_two_valued_attributes_are_coded_by_meaning(values, truth):
    found = truth_values(values)
    assert found is None if truth is None else found.tolist() == truth


def test_labels_by_meaning_in_dense_and_sparse_cells():
    attributes = [Attribute("a", "nominal", ("1", "0")), Attribute("b", "nominal", ("NO", "YES"))]
    cells = np.array([[0.0, 1.0], [1.0, 0.0]])
    for form in (cells, csr_matrix(cells)):
        assert labels_from(form, attributes, "f").Y.tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_a_missing_label_is_unknown_and_not_negative(form):
    attributes = [Attribute("a", "nominal", ("1", "0")), Attribute("b"), Attribute("c")]
    cells = form(np.array([[0.0, np.nan, np.nan], [np.nan, 1.0, np.nan]]))
    labels = labels_from(cells, attributes, "f")
    assert labels.Y.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert labels.known.tolist() == [[True, False, False], [False, True, False]]
