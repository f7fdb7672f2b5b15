"""The metrics by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from mlbench.errors import MlbenchError
from mlbench.metrics import of_labels, of_scores
from mlbench.metrics.conventions import CONVENTIONS, SKIP, Convention
from mlbench.metrics.outcome import Outcome
from mlbench.spelling import did_you_mean

Compute = Callable[[Outcome, Convention], float]


@dataclass(frozen=True)
class Metric:
    """A metric under one convention.

    Attributes
    ----------
    name : str
        Key in results and configs: ``macro_f1``, or ``macro_f1@mulan`` under another convention.
    title : str
        Heading of a table column.
    greater_is_better : bool
        Direction.
    uses : {"scores", "labels"}
        What the metric looks at.
    description : str
        The definition in a sentence.
    is_fraction : bool
        Whether the value lies in [0, 1] and may be printed in percent.
    conventions : tuple of str
        The other conventions that this metric may be read under (``@...``).
    convention : Convention
        The one it is read under.
    """

    name: str
    title: str
    greater_is_better: bool
    uses: Literal["scores", "labels"]
    description: str
    compute: Compute = field(repr=False)
    conventions: tuple[str, ...] = ()
    convention: Convention = SKIP
    is_fraction: bool = True

    def __call__(self, outcome: Outcome) -> float:
        """Return the value for an outcome, nan where undefined."""
        return self.compute(outcome, self.convention)

    def under(self, convention: Convention) -> Metric:
        """Return this metric under another convention."""
        return replace(
            self,
            name=f"{self.name}@{convention.name}",
            title=f"{self.title} ({convention.title})",
            convention=convention,
        )


def _metric(
    compute: Compute,
    title: str,
    uses: Literal["scores", "labels"],
    *conventions: str,
    better: Literal["greater", "less"] = "greater",
    is_fraction: bool = True,
) -> Metric:
    return Metric(
        name=compute.__name__,
        title=title,
        greater_is_better=better == "greater",
        uses=uses,
        description=(compute.__doc__ or "").strip(),
        compute=compute,
        conventions=conventions,
        is_fraction=is_fraction,
    )


_RATIO = ("sklearn", "meka", "mulan", "paper")

_ALL = (
    _metric(of_labels.macro_f1, "Macro F1", "labels", *_RATIO),
    _metric(of_labels.micro_f1, "Micro F1", "labels", *_RATIO),
    _metric(of_labels.example_f1, "Example F1", "labels", *_RATIO),
    _metric(of_labels.macro_precision, "Macro precision", "labels", *_RATIO),
    _metric(of_labels.macro_recall, "Macro recall", "labels", *_RATIO),
    _metric(of_labels.micro_precision, "Micro precision", "labels", *_RATIO),
    _metric(of_labels.micro_recall, "Micro recall", "labels", *_RATIO),
    _metric(of_labels.hamming_loss, "Hamming loss", "labels", better="less"),
    _metric(of_labels.subset_accuracy, "Subset accuracy", "labels"),
    _metric(of_scores.macro_auc, "Macro AUC", "scores", "sklearn", "mulan", "paper"),
    _metric(of_scores.micro_auc, "Micro AUC", "scores"),
    _metric(of_scores.auc_tie_share, "AUC tie share", "scores", better="less"),
    _metric(
        of_scores.macro_average_precision, "Macro average precision", "scores", "sklearn", "paper"
    ),
    _metric(of_scores.top_10, "Top-10 accuracy", "scores", "all"),
    _metric(of_scores.top_20, "Top-20 accuracy", "scores", "all"),
    _metric(of_scores.top_50, "Top-50 accuracy", "scores", "all"),
    _metric(of_scores.one_error, "One-error", "scores", "paper", better="less"),
    _metric(
        of_scores.coverage,
        "Coverage",
        "scores",
        "sklearn",
        "paper",
        better="less",
        is_fraction=False,
    ),
    _metric(of_scores.ranking_loss, "Ranking loss", "scores", "sklearn", "paper", better="less"),
    _metric(of_scores.average_precision, "Average precision", "scores", "sklearn", "paper"),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _ALL})

ALIASES: Mapping[str, str] = MappingProxyType(
    {"misclassification": "hamming_loss", "lrap": "average_precision"}
)
"""Other names people use; each means the metric it points to, and results carry that name."""


def get_metric(name: str) -> Metric:
    """Return a metric by name, alias, or name with a convention.

    Parameters
    ----------
    name : str
        ``macro_f1``, ``misclassification`` (an alias of ``hamming_loss``), ``macro_f1@mulan``.

    Raises
    ------
    mlbench.errors.MlbenchError
        When there is no such metric, or it does not depend on that convention.
    """
    base, at, suffix = name.partition("@")
    metric = METRICS.get(ALIASES.get(base, base))
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
