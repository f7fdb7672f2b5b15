"""Metrics of multi-label and multi-task predictions, vectorized over labels.

`evaluate` computes all metrics for one test split, and `score` a single one. `METRICS` lists
them, and `get_metric` finds one by name. The value of 0/0 is a matter of convention. A metric's
name states it after an ``@``; see `mlbench.metrics.conventions`.
"""

from mlbench.metrics.catalogue import ALIASES, METRIC_SETS, METRICS, declare, get_metric
from mlbench.metrics.conventions import CONVENTIONS, Convention
from mlbench.metrics.evaluation import Evaluation, LabelEvaluation, evaluate, score
from mlbench.metrics.metric import Metric
from mlbench.metrics.training_labels import TrainingLabels

__all__ = [
    "ALIASES",
    "CONVENTIONS",
    "METRICS",
    "METRIC_SETS",
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
