"""Paired tests of two methods, and the correction for making several of them."""

from __future__ import annotations

from mlbench.statistics.corrections import holm
from mlbench.statistics.result import TestResult
from mlbench.statistics.signed_rank import smallest_p, wilcoxon
from mlbench.statistics.t_tests import corrected_t, paired_t

__all__ = ["TestResult", "corrected_t", "holm", "paired_t", "smallest_p", "wilcoxon"]
