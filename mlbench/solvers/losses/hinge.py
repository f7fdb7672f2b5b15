"""The hinge loss of every task: G(s) = 2 sum_j max(0, 1 - y_j s_j).

It is the structured hinge loss of the number of wrong labels counted twice: the worst labeling
flips every example whose margin y s is below 1.

Lower bound: the conjugate of h = lambda G is -y . v for v with -y v in [0, 2 lambda], else
infinite. So v = sigma (z - s) from a proximal step gives -h*(v) = y . v = h(s) - v . s.
"""

from dataclasses import dataclass

import numpy as np

from mlbench.solvers.arrays import Floats, Ints
from mlbench.solvers.jit import compiled


@compiled
def hinge_cuts(scores: Floats, y: Floats, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the loss of every task and the labeling that attains it, see `Oracle`.

    ``c`` is 2 y where the margin is below 1, else 0, and delta twice the number of such margins.
    """
    k = len(offsets) - 1
    values = np.zeros(k)
    delta = np.zeros(k)
    c = np.empty(len(scores))
    for i in range(k):
        for j in range(offsets[i], offsets[i + 1]):
            slack = max(0.0, 1.0 - y[j] * scores[j])
            values[i] += 2.0 * slack
            twice = 2.0 if slack > 0 else 0.0
            delta[i] += twice
            c[j] = twice * y[j]
    return values, c, delta


@dataclass(frozen=True)
class Hinge:
    """The hinge loss of every task, 2 sum_j max(0, 1 - y_j s_j)."""

    y: Floats
    offsets: Ints

    def values(self, scores: Floats) -> Floats:
        """Return the loss of every task."""
        slack = np.maximum(0.0, 1.0 - self.y * scores)
        return np.add.reduceat(2.0 * slack, self.offsets[:-1])

    def prox(self, z: Floats, weight: float) -> Floats:
        """Return the proximal point of ``weight`` times the sum: margins below 1 rise."""
        margins = self.y * z
        return np.where(margins >= 1, z, self.y * np.minimum(1.0, margins + 2.0 * weight))

    def box(self) -> tuple[Floats, Floats]:
        """Return the bounds of dual variables: -y p lies between 0 and 2."""
        return np.minimum(-2.0 * self.y, 0.0), np.maximum(-2.0 * self.y, 0.0)

    def dual_values(self, p: Floats) -> Floats:
        """Return -G_i*(p_i) = -y_i . p_i of every task."""
        sums = np.concatenate([[0.0], np.cumsum(-self.y * p)])
        return np.asarray(np.diff(sums[self.offsets]))
