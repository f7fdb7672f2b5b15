"""Metrics of scores: per label, per sample, of the k best labels, and of probabilities."""

from collections.abc import Callable

import numpy as np

from mlbench.metrics.conventions import SKLEARN, Convention, mean_of_defined, mean_with
from mlbench.metrics.outcome import Outcome
from mlbench.solvers.arrays import Flags, Floats

NAN = float("nan")
BINS = 10
RARE = 10
"""The most positives in training that a rare label has."""
SMALLEST = float(np.finfo(np.float64).eps)
_BLOCK = 256


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
    return mean_of_defined(groups.true_positive_rate(k), groups.has_pairs)


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


def precision_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of the positives among the k top labels, over k.

    With fewer than k labels, the others count as negative.
    """
    if outcome.has_tasks:
        return NAN
    n_labels = outcome.truth.shape[1]
    return float(outcome.sample_groups.top(k).mean() * min(k, n_labels) / k)


def ndcg_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Mean over samples of the gain of positives at ranks 1..k over the largest possible gain."""
    if outcome.has_tasks:
        return NAN
    groups, discounts = outcome.sample_groups, _discounts(k)
    largest = np.append(0.0, np.cumsum(discounts))[np.minimum(groups.positives, k)]
    defined = groups.positives > 0
    values = groups.gain(discounts) / np.where(defined, largest, 1.0)
    if convention.drops:
        return mean_of_defined(values, defined)
    return mean_with(values, defined, 0.0 if convention is SKLEARN else NAN)


def psp_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Weight of the positives among the k top labels over the largest possible, rare ones more."""
    return _propensity_scored(outcome, np.ones(k))


def psndcg_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Discounted weight of the positives at ranks 1..k over the largest possible."""
    return _propensity_scored(outcome, _discounts(k))


def label_coverage_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Share of labels that some sample with them has among its k top labels."""
    if outcome.has_tasks:
        return NAN
    return mean_of_defined(_covered(k, outcome), outcome.label_positives > 0)


def rare_label_coverage_at(k: int, outcome: Outcome, convention: Convention) -> float:
    """Label coverage over the labels with 1 to 10 positives in training."""
    if outcome.has_tasks:
        return NAN
    positives = outcome.training_positives
    is_rare = (positives > 0) & (positives <= RARE)
    return mean_of_defined(_covered(k, outcome), is_rare & (outcome.label_positives > 0))


def _covered(k: int, outcome: Outcome) -> Floats:
    """Return how likely each label is among the k top ones of a sample that has it, shape (l,)."""
    n_labels = outcome.truth.shape[1]
    places, chances = outcome.sample_groups.chances(k)
    missed = np.ones(n_labels)
    np.multiply.at(missed, places % n_labels, 1 - chances)
    return 1 - missed


def _discounts(k: int) -> Floats:
    """Return 1 / log2(1 + rank) for the ranks 1..k."""
    return np.asarray(1 / np.log2(np.arange(2, k + 2)))


def _propensity_scored(outcome: Outcome, by_rank: Floats) -> float:
    """Return the gain of positives, weighted by inverse propensities, over the largest possible.

    Both are summed over samples before the division.
    """
    if outcome.has_tasks:
        return NAN
    gain = outcome.sample_groups.gain(by_rank, outcome.inverse_propensities).sum()
    weights, ranks = outcome.rarest_first
    top = ranks < by_rank.size
    largest = (weights[top] * by_rank[ranks[top]]).sum()
    return float(gain / largest) if largest > 0 else NAN


def log_loss(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the mean of -ln p of what is true; a smaller p counts as 2.2e-16."""

    def loss(scores: Floats, truth: Flags) -> Floats:
        return -np.log(np.maximum(np.abs(scores - ~truth), SMALLEST))

    return _mean_over_labels(outcome, loss)


def brier_score(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the mean squared difference between probability and truth."""
    return _mean_over_labels(outcome, lambda scores, truth: (scores - truth) ** 2)


def expected_calibration_error(outcome: Outcome, convention: Convention) -> float:
    """Mean over labels of the sum over 10 equal bins of |probabilities - positives| / entries."""
    n_labels = outcome.label_sizes.size
    labels = np.arange(n_labels) if outcome.tasks is None else outcome.tasks[:, None]
    surplus = np.zeros(n_labels * BINS)
    for rows in _blocks(outcome):
        scores = outcome.probabilities[rows]
        bins = np.minimum((scores * BINS).astype(np.intp), BINS - 1)  # 1.0 is in the last bin
        bins += BINS * (labels if outcome.tasks is None else labels[rows])  # label-major index
        difference = scores - outcome.truth[rows]
        surplus += np.bincount(bins.ravel(), difference.ravel(), minlength=surplus.size)
    errors = np.abs(surplus).reshape(n_labels, BINS).sum(axis=1) / outcome.label_sizes
    return float(errors.mean())


def _mean_over_labels(outcome: Outcome, loss: Callable[[Floats, Flags], Floats]) -> float:
    sums = np.zeros(outcome.label_sizes.size)
    for rows in _blocks(outcome):
        losses = loss(outcome.probabilities[rows], outcome.truth[rows])
        if outcome.tasks is None:
            sums += losses.sum(axis=0)
        else:
            sums += np.bincount(outcome.tasks[rows], losses[:, 0], minlength=sums.size)
    return float((sums / outcome.label_sizes).mean())


def _blocks(outcome: Outcome) -> list[slice]:
    """Divide the samples into blocks that fit into the processor's cache."""
    starts = range(0, len(outcome.truth), _BLOCK)
    return [slice(start, start + _BLOCK) for start in starts]


def _mean(values: Floats, defined: Flags, convention: Convention, *, sklearn: float = NAN) -> float:
    """Average under a convention; `sklearn` is scikit-learn's value of an undefined part."""
    if convention.drops:
        return mean_of_defined(values, defined)
    return mean_with(values, defined, sklearn if convention is SKLEARN else NAN)
