"""The metrics by name."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from mlbench.errors import MlbenchError
from mlbench.metrics import label_metrics, score_metrics
from mlbench.metrics.conventions import CONVENTIONS, SKIP, Convention
from mlbench.metrics.metric import FRACTION, Compute, Metric, Needs
from mlbench.metrics.outcome import Outcome
from mlbench.spelling import did_you_mean


def _metric(
    compute: Compute,
    title: str,
    needs: Needs,
    *conventions: str,
    better: Literal["greater", "less"] = "greater",
    range: tuple[float, float] = FRACTION,
    is_quality: bool = True,
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
        is_quality=is_quality,
    )


class _ComputeAt(Protocol):
    __name__: str

    def __call__(self, k: int, outcome: Outcome, convention: Convention) -> float: ...


class _Family(NamedTuple):
    """Metrics that differ in a number k."""

    compute: _ComputeAt
    title: str
    """The title, with ``{k}`` in place of the number."""
    conventions: tuple[str, ...] = ()
    uses_training: bool = False
    largest: float = inf
    """The largest k."""
    of_samples: bool = True
    """Whether k is a number of labels, the best ones of each sample."""

    def at(self, k: int) -> Metric:
        name = f"{self.compute.__name__}_{k}"
        if k > self.largest:
            raise MlbenchError(f"{name}: expected a number of at most {self.largest:g}, got {k}")
        return Metric(
            name=name,
            title=self.title.format(k=k),
            greater_is_better=True,
            needs="scores",
            description=(self.compute.__doc__ or "").strip(),
            compute=partial(self.compute, k),
            conventions=self.conventions,
            uses_training=self.uses_training,
            depth=k if self.of_samples else None,
        )


_FAMILIES = {
    family.compute.__name__: family
    for family in (
        _Family(score_metrics.precision_at, "Precision at {k}"),
        _Family(score_metrics.ndcg_at, "nDCG at {k}", ("sklearn", "paper")),
        _Family(score_metrics.psp_at, "PSP at {k}", uses_training=True),
        _Family(score_metrics.psndcg_at, "PSnDCG at {k}", uses_training=True),
        _Family(score_metrics.label_coverage_at, "Labels covered at {k}"),
        _Family(
            score_metrics.rare_label_coverage_at,
            "Rare labels covered at {k}",
            uses_training=True,
        ),
        _Family(score_metrics.top, "Top-{k} accuracy", ("all",), of_samples=False),
        _Family(
            score_metrics.tpr_at_fpr,
            "True positive rate at {k} % false positives",
            largest=100,
            of_samples=False,
        ),
    )
}
_AT_K = re.compile(rf"({'|'.join(_FAMILIES)})_([1-9][0-9]*)")

_RATIO = ("sklearn", "meka", "mulan", "paper")

_ALL = (
    _metric(label_metrics.macro_f1, "Macro F1", "labels", *_RATIO, "share", "constant"),
    _metric(label_metrics.micro_f1, "Micro F1", "labels", *_RATIO, "share", "constant"),
    _metric(label_metrics.example_f1, "Example F1", "labels", *_RATIO, "share"),
    _metric(label_metrics.macro_jaccard, "Macro Jaccard", "labels", "sklearn", "paper"),
    _metric(label_metrics.micro_jaccard, "Micro Jaccard", "labels", "sklearn", "paper"),
    _metric(label_metrics.example_jaccard, "Example Jaccard", "labels", *_RATIO),
    _metric(label_metrics.macro_precision, "Macro precision", "labels", *_RATIO),
    _metric(label_metrics.macro_recall, "Macro recall", "labels", *_RATIO),
    _metric(label_metrics.micro_precision, "Micro precision", "labels", *_RATIO),
    _metric(label_metrics.micro_recall, "Micro recall", "labels", *_RATIO),
    _metric(
        label_metrics.example_precision, "Example precision", "labels", "sklearn", "mulan", "paper"
    ),
    _metric(label_metrics.example_recall, "Example recall", "labels", "sklearn", "mulan", "paper"),
    _metric(label_metrics.balanced_accuracy, "Balanced accuracy", "labels", "sklearn", "paper"),
    _metric(label_metrics.hamming_loss, "Hamming loss", "labels", better="less"),
    _metric(label_metrics.subset_accuracy, "Subset accuracy", "labels"),
    _metric(label_metrics.cut_ratio, "Cut ratio", "labels", range=(0.0, inf), is_quality=False),
    _metric(score_metrics.macro_auc, "Macro AUC", "scores", "sklearn", "mulan", "paper"),
    _metric(score_metrics.micro_auc, "Micro AUC", "scores"),
    _metric(
        score_metrics.auc_tie_share, "AUC tie share", "scores", better="less", is_quality=False
    ),
    _metric(
        score_metrics.macro_average_precision,
        "Macro average precision",
        "scores",
        "sklearn",
        "paper",
    ),
    _metric(score_metrics.micro_average_precision, "Micro average precision", "scores"),
    *(_FAMILIES["top"].at(k) for k in (10, 20, 50)),
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
    *(
        _FAMILIES[name].at(k)
        for name in ("precision_at", "ndcg_at", "psp_at", "psndcg_at")
        for k in (1, 3, 5)
    ),
    _metric(score_metrics.log_loss, "Log loss", "probabilities", better="less", range=(0.0, inf)),
    _metric(score_metrics.brier_score, "Brier score", "probabilities", better="less"),
    _metric(
        score_metrics.expected_calibration_error,
        "Expected calibration error",
        "probabilities",
        better="less",
    ),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _ALL})

ALIASES: Mapping[str, str] = MappingProxyType(
    {"misclassification": "hamming_loss", "lrap": "average_precision"}
)
"""Other common names of metrics. Results use the name on the right."""

METRIC_SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "extreme": (
            *(f"precision_at_{k}" for k in (1, 3, 5)),
            *(f"ndcg_at_{k}" for k in (3, 5)),
            *(f"psp_at_{k}" for k in (1, 3, 5)),
            *(f"psndcg_at_{k}" for k in (3, 5)),
            "macro_f1",
            "micro_f1",
            "rare_label_coverage_at_5",
        )
    }
)
"""Words for several metrics. `extreme`: what is reported of data with thousands of labels."""

_USER_METRICS: dict[str, Metric] = {}


def declare(metric: Metric) -> None:
    """Let `get_metric` find a user's metric in this process."""
    _USER_METRICS[metric.name] = metric


def get_metric(name: str) -> Metric:
    """Return a metric by name, alias, or name with a convention.

    Parameters
    ----------
    name : str
        ``macro_f1``, ``misclassification`` (an alias of ``hamming_loss``), ``macro_f1@mulan``,
        ``precision_at_7`` (any number), or the name of a user's metric that has been declared.

    Raises
    ------
    mlbench.errors.MlbenchError
        If there is no such metric, or it does not depend on that convention.
    """
    base, at, suffix = name.partition("@")
    metric = METRICS.get(ALIASES.get(base, base))
    if metric is None and (named := _AT_K.fullmatch(base)):
        metric = _FAMILIES[named[1]].at(int(named[2]))
    if metric is None and name in _USER_METRICS:
        return _USER_METRICS[name]
    if metric is None:
        raise MlbenchError(f"there is no metric {base!r}{_meant(base)}")
    if not at or suffix == SKIP.name:
        return metric
    if suffix not in metric.conventions:
        if not metric.conventions:
            raise MlbenchError(f"{metric.name} has no conventions: write {metric.name!r} alone")
        hint = did_you_mean(suffix, metric.conventions)
        raise MlbenchError(
            f"metric {name!r}: {metric.name} has no convention {suffix!r}{hint}; "
            f"known: {', '.join((SKIP.name, *metric.conventions))}"
        )
    return metric.under(CONVENTIONS[suffix])


def _meant(name: str) -> str:
    """Return the few metrics that have the words of an unknown one, or the nearest, or else all."""
    words = {*name.lower().split("_")}
    alike = [
        repr(each.name)
        for each in METRICS.values()
        if each.is_quality and words <= {*each.name.split("_")}
    ]
    if 0 < len(alike) <= 4:
        return f" (did you mean {' or '.join(alike)}?)"
    return did_you_mean(name, [*METRICS, *ALIASES]) or f"; known: {', '.join(METRICS)}"


def without_sets(names: Sequence[str]) -> list[str]:
    """Put in the place of a word for several metrics those that are not named besides."""
    stated = {name for name in names if name not in METRIC_SETS}
    expanded: list[str] = []
    for name in names:
        named = METRIC_SETS.get(name)
        expanded += [name] if named is None else [one for one in named if one not in stated]
    return expanded


def is_in_every_row(name: str) -> bool:
    """Tell whether every cell computes a metric, by its name in results."""
    return name.partition("@")[0] in METRICS


EVERY_METRIC: tuple[Metric, ...] = tuple(
    variant
    for metric in _ALL
    for variant in (metric, *(metric.under(CONVENTIONS[name]) for name in metric.conventions))
)
"""Every metric under every convention that it depends on, in the order of the tables."""
