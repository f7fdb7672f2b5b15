"""From an experiment to the ordered list of its cells, each with a content key."""

from mlbench.plan.cells import Cell, Plan
from mlbench.plan.feasibility import ImpossiblePlan
from mlbench.plan.make import make_plan

__all__ = ["Cell", "ImpossiblePlan", "Plan", "make_plan"]
