"""Metrics of scores: AUC and average precision per label, ranking metrics per sample."""

from __future__ import annotations

import numpy as np

from mlbench.metrics.conventions import SKLEARN, Convention, mean_of_defined, mean_with
from mlbench.metrics.outcome import Outcome
from mlbench.metrics.ties import Bools, Floats

NAN = float("nan")


def macro_auc(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the area under the ROC curve, ties counting one half."""
    groups = outcome.label_groups
    return _mean(groups.auc, groups.has_pairs, convention)


def micro_auc(outcome: Outcome, convention: Convention) -> float:
    """Area under the ROC curve of all entries of all labels together."""
    return float(outcome.pooled_groups.auc[0])


def auc_tie_share(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the share of positive-negative pairs with equal scores."""
    groups = outcome.label_groups
    return mean_of_defined(groups.tied, groups.has_pairs)


def macro_average_precision(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the mean precision at each positive's score."""
    groups = outcome.label_groups
    return _mean(groups.average_precision, groups.positives > 0, convention, sklearn=0.0)


def micro_average_precision(outcome: Outcome, convention: Convention) -> float:
    """Mean precision at the score of each positive entry, of all labels together."""
    return float(outcome.pooled_groups.average_precision[0])


def top(k: int, outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the share of positives among the k samples that score best."""
    groups = outcome.label_groups
    return mean_of_defined(groups.top(k), groups.positives > 0)


def tpr_at_fpr(k: int, outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the height of the ROC curve where k % of the negatives are above."""
    groups = outcome.label_groups
    return mean_of_defined(groups.true_positive_rate(k / 100), groups.has_pairs)


def one_error(outcome: Outcome, convention: Convention) -> float:
    """Share of samples whose top label is negative; labels tied at the top share the sample."""
    if outcome.has_tasks:
        return NAN
    wrong = 1.0 - outcome.sample_groups.positive_at_top
    if convention.drops:
        return mean_of_defined(wrong, outcome.has_positive)
    return float(wrong.mean())


def coverage(outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of the depth of the lowest-ranked positive, the top label being 0."""
    if outcome.has_tasks:
        return NAN
    depth = outcome.sample_groups.depth.astype(np.float64)
    if convention is not SKLEARN:
        depth -= 1.0
    return _mean(depth, outcome.has_positive, convention, sklearn=0.0)


def ranking_loss(outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of the share of pairs whose positive does not beat its negative."""
    if outcome.has_tasks:
        return NAN
    groups = outcome.sample_groups
    return _mean(groups.not_below, groups.has_pairs, convention, sklearn=0.0)


def average_precision(outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of the mean precision at each positive's rank (LRAP)."""
    if outcome.has_tasks:
        return NAN
    groups = outcome.sample_groups
    return _mean(groups.average_precision, groups.positives > 0, convention, sklearn=1.0)


def _mean(values: Floats, defined: Bools, convention: Convention, *, sklearn: float = NAN) -> float:
    """Average under a convention; `sklearn` is what scikit-learn gives to an undefined part."""
    if convention.drops:
        return mean_of_defined(values, defined)
    return mean_with(values, defined, sklearn if convention is SKLEARN else NAN)
