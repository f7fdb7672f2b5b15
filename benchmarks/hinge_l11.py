"""Paths of mtl_cls under l11 on sparse rows: interior points against cutting planes.

The rows of one fold of TMC2007 in table III of Ke et al.: 5,400 of them, 500 features, 6 labels,
scaled to unit variance. Both solvers certify every value of lambda to a relative gap of 1e-3.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from ratios import Ratio, measure
from sklearn.preprocessing import StandardScaler

from mlbench.config.grids import NAMED_GRIDS
from mlbench.data.load import load_dataset
from mlbench.methods.linear_tasks import two_class_targets
from mlbench.methods.multitask.base import LinearProblem
from mlbench.methods.multitask.regularization_path import cutting_plane_path, interior_path
from mlbench.solvers.certificate import StoppingCriterion
from mlbench.solvers.design import Design
from mlbench.solvers.losses.hinge import hinge_cuts

ROWS = 5_400
STOP = StoppingCriterion(1e-3, 10_000, None)
LAMS = {"up to 0.02": 0.02, "up to 0.1": 0.1, "up to 0.9": 0.9}


def problem_of(name: str) -> LinearProblem:
    data = load_dataset({"use": name, "labels": 6, "rows": 10_000, "seed": 1})
    rows = np.random.RandomState(0).permutation(len(data.Y))[:ROWS]
    X = StandardScaler(with_mean=False).fit_transform(data.X[rows].astype(float)).tocsr()
    targets = two_class_targets(data.Y[rows], None, 1)
    return LinearProblem(Design(X, len(targets.fitted), targets.parts), targets.y)


def certified(solutions) -> str:
    gaps = [solution.gap for solution in solutions]
    return f"{sum(gap <= STOP.tol for gap in gaps)} of {len(gaps)}"


def ratios(full: bool) -> Iterator[Ratio]:
    problem = problem_of("tmc2007-500")
    for name, most in LAMS.items() if full else [("up to 0.02", LAMS["up to 0.02"])]:
        lams = [lam for lam in NAMED_GRIDS["ke-grid"] if lam <= most]
        yield measure(
            f"`mtl_cls`, l11, tmc2007, lambda {name}",
            "kept cuts",
            lambda lams=lams: certified(interior_path(problem, lams, STOP)),
            lambda lams=lams: certified(cutting_plane_path(hinge_cuts, problem, "l11", lams, STOP)),
            lambda ours, theirs: f"certified: {ours}, {theirs}",
        )
