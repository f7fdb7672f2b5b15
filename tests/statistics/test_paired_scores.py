"""Which splits of two series are paired."""

from __future__ import annotations

import math

from mlbench.statistics import PairedScores


def test_splits_on_which_both_have_a_finite_score_are_paired():
    a = {3: 0.5, 0: 0.6, 1: math.nan, 2: 0.7, 5: 0.9}
    b = {0: 0.1, 1: 0.2, 2: math.inf, 3: 0.4, 4: 0.3}
    pairs = PairedScores.of(a, b)
    assert (pairs.splits, pairs.a, pairs.b, pairs.n) == ((3, 0), (0.5, 0.6), (0.4, 0.1), 2)


def test_splits_on_which_one_score_is_undefined_are_named():
    a, b = {0: 0.5, 1: None, 2: None, 3: 0.1}, {0: None, 1: 0.5, 2: None}
    assert PairedScores.of(a, b).unpaired == (0, 1)
