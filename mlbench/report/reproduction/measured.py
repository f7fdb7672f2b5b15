"""The values of results over splits, as a paper's tables are compared with them."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from mlbench.report.protocol_note import protocol_note
from mlbench.results.results import Results
from mlbench.results.scores import row_values


@dataclass(frozen=True)
class MeasuredValues:
    """Values over splits."""

    source: str
    """Where they come from, for messages."""
    values: Mapping[tuple[str, str, str], tuple[float, ...]]
    """By data set, method and quantity: a metric, or ``seconds_fit`` and the like. Splits without a
    value are omitted.
    """
    protocol: str = ""
    """Our protocol in a sentence."""

    @classmethod
    def of(cls, results: Results, metrics: Collection[str] | None = None) -> "MeasuredValues":
        """Return the values of results in some metrics, or in all, and the times."""
        values: dict[tuple[str, str, str], list[float]] = {}
        for dataset, method, _, quantity, value in row_values(results.cells, results.rows, metrics):
            if not math.isnan(value):
                values.setdefault((dataset, method, quantity), []).append(value)
        plan = results.plan
        protocol = protocol_note(plan.experiment, plan.datasets, results.rows.values())
        return cls(
            str(results.path), {key: tuple(found) for key, found in values.items()}, protocol
        )

    @cached_property
    def datasets(self) -> list[str]:
        """Data sets with values, in order."""
        return list(dict.fromkeys(dataset for dataset, _, _ in self.values))

    def measures(self, dataset: str, quantity: str) -> bool:
        """Return whether a data set has a value of a quantity, of any method."""
        return (dataset, quantity) in self._measured

    @cached_property
    def _measured(self) -> set[tuple[str, str]]:
        return {(dataset, quantity) for dataset, _, quantity in self.values}

    @cached_property
    def methods(self) -> list[str]:
        """Methods with values, in order."""
        return list(dict.fromkeys(method for _, method, _ in self.values))
