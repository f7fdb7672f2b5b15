"""Estimates from trials with few rows."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from mlbench.api import probe
from mlbench.api.prepare import prepare
from mlbench.api.probe import Prober, Trial, extrapolated
from mlbench.config.load import load_experiment


def trial(rows, seconds, megabytes=100.0):
    return Trial(rows, seconds, 0.75, megabytes)


def test_time_grows_as_a_power_of_the_rows_and_memory_linearly():
    found = extrapolated([trial(100, 1, 110), trial(200, 2**1.5, 120)], 800)
    assert found.seconds == pytest.approx(8**1.5)
    assert found.seconds_without_search == pytest.approx(8**1.5 / 4)
    assert found.megabytes == pytest.approx(180)


@pytest.mark.parametrize(("seconds", "growth"), [(0.9, 0.5), (2, 1), (16, 2)])
def test_growth_stays_between_a_square_root_and_a_square(seconds, growth):
    found = extrapolated([trial(100, 1), trial(200, seconds)], 400)
    assert found.seconds == pytest.approx(seconds * 2**growth)


def test_one_trial_grows_linearly_and_one_with_all_rows_is_the_estimate():
    only = trial(100, 3, 150)
    assert extrapolated([only], 400) == trial(400, 12, 150)
    assert extrapolated([trial(50, 1), only], 100) is only


def test_without_a_trial_there_is_no_estimate():
    assert extrapolated([], 400) is None


EXPERIMENT = """
name: toy
datasets: [{use: nam-toy, tasks: 2, samples: 800}]
protocol: {splits: {train: 0.5, repeats: 1}}
methods: {kNN: {use: mlknn, k: 3}}
"""


@pytest.mark.parametrize(
    ("total", "cpu", "expected"),
    [
        ([9], 1, 9),
        ([3], 1, 1),
        ([0.6], 0.02, 0.6),
        ([0.35], 0.1, 0.1),
        ([0.2, 0.2, 0.2], 0.02, 0.2),
        ([0.2, 0.03, 0.2], 0.02, 0.02),
        ([0.04], 0.02, 0.02),
    ],
)
def test_waiting_counts_where_a_cell_does_little_else(tmp_path, monkeypatch, total, cpu, expected):
    totals = iter([total[0], *total])  # the first trial has half of the rows

    def run(cell, executor):
        seconds = {"total": next(totals), "cpu": cpu}
        return SimpleNamespace(status="ok", failure=None, seconds=seconds, peak_memory_mb=100.0)

    monkeypatch.setattr(probe, "_run", run)
    monkeypatch.setattr(probe, "FIRST_ROWS", 400)
    (tmp_path / "toy.yaml").write_text(EXPERIMENT)
    prepared = prepare(load_experiment(tmp_path / "toy.yaml"), out=tmp_path / "out")
    (found,) = Prober(prepared, ()).probe(prepared.plan.cells)
    assert found.estimate == Trial(400, expected, 0.0, 100.0)


def test_a_trial_that_was_stopped_bounds_the_estimate_from_below(tmp_path, monkeypatch):
    def run(cell, executor):
        failure = SimpleNamespace(kind="timeout", message="stopped after 60 s")
        is_slow = cell.splitter.train > 100
        return SimpleNamespace(
            status="timeout" if is_slow else "ok",
            failure=failure if is_slow else None,
            seconds={"total": 0.1, "cpu": 0.1},
            peak_memory_mb=100.0,
        )

    monkeypatch.setattr(probe, "_run", run)
    (tmp_path / "toy.yaml").write_text(EXPERIMENT)
    prepared = prepare(load_experiment(tmp_path / "toy.yaml"), out=tmp_path / "out")
    (found,) = Prober(prepared, ()).probe(prepared.plan.cells)
    assert found.is_at_least
    assert found.estimate == Trial(400, 60 * 2**2, 0.0, 100.0)  # a growth of 600 is cut to 4


@pytest.mark.parametrize("rows", [50, 100])
def test_where_the_first_trial_was_stopped_a_cell_takes_that_long_at_least(
    tmp_path, monkeypatch, rows
):
    def run(cell, executor):
        is_slow = cell.splitter.train >= rows
        return SimpleNamespace(
            status="timeout" if is_slow else "ok",
            failure=SimpleNamespace(message="took longer than its limit of 60 s")
            if is_slow
            else None,
            seconds={"total": 0.1},
        )

    monkeypatch.setattr(probe, "_run", run)
    (tmp_path / "toy.yaml").write_text(EXPERIMENT)
    prepared = prepare(load_experiment(tmp_path / "toy.yaml"), out=tmp_path / "out")
    (found,) = Prober(prepared, ()).probe(prepared.plan.cells)
    assert (found.is_at_least, found.estimate.seconds) == (True, 60)
