"""The choices that experiment files, the command line, reports and figures have in common.

Each list stands here once, as a type and as a tuple of its values in the order of help texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

Test = Literal["corrected_t", "t", "two_sample_t", "wilcoxon", "wilcoxon_normal", "jackknife_t"]
EffectSize = Literal["difference", "rope", "cohen_d", "a12", "cliffs_delta"]
Correction = Literal["holm", "none"]
OverDatasets = Literal["friedman", "win_tie_loss", "bayesian_signed_rank", "bayesian_sign"]
AllPairs = Literal["nemenyi", "shaffer", "bergmann_hommel"]
Stratify = Literal["labels", "label_pairs", "labelsets", "every_label"]
Unit = Literal["percent", "fraction"]
F1Threshold = Literal["train_f1_global", "train_f1_label", "cv_f1_label"]
Threshold = Literal["default", F1Threshold]
PreprocessingStep = Literal[
    "impute", "standardize", "minmax", "tfidf", "tfidf-smooth", "unit-norm", "dense"
]
Input = Literal["features", "frame"]
FRAME = "frame"
"""What stands in the place of preprocessing where a method gets a data frame."""
FigureSpread = Literal["interval", "std"]
FigureWidth = Literal["column", "page"]
TimedStep = Literal["tune", "fit", "predict", "total", "cpu"]
TableFormat = Literal["text", "markdown", "latex", "csv"]

TESTS: tuple[Test, ...] = get_args(Test)
TESTS_OF_SCORES = tuple(test for test in TESTS if test != "jackknife_t")
"""The tests that need no predictions."""
EFFECT_SIZES: tuple[EffectSize, ...] = get_args(EffectSize)
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
ALL_PAIRS: tuple[AllPairs, ...] = get_args(AllPairs)
OVER_DATASETS: tuple[OverDatasets, ...] = get_args(OverDatasets)
STRATIFIES: tuple[Stratify, ...] = get_args(Stratify)
UNITS: tuple[Unit, ...] = get_args(Unit)
THRESHOLDS: tuple[Threshold, ...] = get_args(Threshold)
PREPROCESSING_STEPS: tuple[PreprocessingStep, ...] = get_args(PreprocessingStep)
FIGURE_SPREADS: tuple[FigureSpread, ...] = get_args(FigureSpread)
FIGURE_WIDTHS: tuple[FigureWidth, ...] = get_args(FigureWidth)
TIMED_STEPS: tuple[TimedStep, ...] = get_args(TimedStep)
TABLE_FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)


LONG = "long"
"""The layout of comparisons with a table per metric; plug-ins have others."""


def is_published_file(published: str) -> bool:
    """Tell whether `published` names a CSV file of printed values rather than a paper."""
    return published.lower().endswith(".csv")


PUBLISHED_FILE = "published.csv"
"""The copy of a paper's printed values in a results folder, whatever its experiment calls it."""


def published_path(published: str, folder: Path) -> Path:
    """Return where the file of an experiment in a folder is: under its name, or the copy."""
    path, copy = folder / published, folder / PUBLISHED_FILE
    return copy if copy.is_file() and not path.is_file() else path


MIN_POSITIVES, MIN_F1 = 5, 0.3
"""What a label and its F1 must reach to have a threshold of its own under ``cv_f1_label``."""

FIGURE_KINDS: dict[str, str] = {
    "differences": "how much one method (--option method=NAME) differs from each of the others, "
    "with corrected 95 % intervals",
    "lines": "scores or times against a number in which data sets differ, such as "
    "{use: nam-toy, tasks: 8}, or methods, such as {use: mtsda_eq, rho: 0.2}",
    "bars": "scores or times by data set, as bars or dots",
    "tuning": "cross-validation scores of all candidates, for one data set",
    "pareto": "score against time, with the Pareto front; with --option over=datasets, mean rank "
    "against mean time over all data sets",
    "heat-map": "scores of all methods on all data sets, by how far they are behind the best",
    "critical-difference": "mean ranks over data sets, and groups that do not differ significantly",
    "cutoffs": "metrics at several cut-offs, such as precision_at_1 and precision_at_5, against "
    "the cut-off; tpr_at_fpr_1, tpr_at_fpr_10, and so on give a ROC curve",
    "gap": "objective of a fit and bound on its optimum, by iteration, for one data set",
    "calibration": "share of positives by predicted probability, in bins (--option bins=10), of "
    "all labels or one (--option label=NAME); needs kept predictions",
    "threshold": "F1 over the cut of the scores, for one data set, of all labels or one (--option "
    "label=NAME), and the cuts that were chosen; needs kept predictions",
    "co-occurrence": "which labels come together in one data set, or errors of a method (--option "
    "of=errors --option method=NAME); needs kept predictions",
}
"""What each kind of figure shows; its module in mlbench/report/figures/ has its name."""

EXPORT_COLUMNS = {
    "scores": "metric",
    "params": "param",
    "seconds": "step",
    "counts": "count",
    "fit": "entry",
}
"""What `export` lists, and the heading of the column that names it."""
