"""The work of one cell: one method on one split of one data set, from data to scores."""

from mlbench.cell.result import Result
from mlbench.cell.run import run_cell

__all__ = ["Result", "run_cell"]
