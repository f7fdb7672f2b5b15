"""From an experiment to the ordered list of its cells, each with a content key."""

from mlbench.plan.cells import Cell, DatasetFacts, Plan, make_plan
from mlbench.plan.identity import differences

__all__ = ["Cell", "DatasetFacts", "Plan", "differences", "make_plan"]
