"""All that the fingerprints take from the package: where something moves, only this changes."""

from __future__ import annotations

from mlbench import estimator_adapter, make_method
from mlbench.config.grids import NAMED_GRIDS, combinations, expand
from mlbench.hashing import random_state, seed_from
from mlbench.metrics import ALIASES, TrainingLabels, evaluate, get_metric, score
from mlbench.papers.splitters import Imbalanced, Ratings, Transfer
from mlbench.papers.splitters.imbalanced import draw_imbalanced, folds_of_drawn
from mlbench.plan.identity import PROTOCOL_REVISION
from mlbench.protocol.arrays import Part
from mlbench.protocol.cross_validation import CrossValidation
from mlbench.protocol.preprocess import Preparation, prepare
from mlbench.protocol.splitters import (
    KFold,
    PublishedSplit,
    RandomSplits,
    Splitter,
    tuning_folds,
)
from mlbench.protocol.thresholds import POLICIES, apply_thresholds, choose_thresholds
from mlbench.protocol.tuning import held_out_scores, tune
from mlbench.registry import METHODS

__all__ = [
    "ALIASES",
    "METHODS",
    "NAMED_GRIDS",
    "POLICIES",
    "PROTOCOL_REVISION",
    "CrossValidation",
    "Imbalanced",
    "KFold",
    "Part",
    "Preparation",
    "PublishedSplit",
    "RandomSplits",
    "Ratings",
    "Splitter",
    "TrainingLabels",
    "Transfer",
    "apply_thresholds",
    "choose_thresholds",
    "combinations",
    "draw_imbalanced",
    "estimator_adapter",
    "evaluate",
    "expand",
    "folds_of_drawn",
    "get_metric",
    "held_out_scores",
    "make_method",
    "prepare",
    "random_state",
    "score",
    "seed_from",
    "tune",
    "tuning_folds",
]
