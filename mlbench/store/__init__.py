"""Rows on disk: written safely, verified when read."""

from mlbench.store.label_scores import LabelScores
from mlbench.store.plain_values import Plain
from mlbench.store.row import (
    SCHEMA,
    AppliedLimits,
    EarlyStop,
    Failure,
    FailureKind,
    Row,
    Status,
    Step,
    Summary,
    TuningRecord,
    Unconverged,
    UndefinedScores,
    search_key,
    to_plain,
    tuning_from_plain,
)
from mlbench.store.saved_state import SavedState
from mlbench.store.store import Scan, Store

__all__ = [
    "SCHEMA",
    "AppliedLimits",
    "EarlyStop",
    "Failure",
    "FailureKind",
    "LabelScores",
    "Plain",
    "Row",
    "SavedState",
    "Scan",
    "Status",
    "Step",
    "Store",
    "Summary",
    "TuningRecord",
    "Unconverged",
    "UndefinedScores",
    "search_key",
    "to_plain",
    "tuning_from_plain",
]
