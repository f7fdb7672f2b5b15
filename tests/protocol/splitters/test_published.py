from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import DataError
from mlbench.protocol.splitters import PublishedSplit
from tests.protocol.splitters.cases import dataset


def test_the_published_rows_are_trained_on_and_all_others_tested():
    split = PublishedSplit().draw(dataset(6, published_train=np.array([0, 1, 4])), 0)
    assert (split.train.rows.tolist(), split.test.rows.tolist()) == ([0, 1, 4], [2, 3, 5])


def test_a_data_set_without_published_parts_is_refused():
    with pytest.raises(DataError, match="d has no published training and test part; use"):
        PublishedSplit().draw(dataset(9), 0)
