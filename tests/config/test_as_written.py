"""An experiment can be written as a file again."""

from __future__ import annotations

from mlbench.config.as_written import as_written
from mlbench.yaml_loader import dump_yaml


def test_it_reads_back_the_same(everything, good, load):
    for text in (everything, good, f"{good}limits: {{memory: 1.5 GiB}}\n"):
        experiment = load(text).experiment
        assert load(dump_yaml(as_written(experiment))).experiment == experiment


def test_defaults_are_left_out(good, load):
    assert as_written(load(good).experiment) == {
        "name": "good",
        "datasets": [{"use": "digits"}],
        "methods": {"A": {"use": "mlknn"}},
    }
