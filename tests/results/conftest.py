"""Results folders in memory, from scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlbench.hashing import digest
from mlbench.results.results import Results
from tests.plans import make_plan
from tests.rows import make_row

HERE = {"mlbench": "0.1.0", "numpy": "2.4.6", "machine": "Linux x86_64"}


@pytest.fixture(scope="session")
def make_folder():
    """A folder of one metric; ``scores`` has a list per method, a score or a status per split.

    None stands for an undefined score, a text for how a cell failed, ``...`` for a missing cell.
    """

    def make_folder(
        scores, metric="macro_f1", name="trial", environment=HERE, code="1", seed=0, revision=1
    ):
        cells, rows = [], {}
        for method, values in scores.items():
            for split, value in enumerate(values):
                identity = {
                    "dataset": {"name": "toy", "fingerprint": "f" * 64},
                    "split": {"kind": "random", "seed": seed, "index": split},
                    "method": {"name": method, "revision": revision},
                    "tuning": None,
                    "threshold": "default",
                }
                key = digest(identity)
                cells.append(["toy", method, split, key])
                if value is ...:
                    continue
                failed = isinstance(value, str)
                rows[key] = make_row(
                    key=key,
                    status=value if failed else "ok",
                    metrics={} if failed else {metric: value},
                    environment=environment,
                    code={method: digest(code)} if isinstance(code, str) else code,
                    identity=identity,
                )
        n_splits = max(map(len, scores.values()))
        plan = make_plan(["toy"], list(scores), n_splits, cells, name=name, metrics=[metric])
        return Results(Path("runs/trial"), plan, rows)

    return make_folder


@pytest.fixture(scope="session")
def elsewhere():
    """Another environment."""
    return {**HERE, "numpy": "2.5.0"}


@pytest.fixture
def ten():
    """Ten scores such as a method has on ten splits."""
    return (0.7 + 0.02 * np.random.RandomState(0).randn(10)).tolist()
