"""Compare the metrics with scikit-learn's, in milliseconds (best of several repetitions).

Run with ``python benchmarks/metrics.py``.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn import metrics as sk

from mlbench.metrics import TrainingLabels, evaluate, score

SHAPES = ((502, 174), (5000, 374))
LARGE = (16_105, 983)  # as delicious: all metrics alone, of scores that are probabilities


def milliseconds(call: Callable[[], object], repeats: int) -> float:
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def split(shape: tuple[int, int], ties: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = (rng.random(shape) < 0.05).astype(int)
    Y[0], Y[1] = 0, 1
    scores = rng.normal(size=shape) + Y
    if ties:
        scores = np.round(scores, 1)
    return Y, scores, (scores > 1.5).astype(int)


def main() -> None:
    print(f"{'samples x labels':<18}{'metric':<26}{'mlbench':>9}{'sklearn':>9}{'ratio':>7}")
    for shape in SHAPES:
        for ties in (False, True):
            Y, S, L = split(shape, ties)
            cases: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
                (
                    "macro_auc",
                    lambda Y=Y, S=S: score("macro_auc", Y, S, None),
                    lambda Y=Y, S=S: sk.roc_auc_score(Y, S),
                ),
                (
                    "macro_f1",
                    lambda Y=Y, L=L: score("macro_f1", Y, None, L),
                    lambda Y=Y, L=L: sk.f1_score(Y, L, average="macro"),
                ),
                (
                    "ranking_loss",
                    lambda Y=Y, S=S: score("ranking_loss", Y, S, None),
                    lambda Y=Y, S=S: sk.label_ranking_loss(Y, S),
                ),
                (
                    "average_precision (LRAP)",
                    lambda Y=Y, S=S: score("average_precision", Y, S, None),
                    lambda Y=Y, S=S: sk.label_ranking_average_precision_score(Y, S),
                ),
            ]
            place = f"{shape[0]} x {shape[1]}" + (" tied" if ties else "")
            for name, ours, theirs in cases:
                mine, other = milliseconds(ours, 7), milliseconds(theirs, 2)
                print(f"{place:<18}{name:<26}{mine:>9.1f}{other:>9.1f}{other / mine:>7.1f}")
            everything = milliseconds(lambda Y=Y, S=S, L=L: evaluate(Y, S, L), 5)
            print(f"{place:<18}{'evaluate: all of them':<26}{everything:>9.1f}")
    Y, S, L = split(LARGE, ties=False)
    P, training = 1 / (1 + np.exp(-S)), TrainingLabels.of(Y)
    everything = milliseconds(lambda: evaluate(Y, P, L, training=training), 3)
    print(f"{LARGE[0]} x {LARGE[1]:<10}{'evaluate: all of them':<26}{everything:>9.1f}")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
