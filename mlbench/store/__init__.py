"""Rows on disk: crash-safe, verified, one reader for all."""

from mlbench.store.row import FAILURES, Row
from mlbench.store.store import SCHEMA, Partial, Scan, Store

__all__ = ["FAILURES", "SCHEMA", "Partial", "Row", "Scan", "Store"]
