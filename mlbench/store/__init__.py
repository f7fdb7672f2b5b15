"""Rows on disk: crash-safe, verified, one reader for all."""

from mlbench.store.checkpoint import Partial
from mlbench.store.label_scores import LabelScores
from mlbench.store.row import (
    SCHEMA,
    EarlyStop,
    Failure,
    FailureKind,
    Limits,
    Row,
    Status,
    Step,
    Summary,
    TuningRecord,
    Unconverged,
    to_plain,
    tuning_from_plain,
)
from mlbench.store.search_names import search_key
from mlbench.store.store import Scan, Store, Summaries

__all__ = [
    "SCHEMA",
    "EarlyStop",
    "Failure",
    "FailureKind",
    "LabelScores",
    "Limits",
    "Partial",
    "Row",
    "Scan",
    "Status",
    "Step",
    "Store",
    "Summaries",
    "Summary",
    "TuningRecord",
    "Unconverged",
    "search_key",
    "to_plain",
    "tuning_from_plain",
]
