"""An experiment as plain values of a file that reads back the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlbench.config.schema import ExperimentConfig


def as_written(experiment: ExperimentConfig) -> dict[str, Any]:
    """Return the keys of an experiment file, but for those at their defaults."""
    plain = experiment.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for holder in (plain, *plain["methods"].values()):
        if holder.get("limits"):
            holder["limits"] = limits_as_written(holder["limits"])
    return plain


def limits_as_written(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Return limits, whose memory is a number of MB, with its unit; those not set are left out."""
    found = {name: value for name, value in limits.items() if value is not None}
    return found | ({"memory": f"{found['memory']} MB"} if "memory" in found else {})
