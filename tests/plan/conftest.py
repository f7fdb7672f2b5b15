from __future__ import annotations

import pytest

from mlbench.config.schema import ExperimentConfig
from mlbench.dataset_facts import DatasetFacts
from mlbench.plan import make_plan

FACTS = DatasetFacts(
    fingerprint="f" * 64,
    n_samples=100,
    n_features=20,
    n_labels=5,
    n_tasks=0,
    has_published_split=False,
)


@pytest.fixture
def facts():
    return FACTS


@pytest.fixture
def plan(tmp_path):
    """Plan an experiment on data sets that all have the same facts, unless they are given."""

    def plan(facts=None, chosen=None, **changes):
        experiment = {
            "name": "x",
            "datasets": ["emotions", "digits"],
            "methods": {
                "BR": {"use": "br", "tune": {"C": [0.1, 1.0]}},
                "ML-kNN": {"use": "mlknn", "k": 7},
            },
            "protocol": {"splits": {"kind": "random", "train": 0.6, "repeats": 2, "seed": 5}},
            **changes,
        }
        checked = ExperimentConfig.model_validate(experiment)
        known = facts or {dataset.display: FACTS for dataset in checked.datasets}
        return make_plan(checked, tmp_path, known, chosen=chosen)

    return plan
