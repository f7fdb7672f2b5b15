"""How many comparisons of the folders in results/ each check speaks of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import mlbench
from mlbench.audit import SEVERITIES, Facts, alarms_of, check_rules, find_threats
from mlbench.config.acceptance import Audit
from mlbench.results import open_results
from mlbench.yaml_loader import load_yaml

RESULTS = Path(mlbench.__file__).parents[1] / "results"
CONFIGS = sorted((RESULTS.parent / "configs").rglob("*.yaml"))
FOLDERS = sorted(
    path.parent
    for path in RESULTS.rglob("reference.json")
    if not path.is_relative_to(RESULTS / "arena")  # it grows, and its report says what is found
)

ALARMS = {
    "labels-left-out": (1, 0, 0),
    "threshold": (0, 339, 1),
    "rank-order": (0, 36, 128),
    "tuning-metric": (85, 49, 431),
    "grid-edge": (0, 44, 539),
    "untuned-rival": (0, 221, 275),
    "search-budget": (0, 0, 198),
    "shared-search": (0, 18, 1467),
    "tied-scores": (0, 85, 21),
    "below-constant": (0, 103, 175),
    "not-converged": (0, 0, 5),
    "same-model": (0, 0, 87),
    "over-corrected": (0, 156, 0),
    "pseudo-replicates": (9, 0, 2),
    "few-datasets": (0, 0, 15),
}
"""By check: comparisons invalidated, weakened, and noted."""


def named(folder):
    return str(folder.relative_to(RESULTS))


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_every_threat_is_accepted_with_a_reason(folder):
    facts = Facts.of_results(open_results(folder))
    assert [threat.sentence for threat in find_threats(facts) if threat.is_open] == []
    check_rules(facts)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_what_a_folder_accepts_is_what_its_experiment_does(folder):
    kept = open_results(folder).plan.experiment
    given = load_yaml(folder / "experiment.yaml")
    stated = Audit.model_validate(given.value.get("audit", {}))
    assert kept.audit == stated
    of_config = {load_yaml(path).value["name"]: load_yaml(path).value for path in CONFIGS}
    config = Audit.model_validate(of_config.get(kept.name, {}).get("audit", stated))
    assert all(rule in config.accept for rule in stated.accept)


@pytest.mark.slow
def test_alarms_are_those_that_were_read():
    found: Counter[tuple[str, str]] = Counter()
    for folder in FOLDERS:
        for check, alarms in alarms_of(Facts.of_results(open_results(folder))).items():
            found.update((check, alarm.severity) for alarm in alarms)
    checks = dict.fromkeys(check for check, _ in found)
    assert {check: tuple(found[check, each] for each in SEVERITIES) for check in checks} == ALARMS
