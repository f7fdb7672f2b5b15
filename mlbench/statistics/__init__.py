"""Significance tests between methods, effect sizes, and corrections for multiple tests."""

from __future__ import annotations

from mlbench.statistics.all_pairs import bergmann_hommel, shaffer
from mlbench.statistics.corrections import holm
from mlbench.statistics.effects import (
    Effect,
    a12,
    cliffs_delta,
    cohen_d,
    mean_difference,
    practical_equivalence,
)
from mlbench.statistics.ranks import RankTest, against_control, rank_test, ranks_of
from mlbench.statistics.result import TestResult
from mlbench.statistics.t_tests import corrected_t, paired_t, two_sample_t
from mlbench.statistics.wilcoxon import smallest_p, wilcoxon

__all__ = [
    "Effect",
    "RankTest",
    "TestResult",
    "a12",
    "against_control",
    "bergmann_hommel",
    "cliffs_delta",
    "cohen_d",
    "corrected_t",
    "holm",
    "mean_difference",
    "paired_t",
    "practical_equivalence",
    "rank_test",
    "ranks_of",
    "shaffer",
    "smallest_p",
    "two_sample_t",
    "wilcoxon",
]
