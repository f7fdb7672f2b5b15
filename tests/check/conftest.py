"""Results folders in memory, from scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlbench.check import compare, reference_of
from mlbench.hashing import digest
from mlbench.report.folder import ResultsFolder
from mlbench.store import Scan
from tests.plans import make_plan
from tests.rows import make_row

HERE = {"mlbench": "0.1.0", "numpy": "2.4.6", "machine": "Linux x86_64"}


@pytest.fixture(scope="session")
def make_folder():
    """A folder of one metric; ``scores`` has a list per method, a score or a status per split.

    None stands for an undefined score, a text for how a cell failed, ``...`` for a missing cell.
    """

    def make_folder(scores, metric="macro_f1", name="trial", environment=HERE, code="1", seed=0):
        cells, rows = [], {}
        for method, values in scores.items():
            for split, value in enumerate(values):
                identity = {
                    "dataset": {"name": "toy", "fingerprint": "f" * 64},
                    "split": {"kind": "random", "seed": seed, "index": split},
                    "method": {"name": method, "revision": 1},
                    "tuning": None,
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
                    code={method: digest(code)},
                    identity=identity,
                )
        plan = make_plan(methods=list(scores), cells=cells, name=name, metrics=[metric])
        return ResultsFolder(Path("runs/trial"), plan, Scan(rows))

    return make_folder


@pytest.fixture(scope="session")
def elsewhere():
    """Another environment."""
    return {**HERE, "numpy": "2.5.0"}


@pytest.fixture
def ten():
    """Ten scores such as a method has on ten splits."""
    return (0.7 + 0.02 * np.random.RandomState(0).randn(10)).tolist()


@pytest.fixture
def check(make_folder):
    """Compare scores then with scores now; options are those of the folder now."""

    def check(then, now, metric="macro_f1", tolerance=0.01, **options):
        reference = reference_of(make_folder(then, metric))
        return compare(reference, make_folder(now, metric, **options), tolerance)

    return check


@pytest.fixture
def number(check):
    """The only number of a comparison of one method."""

    def number(then, now, **options):
        (found,) = check({"A": then}, {"A": now}, **options).numbers
        return found

    return number
