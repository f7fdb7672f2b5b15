"""The quickstart's committed numbers are those that its code yields, here as on other machines.

Only the generated problem is run: seconds instead of a minute, all methods, all splits.
"""

from __future__ import annotations

import json
from pathlib import Path

from mlbench.yaml_loader import load_yaml

ROOT = Path(__file__).parents[2]


def test_no_number_of_the_quickstart_has_moved(lab):
    experiment = load_yaml(ROOT / "configs/quickstart.yaml").value
    (toy,) = [each for each in experiment["datasets"] if isinstance(each, dict)]
    ran = lab.mlbench("run", "quickstart", "--quiet", "--set", f"datasets={json.dumps([toy])}")
    assert ran.returncode == 0, ran.stderr
    reference = str(ROOT / "results/quickstart.json")
    check = lab.mlbench(
        "check", "runs/quickstart", "--against", reference, "--format", "json", "--junit", "c.xml"
    )
    numbers = json.loads(check.stdout)["numbers"]
    compared = [number for number in numbers if number["dataset"] == toy["as"]]
    assert len(compared) == len(experiment["methods"]) * len(experiment["metrics"])
    assert {number["pairs"] for number in compared} == {10}
    assert {number["verdict"] for number in compared} <= {"same", "drifted"}, check.stdout
    assert check.returncode == 1  # the other data set was not run
