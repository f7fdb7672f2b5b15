"""Results in the shape of each paper's tables: few splits, made-up scores without chance."""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.results.scores import CellStatus, CellValue

MACRO_F1 = MetricColumn("macro_f1", "Macro F1")
MICRO_F1 = MetricColumn("micro_f1", "Micro F1")
MACRO_AUC = MetricColumn("macro_auc", "Macro AUC")
MICRO_AUC = MetricColumn("micro_auc", "Micro AUC")
ERROR = MetricColumn("misclassification", "Misclassification", greater_is_better=False)

KE = ("SMTL(l21+F1)", "SMTL(l21+AUC)", "MTL-CLS(l21)", "StructSVM", "RAkEL", "LP")
HAN = ("SVM", "LDA+SVM", "HSML", "MtSDA(I)", "MtSDA(Δ)")
JI = ("MLSVM-L1-T", "MLSVM-L1-F", "CCA+SVM", "SVM")
NAM = ("LSPC", "ML-LSPC", "ML-kNN", "InsDif")

Layout = tuple[list[CellValue], list[CellStatus], ReportSettings]


def _layout(
    datasets: Sequence[str],
    methods: Sequence[str],
    metrics: Sequence[MetricColumn],
    comparisons: Sequence[Comparison],
    n_splits: int = 5,
    ratio: float = 2 / 3,
    percent: bool = True,
    decimals: int = 2,
) -> Layout:
    rows = []
    for d, dataset in enumerate(datasets):
        for m, method in enumerate(methods):
            for k, metric in enumerate(metrics):
                for split in range(n_splits):
                    jitter = (7 * split + 5 * m + 3 * d + k) % 11 / 500
                    value = round(0.55 + 0.06 * k + 0.013 * d - 0.017 * m + jitter, 4)
                    value = value if metric.greater_is_better else round(1 - value, 4)
                    rows.append((dataset, method, split, metric.name, value))
    statuses = [(*cell, "ok") for cell in dict.fromkeys(row[:3] for row in rows)]
    settings = ReportSettings(
        metrics=tuple(metrics),
        n_splits=n_splits,
        methods=tuple(methods),
        datasets=tuple(datasets),
        comparisons=tuple(comparisons),
        test_train_ratio=dict.fromkeys(datasets, ratio),
        percent=percent,
        decimals=decimals,
    )
    return rows, statuses, settings


LAYOUTS: dict[str, Layout] = {
    "ke-2-to-4": _layout(
        ("Emotions", "Flags", "Yeast"),
        KE,
        (MACRO_AUC, MACRO_F1),
        (Comparison(method=KE[0], against=KE[1:], test=("corrected_t", "wilcoxon"), effect=()),),
    ),
    "ke-5-to-8": _layout(
        ("Emotions", "Flags", "Yeast", "Scene"),
        KE,
        (MACRO_F1, MICRO_F1),
        (
            Comparison(
                method=KE[0], against=KE[1:], test=("t", "wilcoxon"), layout="wide", effect=()
            ),
        ),
    ),
    "han-2-to-3": _layout(
        ("Arts", "Business", "Computers", "Education", "Health", "Science"),
        HAN,
        (MICRO_AUC, MICRO_F1),
        (Comparison(method=HAN[4], against=HAN[:4], test=("t",), effect=()),),
        percent=False,
        decimals=4,
    ),
    "ji-1": _layout(
        [f"{name} {share} %" for name in ("Arts", "Scene") for share in (20, 30, 40, 50, 60)],
        JI,
        (MACRO_AUC,),
        (Comparison(method=JI[0], against=JI[1:], test=("corrected_t",), effect=()),),
    ),
    "nam": _layout(
        [f"T = {2**i}" for i in range(1, 6)],
        NAM,
        (ERROR,),
        (Comparison(method=NAM[1], against=(NAM[0],), test=("t",), effect=()),),
    ),
}
