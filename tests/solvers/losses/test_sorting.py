"""Sorting by buckets is sorting: stable, for any values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.solvers.losses.sorting import CROWDED, sort_with_order


def check(x):
    values, order = sort_with_order(x)
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(values, x[order])


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(st.floats(allow_nan=False), max_size=40))
def test_any_values_are_sorted(values):
    check(np.array(values, dtype=float))


@pytest.mark.parametrize("n", [CROWDED + 1, 500, 4000])
def test_values_that_crowd_in_few_buckets(n):
    rng = np.random.default_rng(0)
    check(rng.normal(size=n))
    check(rng.standard_cauchy(size=n) ** 3)
    check(rng.integers(0, 3, size=n).astype(float))
    check(rng.normal(size=n) * (rng.random(n) < 0.5))
    check(np.zeros(n))


def test_differences_that_overflow_or_vanish():
    check(np.array([1e308, -1e308, 0.0]))
    check(np.array([5e-324, 0.0, 1e-323]))
    check(np.array([1.0 + 2**-52, 1.0, 1.0 + 2**-52]))


def test_missing_values_do_no_harm():
    values, order = sort_with_order(np.array([np.nan, 1.0, np.inf, 0.0]))
    assert sorted(order) == [0, 1, 2, 3]
    assert np.isnan(values).sum() == 1
