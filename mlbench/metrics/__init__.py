"""Metrics of multi-label and multi-task predictions, vectorised over labels.

`evaluate` computes all of them for one test split, `score` one of them; `METRICS` lists them
and `get_metric` finds one by name. What 0/0 is worth is a matter of convention, named after an
``@``: see `mlbench.metrics.conventions`.
"""

from __future__ import annotations

from mlbench.metrics.catalogue import ALIASES, METRICS, declare, get_metric
from mlbench.metrics.conventions import CONVENTIONS, Convention
from mlbench.metrics.evaluation import Evaluation, LabelEvaluation, evaluate, score
from mlbench.metrics.metric import Metric
from mlbench.metrics.training_labels import TrainingLabels

__all__ = [
    "ALIASES",
    "CONVENTIONS",
    "METRICS",
    "Convention",
    "Evaluation",
    "LabelEvaluation",
    "Metric",
    "TrainingLabels",
    "declare",
    "evaluate",
    "get_metric",
    "score",
]
