"""AdaBoost.MH: boosting with stumps that predict all labels at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import expit, logit, xlogy

from mlbench.methods.adaptation.stumps import TIE, CandidateSplits, Stumps, rounded_for_exact_sums
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.path_method import PathMethod
from mlbench.solvers.arrays import Flags, Floats, Ints, Matrix

_MAX_LOG_ODDS = 800.0  # log-odds of a probability that is 0 or 1 in double precision
_WEKA_SMALL = 1e-6  # Weka takes numbers closer than this as equal


@dataclass(eq=False, repr=False)
class AdaBoostMH(PathMethod):
    """AdaBoost.MH with real-valued decision stumps.

    Every pair of a row and a label has a weight. Each round chooses the split "feature above
    threshold" that separates the labels best, assigns a value to every label on both sides, and
    moves weight to the pairs that the sum of values still predicts wrongly. The score is the sum
    over the rounds.

    Boosting ends early if no split helps. If all features are constant there is one round, which
    gives every label its log-odds. Labels with a single class in training are left out and score
    -1 or 1.

    Parameters
    ----------
    n_rounds : int, default=100
        The number of stumps. MULAN's default is 10.
    smoothing : float, default=1.0
        Added to the weights in the numerator and denominator of each logarithm, in units of
        1/(n k) as the paper proposes, so that values stay finite. Not used by MULAN's variant.
    variant : {"paper", "mulan"}, default="paper"
        ``"mulan"`` is what MULAN calls AdaBoost.MH, a different algorithm: AdaBoost.M1 on the
        rows copied once per label, with the label as one more, nominal feature. A stump then
        splits on a feature and predicts the same for all labels, or separates one label from the
        others. The score is a probability with threshold 1/2; a tie is positive. Labels with a
        single class take part in boosting, but are predicted as that class.

    Attributes
    ----------
    stumps_ : Stumps
        The stumps, in the order of the rounds.
    n_rounds_ : int
        The number of stumps.
    normalizers_ : (rounds,) array
        The normalizer of the weights of every round (Z in the paper, at most 1). Their product is
        the mean of exp(-y score) over the rows and labels of training, with y = -1 or 1, which is
        an upper bound on the training error. For MULAN's variant: the weighted error of each
        stump.
    constant_labels_ : int array
        The labels with a single class in training.

    Notes
    -----
    A round takes O(n d k) additions, or O(nnz k) for a sparse X, whose zeros are never visited.
    Blocks of splits that a bound excludes are skipped. Ties go to the first feature.

    References
    ----------
    Schapire & Singer (2000), BoosTexter: a boosting-based system for text categorization.
    Machine Learning 39, 135-168, sections 3 and 4.
    Freund & Schapire (1996), Experiments with a new boosting algorithm. ICML, 148-156
    (AdaBoost.M1).
    """

    n_rounds: int = 100
    smoothing: float = 1.0
    variant: str = "paper"

    example_grid = tuple({"n_rounds": rounds} for rounds in (1, 5, 20))

    _shared_parameters = ("smoothing", "variant")

    def _fit_group(
        self, group: list[tuple[int, Self]], X: Matrix, Y: Ints
    ) -> Iterator[tuple[int, Self]]:
        """Yield the models; all share the rounds of the longest boosting."""
        longest = max((model for _, model in group), key=lambda model: model.n_rounds)
        stumps = longest._boost(X, Y)
        for index, model in group:
            yield index, model._keep(stumps)

    @property
    def threshold(self) -> float:  # type: ignore[override]
        """0, or 1/2 for the probabilities of MULAN's variant."""
        return 0.5 if self.variant == "mulan" else 0.0

    def predict_from_scores(self, scores: Floats) -> Ints:
        """Return 1 if the score is above 0 or MULAN's probability is at least 1/2."""
        positive = scores >= self.threshold if self.variant == "mulan" else scores > self.threshold
        return np.asarray(positive, dtype=np.int64)

    def _check_parameters(self) -> None:
        require_count(self, "n_rounds")
        require_positive(self, "smoothing")
        require_one_of(self, "variant", ("paper", "mulan"))

    def _prepare(self, X: Matrix, Y: Ints) -> tuple[Matrix, Ints]:
        X, Y, _ = self._check_training(X, Y)
        low = 2 * self.threshold - 1
        self._constants = low + (1 - low) * Y[0, self.constant_labels_]
        return X, Y

    def _boost(self, X: Matrix, Y: Ints) -> Stumps:
        if self.variant == "mulan":
            return _boost_copies(X, Y, self.n_rounds)
        varying = np.setdiff1d(np.arange(Y.shape[1]), self.constant_labels_)
        stumps = _boost(X, Y[:, varying], self.n_rounds, self.smoothing)
        values = np.zeros((len(stumps.features), 2, Y.shape[1]))
        values[:, :, varying] = stumps.values
        return replace(stumps, values=values)

    def _keep(self, stumps: Stumps) -> Self:
        self.stumps_ = stumps.first(self.n_rounds)
        self.normalizers_ = self.stumps_.normalizers
        self.n_rounds_ = len(self.normalizers_)
        return self

    def _scores(self, X: Matrix, tasks: Ints | None) -> Floats:
        scores = self.stumps_.sums(X)
        if self.variant == "mulan":
            scores = expit(scores)
        scores[:, self.constant_labels_] = self._constants
        return scores


def _boost(X: Matrix, Y: Ints, n_rounds: int, smoothing: float) -> Stumps:
    """Run AdaBoost.MH on labels of two classes each."""
    n, k = Y.shape
    splits = CandidateSplits(X)
    D = np.ascontiguousarray(np.hstack([Y, 1 - Y]) / max(1, n * k))
    found: list[tuple[int, float, Floats, float]] = []
    while len(found) < n_rounds and k:
        weights = rounded_for_exact_sums(D)
        split = splits.best_split(weights, by_entropy=False)
        for_, against = _by_side(weights, split.above).reshape(2, 2, k).swapaxes(0, 1)
        added = smoothing / (n * k)
        # On a side, w_+ e^-v + w_- e^v is least at v = log(w_+ / w_-) / 2, without smoothing.
        values = 0.5 * np.log((for_ + added) / (against + added))
        after = np.hstack([np.exp(-values), np.exp(values)])
        normalizer = float((for_ * after[:, :k] + against * after[:, k:]).sum())
        if normalizer > 1 - TIE:
            break
        found.append((split.feature, split.threshold, values, normalizer))
        if np.isinf(split.threshold):
            break
        D *= (after / normalizer)[split.above.astype(np.int64)]
    return _stumps(found, k)


def _boost_copies(X: Matrix, Y: Ints, n_rounds: int) -> Stumps:
    """Run AdaBoost.M1 with stumps on the rows copied once per label, as MULAN does."""
    n, k = Y.shape
    splits = CandidateSplits(X)
    D = np.full((n, k), 1 / (n * k))
    labels, per_row, per_label = np.arange(k), np.ones(k), np.ones(n)
    positive = Y.astype(np.float64)
    found: list[tuple[int, float, Floats, float]] = []
    alone = np.zeros((2, k))
    while len(found) < n_rounds:
        D_exact = rounded_for_exact_sums(D)
        for_ = D_exact * positive
        against = D_exact - for_
        rows = np.column_stack([for_ @ per_row, against @ per_row])
        criterion, feature, threshold, above = splits.best_split(rows, by_entropy=True)
        of_label = np.column_stack([per_label @ for_, per_label @ against])
        total = of_label.sum(axis=0)
        one_against_rest = _entropy_of_sides(of_label) + _entropy_of_sides(total - of_label)
        label = int(np.argmax(one_against_rest <= one_against_rest.min() + TIE))
        if criterion <= one_against_rest[label] + TIE:
            sides = np.repeat(_by_side(rows, above)[:, None], k, axis=1)
        else:
            feature, threshold, above = 0, np.inf, np.zeros(n, dtype=bool)
            sides = np.where((labels == label)[:, None], of_label[label], total - of_label[label])
            sides = np.stack([sides, sides])
        votes = (sides[..., 0] > sides[..., 1]).astype(np.int64)
        wrong = votes[above.astype(np.int64)] != Y
        error = float(np.vdot(D_exact, wrong.astype(np.float64)))
        if not found:
            alone = np.clip(
                logit(sides[..., 0] / sides.sum(axis=-1)), -_MAX_LOG_ODDS, _MAX_LOG_ODDS
            )
        useless = error > 0.5 - _WEKA_SMALL or error < _WEKA_SMALL
        if useless and found:
            break
        odds = 0.0 if useless else float(np.log((1 - error) / error))
        values = np.asarray(odds * (2 * votes - 1), dtype=np.float64)
        found.append((feature, threshold, values, error))
        if useless:
            break
        D *= np.where(wrong, (1 - error) / error, 1)
        D /= 2 * (1 - error)  # now both the right and the wrong pairs weigh 1/2
    return replace(_stumps(found, k), alone=alone)


def _stumps(found: list[tuple[int, float, Floats, float]], k: int) -> Stumps:
    features, thresholds, values, normalizers = zip(*found, strict=True) if found else ((),) * 4
    return Stumps(
        np.array(features, dtype=np.int64),
        np.array(thresholds, dtype=np.float64),
        np.array(values, dtype=np.float64).reshape(len(found), 2, k),
        np.array(normalizers, dtype=np.float64),
    )


def _by_side(weights: Floats, above: Flags) -> Floats:
    """Return the sums of the rows that are not above, and of those that are."""
    return np.asarray(np.stack([~above, above]).astype(np.float64) @ weights)


def _entropy_of_sides(sums: Floats) -> Floats:
    """Return the entropy of two classes times their weight, given (..., 2) weights."""
    return np.asarray(xlogy(sums.sum(-1), sums.sum(-1)) - xlogy(sums, sums).sum(-1))
