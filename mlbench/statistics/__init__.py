"""Comparisons of methods: paired scores, significance tests, effect sizes, corrections."""

from __future__ import annotations

from mlbench.statistics.all_pairs import bergmann_hommel, shaffer
from mlbench.statistics.bayesian import Regions, bayesian_sign, bayesian_signed_rank
from mlbench.statistics.compare import ALPHA, Compared, compare, corrected, decided
from mlbench.statistics.corrections import holm
from mlbench.statistics.effects import (
    Effect,
    a12,
    cliffs_delta,
    cohen_d,
    mean_difference,
    practical_equivalence,
)
from mlbench.statistics.jackknife import RowVariance, jackknife_difference, jackknife_t
from mlbench.statistics.paired_scores import PairedScores
from mlbench.statistics.ranks import RankTest, against_control, critical_range, rank_test, ranks_of
from mlbench.statistics.resolution import Resolution, resolution
from mlbench.statistics.result import TestResult
from mlbench.statistics.t_tests import corrected_t, paired_t, two_sample_t
from mlbench.statistics.welch import Sample, welch
from mlbench.statistics.wilcoxon import smallest_p, wilcoxon

__all__ = [
    "ALPHA",
    "Compared",
    "Effect",
    "PairedScores",
    "RankTest",
    "Regions",
    "Resolution",
    "RowVariance",
    "Sample",
    "TestResult",
    "a12",
    "against_control",
    "bayesian_sign",
    "bayesian_signed_rank",
    "bergmann_hommel",
    "cliffs_delta",
    "cohen_d",
    "compare",
    "corrected",
    "corrected_t",
    "critical_range",
    "decided",
    "holm",
    "jackknife_difference",
    "jackknife_t",
    "mean_difference",
    "paired_t",
    "practical_equivalence",
    "rank_test",
    "ranks_of",
    "resolution",
    "shaffer",
    "smallest_p",
    "two_sample_t",
    "welch",
    "wilcoxon",
]
