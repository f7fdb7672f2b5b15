"""Compare the numbers of a results folder with a committed reference."""

from __future__ import annotations

from mlbench.check.compare import ReferenceCheck, compare_with_reference
from mlbench.check.junit import to_junit
from mlbench.check.update import updated
from mlbench.results.reference import Reference, reference_of
from mlbench.results.reference_file import read_reference, write_reference

__all__ = [
    "Reference",
    "ReferenceCheck",
    "compare_with_reference",
    "read_reference",
    "reference_of",
    "to_junit",
    "updated",
    "write_reference",
]
