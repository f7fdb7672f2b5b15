"""Rows on disk: crash-safe, verified, one reader for all."""

from mlbench.store.checkpoint import Partial
from mlbench.store.parsing import SCHEMA
from mlbench.store.row import FAILURES, Failure, Row, Seconds, Status, Summary
from mlbench.store.searches import search_key
from mlbench.store.store import Scan, Store, Summaries

__all__ = [
    "FAILURES",
    "SCHEMA",
    "Failure",
    "Partial",
    "Row",
    "Scan",
    "Seconds",
    "Status",
    "Store",
    "Summaries",
    "Summary",
    "search_key",
]
