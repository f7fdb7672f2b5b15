"""How often tests over splits of the same rows find a difference, where there is one or none.

Two methods are one learner on two halves of the features. Under the null both halves are equally
good; otherwise the classes are nearer in the second. Each data set of 300 rows is divided at
random into 30 splits, and into fewer: the first of them. The file gets the shares of data sets on
which each test rejects at 5 %, setting by setting; what is in it is not computed again. With 1,000
data sets, a share of 5 % has a standard error of .7 points.

    python benchmarks/overlapping_splits.py --datasets 1000 --out build/overlapping_splits.json
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from mlbench.statistics import RowVariance, corrected_t, jackknife_t, paired_t
from mlbench.statistics.jackknife import N_BLOCKS

ROWS, FEATURES, POSITIVE, DISTANCE = 300, 10, 0.3, 1.5
RATIOS = (0.1, 0.67, 1.0, 1.5, 2.3, 4.0, 11.0)
SPLITS = (5, 10, 30)
NEARER = 0.8
"""With an effect: the distance of the classes in the second half over that in the first."""
ALPHA = 0.05

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Learner = Callable[[Floats, Flags, Flags], Flags]
"""From features (n, p), labels (n,) and training parts (splits, n) to predictions (splits, n)."""
Metric = Callable[[Floats, Floats, Floats, Floats], Floats]
"""Of true positives, false positives, false negatives, and samples."""


def fixed_rule(x: Floats, y: Flags, train: Flags) -> Flags:
    """Predict from the sum of the features, whatever the training part."""
    return np.broadcast_to(x.sum(axis=1) > 0, train.shape)


def nearest_means(x: Floats, y: Flags, train: Flags) -> Flags:
    """Predict the class whose mean is nearest."""
    distances = []
    for part in (train & ~y, train & y):
        means = (part @ x) / np.maximum(part.sum(axis=1, keepdims=True), 1)
        distances.append(np.square(means).sum(axis=1)[:, None] - 2 * means @ x.T)
    return distances[1] < distances[0]


def nearest_neighbors(x: Floats, y: Flags, train: Flags, k: int = 5) -> Flags:
    """Predict the class of most of the nearest rows."""
    squares = np.square(x).sum(axis=1)
    order = np.argsort(squares[:, None] + squares - 2 * x @ x.T, axis=1)
    order = order[:, : int(5 * k / train[0].mean())]
    predictions = np.empty(train.shape, dtype=bool)
    for split, part in enumerate(train):
        known = part[order]
        nearest = known & (np.cumsum(known, axis=1) <= k)
        predictions[split] = (nearest & y[order]).sum(axis=1) * 2 > k
    return predictions


LEARNERS: dict[str, Learner] = {
    "fixed rule": fixed_rule,
    "nearest means": nearest_means,
    "5 nearest neighbors": nearest_neighbors,
}
METRICS: dict[str, Metric] = {
    "accuracy": lambda tp, fp, fn, n: 1 - (fp + fn) / n,
    "F1": lambda tp, fp, fn, n: 2 * tp / np.maximum(2 * tp + fp + fn, 1),
}


def scores_of(
    learner: Learner, ratio: float, nearer: float, rng: np.random.Generator
) -> dict[str, tuple[Floats, Floats]]:
    """Return, by metric, scores (2, splits) of both methods, and those without each block."""
    y = rng.random(ROWS) < POSITIVE
    centers = np.where(y, DISTANCE / 2, -DISTANCE / 2)[:, None] / np.sqrt(FEATURES)
    noise = rng.normal(size=(2, ROWS, FEATURES))
    halves = (centers + noise[0], nearer * centers + noise[1])
    n_train = round(ROWS / (1 + ratio))
    train = rng.permuted(np.tile(np.arange(ROWS) < n_train, (max(SPLITS), 1)), axis=1)
    blocks = np.eye(N_BLOCKS)[rng.permutation(ROWS) % N_BLOCKS]
    counts = []
    for x in halves:
        called = learner(x, y, train)
        parts = (called & y, called & ~y, ~called & y, np.ones_like(called))
        counts.append([(~train & part).astype(float) @ blocks for part in parts])
    whole = [[each.sum(axis=1, keepdims=True) for each in method] for method in counts]
    return {
        name: (
            np.array([metric(*method)[:, 0] for method in whole]),
            np.array(
                [
                    metric(*(w - c for w, c in zip(*both, strict=True)))
                    for both in zip(whole, counts, strict=True)
                ]
            ),
        )
        for name, metric in METRICS.items()
    }


def p_values(
    a: Floats, b: Floats, ratio: float, rows: RowVariance, means: bool
) -> dict[str, float]:
    """Return the p-value of each test; `means` tells whether scores are means over rows."""
    n, mean, s2 = a.size, float((a - b).mean()), float((a - b).var(ddof=1))

    def p(variance: float) -> float:
        return 2 * float(stdtr(n - 1, -abs(mean) / np.sqrt(variance))) if mean else 1.0

    found = {
        "t": paired_t(a, b).p_value,
        "corrected t": corrected_t(a, b, 1.0, ratio).p_value,
        "ratio, at most 1": p(s2 * (1 / n + min(ratio, 1))),
        "root of ratio": p(s2 * (1 / n + np.sqrt(ratio))),
        "1 / ratio": p(s2 * (1 / n + 1 / ratio)),
        "rows alone": p(rows.value),
        "splits + rows": p(s2 * (1 / n + 1 / ratio) + rows.value),
        "jackknife t": jackknife_t(a, b, 1.0, ratio, rows).p_value,
    }
    if means:
        # |x - y| <= x + y and <= (1 - x) + (1 - y) bound the variance of x - y in [-1, 1].
        total = float(a.mean() + b.mean())
        bound = (min(total, 2 - total) - mean**2) / ROWS
        found["bound of rows"] = p(s2 / n + (np.sqrt(s2 / ratio) + np.sqrt(bound)) ** 2)
    return found


def rejections(
    learner: Learner, ratio: float, nearer: float, n_datasets: int, seed: int
) -> dict[str, dict[str, float]]:
    """Return the share of data sets on which each test rejects, by metric and splits."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for i in range(n_datasets):
        rng = np.random.default_rng([seed, i])
        for metric, (scores, without) in scores_of(learner, ratio, nearer, rng).items():
            for n in SPLITS:
                rows = RowVariance.of(*without[:, :n])
                tests = p_values(*scores[:, :n], ratio, rows, metric == "accuracy")
                counts = found[f"{metric}, {n} splits"]
                for test, p in tests.items():
                    counts[test] = counts.get(test, 0) + (p < ALPHA)
    return {
        setting: {test: number / n_datasets for test, number in counts.items()}
        for setting, counts in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=int, default=50, help="data sets in each setting")
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/overlapping_splits.json"))
    asked = parser.parse_args()
    done = json.loads(asked.out.read_text()) if asked.out.is_file() else {}
    effects = {"none": 1.0, "nearer": NEARER}
    for name, ratio, effect in product(asked.learners, RATIOS, effects):
        key = f"{name}, ratio {ratio:g}, effect {effect}"
        key += f", {asked.datasets} data sets, seed {asked.seed}"
        if key not in done:
            found = rejections(LEARNERS[name], ratio, effects[effect], asked.datasets, asked.seed)
            done[key] = found
            asked.out.parent.mkdir(parents=True, exist_ok=True)
            asked.out.write_text(json.dumps(done, indent=1))
        for setting, shares in done[key].items():
            words = ", ".join(f"{test} {100 * share:.1f} %" for test, share in shares.items())
            print(f"{key}, {setting}: {words}", flush=True)


if __name__ == "__main__":
    main()
