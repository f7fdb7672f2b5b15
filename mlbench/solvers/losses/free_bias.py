"""Hinge losses with a free bias per task: G(s) = min over b of sum_j h(y_j (s_j + b)).

h(m) is max(0, 1 - m) or its square. An unpenalized bias is thus part of the loss: the
conjugate of G is that of the plain loss if the dual variables sum to 0, and infinite otherwise. So
every proximal step yields dual variables with y'alpha = 0.

With c = y - s, the slack of an example is y (c - b). The bias of a proximal step of weight w
balances the slacks of positives and negatives:

    sum over positives of clip(c - b, 0, top)  =  sum over negatives of clip(b - c, 0, top)

with top = w for the hinge, and top = infinity for its square, whatever w is. The hinge loss itself
is smallest for b between the P-th and the next c in ascending order, for P positives.
"""

from dataclasses import dataclass

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled

MAX_ROUNDS = 200
"""The limit on Newton steps to a bias; only rounding can reach it."""

BISECT_EVERY = 4
"""Every n-th Newton step to a bias is replaced by bisection."""


@dataclass(frozen=True)
class _FreeBiasLoss:
    """A loss of the labels y (N,), of both signs in every task."""

    y: Floats
    offsets: Ints

    def biases(self, scores: Floats) -> Floats:
        """Return the best bias of every task: (k,)."""
        raise NotImplementedError

    def _slacks(self, scores: Floats, biases: Floats) -> Floats:
        """Return max(0, 1 - y (s + b)) of every example: (N,)."""
        spread = np.repeat(biases, np.diff(self.offsets))
        return np.maximum(0.0, 1.0 - self.y * (scores + spread))

    def separating(self, scores: Floats) -> Floats | None:
        """Return 2 over the margin between the classes of every task, or None if one is 0.

        The losses of the scores times these factors are 0.
        """
        starts = self.offsets[:-1]
        lowest = np.minimum.reduceat(np.where(self.y > 0, scores, np.inf), starts)
        highest = np.maximum.reduceat(np.where(self.y < 0, scores, -np.inf), starts)
        return 2.0 / (lowest - highest) if (lowest > highest).all() else None


class FreeBiasHinge(_FreeBiasLoss):
    """The hinge loss of every task with its best bias, sum_j max(0, 1 - y_j (s_j + b))."""

    def biases(self, scores: Floats) -> Floats:
        """Return the best bias of every task, or the middle of the best: (k,)."""
        biases = np.empty(len(self.offsets) - 1)
        for i in range(len(biases)):
            task = slice(self.offsets[i], self.offsets[i + 1])
            y = self.y[task]
            place = int((y > 0).sum())  # the slope in b is the number of c below b, minus P
            c = np.partition(y - scores[task], (place - 1, place))
            biases[i] = 0.5 * (c[place - 1] + c[place])
        return biases

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task."""
        slack = self._slacks(scores, self.biases(scores))
        return np.add.reduceat(slack, self.offsets[:-1])

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the proximal point of ``weight`` times the sum."""
        biases = balancing_biases(z, self.y, self.offsets, weight)
        slack = self._slacks(z, biases)
        return z + self.y * np.minimum(slack, weight)

    def dual_point(self, p: Floats) -> tuple[Floats, Floats]:
        """Return a point near p with a = -y p from 0 to 1 and sums 0, and sum a."""
        alpha = _balanced(np.clip(-self.y * p, 0.0, 1.0), self.y, self.offsets)
        return -self.y * alpha, np.add.reduceat(alpha, self.offsets[:-1])


class FreeBiasSquaredHinge(_FreeBiasLoss):
    """The squared hinge loss of every task with its best bias."""

    def biases(self, scores: Floats) -> Floats:
        """Return the best bias of every task: (k,)."""
        return balancing_biases(scores, self.y, self.offsets, np.inf)

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task."""
        slack = self._slacks(scores, self.biases(scores))
        return np.add.reduceat(slack**2, self.offsets[:-1])

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the proximal point of ``weight`` times the sum."""
        slack = self._slacks(z, self.biases(z))
        return z + self.y * (2.0 * weight / (1.0 + 2.0 * weight)) * slack

    def dual_point(self, p: Floats) -> tuple[Floats, Floats]:
        """Return a point near p with a = -y p at least 0 and sums 0, and sum a - a^2 / 4."""
        alpha = _balanced(np.maximum(-self.y * p, 0.0), self.y, self.offsets)
        return -self.y * alpha, np.add.reduceat(alpha - alpha**2 / 4.0, self.offsets[:-1])


def _balanced(alpha: Floats, y: Floats, offsets: Ints) -> Floats:
    """Shrink the multipliers of one class of every task so that both sums are equal."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    upper = np.add.reduceat(np.where(y > 0, alpha, 0.0), starts)
    lower = np.add.reduceat(np.where(y < 0, alpha, 0.0), starts)
    least = np.minimum(upper, lower)
    shares = [np.divide(least, s, out=np.zeros_like(s), where=s > 0) for s in (upper, lower)]
    return alpha * np.where(y > 0, np.repeat(shares[0], sizes), np.repeat(shares[1], sizes))


@compiled
def balancing_biases(scores: Floats, y: Floats, offsets: Ints, top: float) -> Floats:
    """Return the bias of every task at which the slacks of both classes are equal: (k,).

    Parameters
    ----------
    scores : (N,) array
    y : (N,) array of -1 and 1
    offsets : (k + 1,) int array
    top : float
        The largest slack that counts.
    """
    k = len(offsets) - 1
    biases = np.empty(k)
    for i in range(k):
        first, end = offsets[i], offsets[i + 1]
        low = np.inf
        high = -np.inf
        for j in range(first, end):
            low = min(low, y[j] - scores[j])
            high = max(high, y[j] - scores[j])
        low -= min(top, 1.0)  # below all c only positives have slack, above only negatives
        high += min(top, 1.0)
        b = 0.5 * (low + high)
        for rounds in range(MAX_ROUNDS):
            excess = 0.0
            size = 0.0
            slope = 0
            for j in range(first, end):
                slack = y[j] * (y[j] - scores[j] - b)
                if slack > 0:
                    slope += slack < top
                    slack = min(slack, top)
                    excess += y[j] * slack
                    size += slack
            if abs(excess) <= 1e-15 * size:
                break
            # The excess falls with b: by `slope`, the number of slacks that b changes, per unit.
            if excess > 0:
                low = b
            else:
                high = b
            new = b + excess / slope if slope else low
            if not low < new < high or rounds % BISECT_EVERY == BISECT_EVERY - 1:
                new = 0.5 * (low + high)
            if new == b or not low < new < high:
                break
            b = new
        biases[i] = b
    return biases
