"""Thresholds that turn scores into labels, chosen for the best F1 on given scores.

Source: Han et al. (2010), Algorithm 1, with its range of thresholds corrected: any number of
entries, from none to all, may be set to zero. The least F1 of a label's own threshold is the
heuristic "fbr" of Yang, A study of thresholding strategies for text categorization (SIGIR 2001);
see Fan and Lin, A study on threshold selection for multi-label classification (2007).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlbench.options import MIN_F1, MIN_POSITIVES
from mlbench.solvers.arrays import Flags, Floats, Ints


@dataclass(frozen=True)
class Policy:
    """The rule by which thresholds are chosen."""

    per_label: bool
    """One threshold for each label, or a single one for all."""
    held_out: bool
    """On scores of models that did not see the row, or of the final model on its own rows."""
    least_positives: int = 0
    """A label with fewer gets the threshold that is best for all labels together."""
    least_f1: float = 0.0
    """So does a label whose own threshold gives a lower F1."""
    revision: int = 1
    """Raised when the policy chooses other thresholds."""


POLICIES = {
    "train_f1_global": Policy(per_label=False, held_out=False),
    "train_f1_label": Policy(per_label=True, held_out=False),
    "cv_f1_label": Policy(True, True, MIN_POSITIVES, MIN_F1, revision=2),
}
"""The policies besides ``default``, which keeps a method's own labels."""


def uses_held_out_scores(policy: str) -> bool:
    """Tell whether a policy needs models that did not see the row."""
    return policy in POLICIES and POLICIES[policy].held_out


class Thresholds(NamedTuple):
    """One threshold per label, or per task, and how many of them are the one for all."""

    values: Floats
    n_common: int


def best_f1_threshold(y: Ints, scores: Floats) -> float:
    """Return the threshold that gives the best F1: what lies above it is positive.

    Parameters
    ----------
    y : (n,) int array of 0/1
    scores : (n,) float array

    Returns
    -------
    float
        The midpoint between two neighbouring distinct scores, or infinity with either sign if
        nothing, or everything, is best called positive. Among equal F1 the lowest threshold is
        taken; without positives every F1 is 0, and nothing is called positive.
    """
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    n, n_positive = len(scores), int(y.sum())
    n_zero = np.arange(n + 1)
    hits = n_positive - np.concatenate([[0], np.cumsum(y[order])])
    whole = n_positive + n - n_zero
    f1 = np.divide(2.0 * hits, whole, out=np.zeros(n + 1), where=whole > 0)
    allowed = np.ones(n + 1, dtype=bool)
    allowed[1:n] = ascending[1:] > ascending[:-1]
    best = int(np.argmax(np.where(allowed, f1, -1.0)))
    if best == 0 and f1[0] > 0:
        return -np.inf
    if best in (0, n):
        return np.inf
    low, high = ascending[best - 1], ascending[best]
    middle = low / 2 + high / 2
    return float(middle if low <= middle < high else low)


def choose_thresholds(
    policy: str, Y: Ints, scores: Floats, tasks: Ints | None = None
) -> Thresholds:
    """Choose one threshold per label.

    Parameters
    ----------
    policy : str
        One of :data:`POLICIES`.
    Y : (n, k) int array of 0/1
    scores : (n, k) float array
    tasks : (n,) int array, optional
        Where there are tasks, each plays the part of a label. A task without samples gets the
        threshold that is best for all together.
    """
    rule = POLICIES[policy]
    n = Y.shape[1] if tasks is None else int(tasks.max()) + 1
    values = np.full(n, best_f1_threshold(Y.ravel(), scores.ravel()))
    n_own = 0
    for place in range(n) if rule.per_label else ():
        here = (slice(None), place) if tasks is None else (tasks == place, 0)
        y, own = Y[here], best_f1_threshold(Y[here], scores[here])
        enough = len(y) and y.sum() >= rule.least_positives
        if enough and _f1(y, scores[here] > own) >= rule.least_f1:
            values[place] = own
            n_own += 1
    return Thresholds(values, n - n_own)


def _f1(y: Ints, called: Flags) -> float:
    whole = int(y.sum() + called.sum())
    return 2 * int(y[called].sum()) / whole if whole else 0.0


def apply_thresholds(scores: Floats, thresholds: Floats, tasks: Ints | None = None) -> Ints:
    """Return labels: 1 where a score lies above the threshold of its label, or of its task."""
    return (scores > (thresholds if tasks is None else thresholds[tasks][:, None])).astype(np.int8)
