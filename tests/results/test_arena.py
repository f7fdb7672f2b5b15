"""The arena's published rows are what this version computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from mlbench.api.prepare import Prepared, prepare
from mlbench.api.run import run
from mlbench.config.load import load_experiment
from mlbench.resources import bundled
from mlbench.results import Results, open_results
from mlbench.store.plain_values import differing_values

ARENA = bundled("results") / "arena"
SUBSET = ("flags", "foodtruck", "emotions")
ELSEWHERE = ("mlrl.", "lightgbm.", "torch_mlp.py")
"""What methods from other packages begin with; their versions decide, not this one."""


def of_mlbench(settings: dict[str, Any]) -> bool:
    used = (settings["use"], str(settings.get("base", "")))
    return not any(name.startswith(ELSEWHERE) for name in used)


@pytest.fixture
def subset(real_file, tmp_path) -> Path:
    """The arena's experiment, of three small data sets and without methods of other packages."""
    for name in SUBSET:
        real_file(f"{name}/{name}.arff")
    plain = yaml.safe_load((ARENA / "experiment.yaml").read_text())
    plain["datasets"] = [*SUBSET]
    methods = {name: each for name, each in plain["methods"].items() if of_mlbench(each)}
    plain["methods"] = {
        name: {key: value for key, value in each.items() if key != "not_on"}
        for name, each in methods.items()
    }
    path = tmp_path / "arena.yaml"
    path.write_text(yaml.safe_dump(plain, sort_keys=False))
    return path


@pytest.fixture(scope="module")
def published() -> Results:
    return open_results(ARENA)


def planned(path: Path) -> Prepared:
    return prepare(load_experiment(path))


@pytest.mark.slow
def test_no_row_is_of_an_older_revision(subset, published):
    there = {cell[:3]: published.rows[cell.key].identity for cell in published.cells}
    moved = {
        f"{cell.name}: {place}"
        for cell in planned(subset).plan.cells
        for place, _, _ in differing_values(
            there[cell.dataset, cell.method, cell.split], cell.identity
        )
        if ".base.params." not in place  # defaults of scikit-learn's, which differ by its version
    }
    assert not moved, "run these again, and add them with `export --add-to`"


@pytest.mark.slow
def test_fits_with_the_published_parameters_have_the_published_scores(subset, published, tmp_path):
    settings = [
        f"protocol.tuning.params={ARENA / 'params.csv'}",
        "datasets=[flags, foodtruck]",
    ]
    again = run(subset, out=tmp_path / "again", settings=settings, progress=False)
    metric = "macro_average_precision"
    columns = ["dataset", "method", "split"]
    then = published.scores(metric).set_index(columns).value
    now = again.scores(metric).set_index(columns).value
    assert len(now) == 2 * 5 * len(again.methods)
    # solvers stop at tolerances, and versions of libraries round differently
    assert (now - then.loc[now.index]).abs().groupby("method").mean().max() < 0.02
