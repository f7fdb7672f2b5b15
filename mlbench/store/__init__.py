"""Rows on disk: crash-safe, verified, one reader for all."""

from mlbench.store.row import FAILURES, Failure, Row, Seconds, Status
from mlbench.store.searches import search_key
from mlbench.store.store import SCHEMA, Partial, Scan, Store

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
    "search_key",
]
