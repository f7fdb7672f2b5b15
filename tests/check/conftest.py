"""Checks of results folders in memory, from scores."""

from __future__ import annotations

import pytest

from mlbench.check import compare_with_reference, reference_of
from tests.results.conftest import HERE, elsewhere, make_folder, ten

__all__ = ["HERE", "elsewhere", "make_folder", "ten"]


@pytest.fixture
def check(make_folder):
    """Compare scores then with scores now; options are those of the folder now."""

    def check(then, now, metric="macro_f1", tolerance=0.01, **options):
        reference = reference_of(make_folder(then, metric))
        return compare_with_reference(reference, make_folder(now, metric, **options), tolerance)

    return check


@pytest.fixture
def number(check):
    """The only number of a comparison of one method."""

    def number(then, now, **options):
        (found,) = check({"A": then}, {"A": now}, **options).numbers
        return found

    return number
