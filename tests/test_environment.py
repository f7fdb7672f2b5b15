"""What stands behind a row: its scores, and its times."""

from __future__ import annotations

import platform

import pytest

from mlbench.environment import behind_scores, environment, processor


def test_scores_do_not_depend_on_how_many_cells_ran_at_once():
    here = environment()
    busy = {**here, "processor": "Xeon", "jobs": "2"}
    assert behind_scores(busy) == behind_scores(here) == here


@pytest.mark.skipif(platform.machine() != "x86_64", reason="others tell no model")
def test_the_processor_has_a_name():
    assert processor()
