"""Methods are compiled once, before the first cell."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from mlbench.api.compile_ahead import TrialData, compile_ahead
from mlbench.config.schema import ExperimentConfig
from mlbench.dataset_facts import DatasetFacts
from mlbench.methods.catalogue import METHODS
from mlbench.plan import make_plan

FACTS = DatasetFacts("f" * 64, 100, 20, 5, 0, has_published_split=False)
LAM = TrialData("smtl", {"lam": 1.0}, [], is_sparse=False)

FIT_AND_LIST_WHAT_WAS_COMPILED = """
import sys
from numba.core.dispatcher import Dispatcher
from mlbench.api.compile_ahead import TrialData
TrialData("adaboost_mh", {"n_rounds": 7}, [], is_sparse=False).fit()
for name in [name for name in sys.modules if name.startswith("mlbench.")]:
    for value in vars(sys.modules[name]).values():
        if isinstance(value, Dispatcher) and value.stats.cache_misses:
            print(value.__name__)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An installation in which nothing is compiled."""
    monkeypatch.delenv("MLBENCH_NO_NUMBA", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def told(method):
    experiment = {
        "name": "x",
        "datasets": ["emotions"],
        "methods": {"Mine": method},
        "protocol": {"splits": {"kind": "random", "train": 0.6, "repeats": 2, "seed": 5}},
    }
    facts = {"emotions": FACTS}
    plan = make_plan(ExperimentConfig.model_validate(experiment), folder=None, facts=facts)
    lines = []
    compile_ahead(plan.cells, facts, lines.append)
    return lines


def test_numbers_count_by_their_types_and_all_else_by_value():
    assert replace(LAM, parameters={"lam": 2.0}).mark == LAM.mark
    assert replace(LAM, parameters={"lam": 2}).mark != LAM.mark
    assert replace(LAM, parameters={"penalty": "trace"}).mark != LAM.mark
    assert replace(LAM, is_sparse=True).mark != LAM.mark


def test_a_method_without_compiled_code_is_marked_and_passed_over(folder, monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)  # nothing is started
    assert told({"use": "br"}) == []
    assert len(list(folder.glob("*/done-*"))) == 1


@pytest.mark.slow
def test_what_was_compiled_ahead_is_not_compiled_again(folder):
    method = {"use": "adaboost_mh", "n_rounds": 5}
    assert told(method) == ["compiling Mine: once, in up to a minute"]
    assert told(method) == []
    again = [sys.executable, "-c", FIT_AND_LIST_WHAT_WAS_COMPILED]
    assert subprocess.run(again, capture_output=True, text=True, check=True).stdout == ""


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("use", METHODS)
@pytest.mark.filterwarnings("ignore:LinearMORPSVM")
def test_every_method_can_be_fitted_to_little_data(use, is_sparse):
    TrialData(use, {}, [], is_sparse).fit()


def test_a_run_goes_on_where_no_mark_can_be_kept(folder, monkeypatch):
    monkeypatch.setattr("mlbench.api.compile_ahead.cache_folder", lambda: str(folder / "gone"))
    assert told({"use": "br"}) == []


def test_nothing_is_compiled_where_that_is_switched_off(folder, monkeypatch):
    monkeypatch.setenv("MLBENCH_NO_NUMBA", "1")
    assert told({"use": "adaboost_mh"}) == []
    assert not list(folder.iterdir())
