"""Whole paths over the grid of Ke et al. (58 values of lambda): seconds, gaps, calls, memory.

    MLBENCH_DATA=/path/to/datasets python benchmarks/smtl/paths.py --data emotions --csv paths.csv

Every variant runs in its own process, on one thread, on the training rows of one fold of 10-fold
tuning on the first random 60 % (54 % of all), z-scored. "certified" counts the values whose proven
gap is at most ``--tol``; a variant stops after ``--limit`` seconds with the values it has. With
``--patience 8`` it stops like a search in an experiment: after eight consecutive values that do not
improve the score on the held-out rows of the fold (macro AUC for AUC, otherwise macro F1 at 0).
"peak MB" is the largest resident size of the process, including numba and SciPy; "grown" is the
increase during the path. The CSV has one line per variant and lambda.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
import warnings
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from problems import fold_of_training_part
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mlbench.config.grids import NAMED_GRIDS
from mlbench.metrics import score
from mlbench.protocol.tuning import Patience
from mlbench.registry.factory import make_method

PENALTIES = ("l11", "l21", "trace")
LOSSES = ("f1", "auc", "hinge")


@dataclass(frozen=True)
class Variant:
    """One path: what is fitted to which data, and for how long."""

    data: str
    penalty: str
    loss: str
    method: str
    tol: float
    limit: float
    lams: tuple[float, ...]
    patience: int

    def model(self):
        """Return the estimator, without a lambda."""
        loss = {} if self.loss == "hinge" else {"loss": self.loss}
        return make_method(
            self.method,
            penalty=self.penalty,
            tol=self.tol,
            max_seconds=self.limit,
            **loss,
        )

    @property
    def grid(self):
        """Return the points of the path."""
        return [{"lam": lam} for lam in self.lams]

    def held_out_score(self, model, fold):
        """Return what a search would look at: the greater, the better."""
        scores = model.decision_function(fold.X_left_out)
        metric = "macro_auc" if self.loss == "auc" else "macro_f1"
        return score(metric, fold.Y_left_out, scores, model.predict_from_scores(scores))


def megabytes() -> float:
    """Return the largest resident size that this process had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def run(variant: Variant):
    """Return the seconds of a path, its memory and a record of every value."""
    fold = fold_of_training_part(variant.data)
    X, Y = fold.X, fold.Y
    patience = Patience(variant.patience or len(variant.grid))
    records = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        few = np.r_[:20]
        list(variant.model().fit_path(X[few], Y[few], [{"lam": 0.1}]))  # may compile
        before = megabytes()
        start = time.perf_counter()
        for index, model in variant.model().fit_path(X, Y, variant.grid):
            records.append(
                {
                    "data": variant.data,
                    "penalty": variant.penalty,
                    "loss": variant.loss,
                    **variant.grid[index],
                    "gap": model.gap_,
                    "seconds": model.fit_seconds_,
                    "iterations": model.n_iter_,
                    "oracle_calls": getattr(model, "n_oracle_calls_", None) or 0,
                    "nonzero_features": int((model.coef_ != 0).any(axis=0).sum()),
                }
            )
            if time.perf_counter() - start > variant.limit:
                break
            if variant.patience and patience.is_over_after(variant.held_out_score(model, fold)):
                break
    return variant, time.perf_counter() - start, megabytes(), before, records


def show(variant, seconds, peak, before, records):
    certified = sum(record["gap"] <= variant.tol for record in records)
    done = f"{certified} of {len(records)}"
    if len(records) < len(variant.grid):
        done += f" ({len(variant.grid)})"
    calls = sum(record["oracle_calls"] for record in records)
    worst = max(records, key=lambda record: record["gap"])
    print(
        f"{variant.data:>12}{variant.penalty:>7}{variant.loss:>7}{seconds:>9.2f}{done:>14}"
        f"{sum(r['iterations'] for r in records):>11}{calls:>11}"
        f"{worst['gap']:>10.1e} at {worst['lam']:<6g}{records[-1]['lam']:>7g}"
        f"{peak:>8.0f}{peak - before:>8.0f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["emotions"])
    parser.add_argument("--penalty", nargs="+", choices=PENALTIES, default=PENALTIES)
    parser.add_argument("--loss", nargs="+", choices=LOSSES, default=LOSSES)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds of one path")
    parser.add_argument("--every", type=int, default=1, help="take every n-th value of the grid")
    parser.add_argument("--up-to", type=float, default=np.inf, help="the largest lambda to fit")
    parser.add_argument("--patience", type=int, default=0, help="values without gain; 0: no end")
    parser.add_argument("--csv", type=Path, help="file for a line per variant and lambda")
    parser.add_argument("--smtl", default="smtl", help="what the method for f1 and auc is called")
    parser.add_argument("--mtl-cls", default="mtl_cls", help="what that for hinge is called")
    options = parser.parse_args()
    grid = tuple(lam for lam in NAMED_GRIDS["ke-grid"][:: options.every] if lam <= options.up_to)
    print(
        f"{'data':>12}{'norm':>7}{'loss':>7}{'seconds':>9}{'certified':>14}{'iterations':>11}"
        f"{'calls':>11}{'largest gap':>13}{'':>4}{'up to':>7}{'peak MB':>8}{'grown':>8}"
    )
    everything = []
    spawn = multiprocessing.get_context("spawn")
    for data, loss, penalty in product(options.data, options.loss, options.penalty):
        method = options.mtl_cls if loss == "hinge" else options.smtl
        variant = Variant(
            data,
            penalty,
            loss,
            method,
            options.tol,
            options.limit,
            grid,
            options.patience,
        )
        with spawn.Pool(1) as pool:
            result = pool.apply(run, [variant])
        show(*result)
        everything += result[-1]
        if options.csv:
            pd.DataFrame(everything).to_csv(options.csv, index=False)


if __name__ == "__main__":
    main()
