from __future__ import annotations

import pytest

from mlbench.data import load_dataset
from mlbench.errors import DataError

DENSE = """@relation songs
@attribute happy {no,yes}
@attribute tempo numeric
@attribute genre {rock,jazz,pop}
@attribute year numeric
@data
yes,120,pop,1990
no,90,rock,2000
no,80,pop,1990
"""
SPARSE = DENSE.partition("@data")[0] + "@data\n{0 yes,1 120,2 pop}\n{1 90}\n{2 pop, 3 2000}\n"


def test_labels_are_chosen_among_the_attributes(write):
    path = str(write("songs.arff", DENSE))
    data = load_dataset({"use": path, "label_columns": "happy", "class_column": ["genre", "year"]})
    assert data.label_names == ("happy", "genre=rock", "genre=pop", "year=1990", "year=2000")
    assert data.Y.tolist() == [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [0, 0, 1, 1, 0]]
    assert data.feature_names == ("tempo",)


def test_sparse_rows_stay_sparse(write):
    path = str(write("songs.arff", SPARSE))
    data = load_dataset({"use": path, "label_columns": {"first": 1}, "class_column": "genre"})
    assert data.X.toarray().tolist() == [[120, 0], [90, 0], [0, 2000]]
    assert data.Y.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_columns": "hapy"}, r"songs\.arff: label_columns: no column named 'hapy'"),
        ({"label_columns": "genre"}, r"label 'genre' has the values \{rock, jazz, pop\}"),
        ({"class_column": {"first": 4}}, "0 of 4 attributes are features"),
        ({"format": "arff-table"}, "4 of 4 attributes are features"),
    ],
)
def test_mistakes(write, options, message):
    with pytest.raises(DataError, match=message):
        load_dataset({"use": str(write("songs.arff", DENSE)), **options})
