from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from mlbench.errors import MlbenchError
from mlbench.statistics import holm


def test_worked_example():
    adjusted = holm([0.001, 0.012, 0.03, 0.04, 0.2])
    assert adjusted == pytest.approx([0.005, 0.048, 0.09, 0.09, 0.2], rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_any_order_as_the_definition_says(p):
    for i, adjusted in enumerate(holm(p)):
        no_larger = sorted(p).index(p[i]) + 1
        steps = [(len(p) - rank) * each for rank, each in enumerate(sorted(p)[:no_larger])]
        assert adjusted == pytest.approx(min(1.0, max(steps)), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_as_in_statsmodels(seed):
    p = np.random.RandomState(seed).rand(12) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12)


def test_a_test_that_could_not_be_made_does_not_count():
    adjusted = holm([0.02, math.nan, 0.01])
    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.02])
    assert np.isnan(adjusted[1])
    assert holm([]).size == 0


def test_what_is_no_probability_is_refused():
    with pytest.raises(MlbenchError, match="between 0 and 1"):
        holm([0.1, 1.2])
