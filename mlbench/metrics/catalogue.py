"""The metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from types import MappingProxyType
from typing import Literal

from mlbench.errors import MlbenchError
from mlbench.metrics import label_metrics, score_metrics
from mlbench.metrics.conventions import CONVENTIONS, SKIP
from mlbench.metrics.metric import FRACTION, Compute, Metric, Needs
from mlbench.spelling import did_you_mean


def _metric(
    compute: Compute,
    title: str,
    needs: Needs,
    *conventions: str,
    better: Literal["greater", "less"] = "greater",
    range: tuple[float, float] = FRACTION,
) -> Metric:
    return Metric(
        name=compute.__name__,
        title=title,
        greater_is_better=better == "greater",
        needs=needs,
        description=(compute.__doc__ or "").strip(),
        compute=compute,
        conventions=conventions,
        range=range,
    )


_RATIO = ("sklearn", "meka", "mulan", "paper")

_ALL = (
    _metric(label_metrics.macro_f1, "Macro F1", "labels", *_RATIO),
    _metric(label_metrics.micro_f1, "Micro F1", "labels", *_RATIO),
    _metric(label_metrics.example_f1, "Example F1", "labels", *_RATIO),
    _metric(label_metrics.macro_precision, "Macro precision", "labels", *_RATIO),
    _metric(label_metrics.macro_recall, "Macro recall", "labels", *_RATIO),
    _metric(label_metrics.micro_precision, "Micro precision", "labels", *_RATIO),
    _metric(label_metrics.micro_recall, "Micro recall", "labels", *_RATIO),
    _metric(label_metrics.hamming_loss, "Hamming loss", "labels", better="less"),
    _metric(label_metrics.subset_accuracy, "Subset accuracy", "labels"),
    _metric(score_metrics.macro_auc, "Macro AUC", "scores", "sklearn", "mulan", "paper"),
    _metric(score_metrics.micro_auc, "Micro AUC", "scores"),
    _metric(score_metrics.auc_tie_share, "AUC tie share", "scores", better="less"),
    _metric(
        score_metrics.macro_average_precision,
        "Macro average precision",
        "scores",
        "sklearn",
        "paper",
    ),
    _metric(score_metrics.top_10, "Top-10 accuracy", "scores", "all"),
    _metric(score_metrics.top_20, "Top-20 accuracy", "scores", "all"),
    _metric(score_metrics.top_50, "Top-50 accuracy", "scores", "all"),
    _metric(score_metrics.one_error, "One-error", "scores", "paper", better="less"),
    _metric(
        score_metrics.coverage,
        "Coverage",
        "scores",
        "sklearn",
        "paper",
        better="less",
        range=(0.0, inf),
    ),
    _metric(
        score_metrics.ranking_loss, "Ranking loss", "scores", "sklearn", "paper", better="less"
    ),
    _metric(score_metrics.average_precision, "Average precision", "scores", "sklearn", "paper"),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _ALL})

ALIASES: Mapping[str, str] = MappingProxyType(
    {"misclassification": "hamming_loss", "lrap": "average_precision"}
)
"""Other names people use; each means the metric it points to, and results carry that name."""


_OWN: dict[str, Metric] = {}


def declare(metric: Metric) -> None:
    """Make a user's own metric known to this process by its name."""
    _OWN[metric.name] = metric


def get_metric(name: str) -> Metric:
    """Return a metric by name, alias, or name with a convention.

    Parameters
    ----------
    name : str
        ``macro_f1``, ``misclassification`` (an alias of ``hamming_loss``), ``macro_f1@mulan``,
        or a user's own metric that was declared before.

    Raises
    ------
    mlbench.errors.MlbenchError
        When there is no such metric, or it does not depend on that convention.
    """
    base, at, suffix = name.partition("@")
    metric = METRICS.get(ALIASES.get(base, base))
    if metric is None and name in _OWN:
        return _OWN[name]
    if metric is None:
        hint = did_you_mean(base, [*METRICS, *ALIASES])
        raise MlbenchError(f"there is no metric {base!r}{hint}; known: {', '.join(METRICS)}")
    if not at or suffix == SKIP.name:
        return metric
    if suffix not in metric.conventions:
        if not metric.conventions:
            raise MlbenchError(f"{metric.name} has no conventions: write {metric.name!r} alone")
        hint = did_you_mean(suffix, metric.conventions)
        raise MlbenchError(
            f"metric {name!r}: {metric.name} knows no convention {suffix!r}{hint}; "
            f"known: {', '.join((SKIP.name, *metric.conventions))}"
        )
    return metric.under(CONVENTIONS[suffix])


EVERY_METRIC: tuple[Metric, ...] = tuple(
    reading
    for metric in _ALL
    for reading in (metric, *(metric.under(CONVENTIONS[name]) for name in metric.conventions))
)
"""Every metric under every convention that matters to it, in the order of the tables."""
