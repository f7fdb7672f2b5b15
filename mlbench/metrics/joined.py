"""One evaluation from several: each metric from the predictions that it is meant to judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlbench.metrics.evaluation import Evaluation

F1_LIKE = tuple(
    f"{average}_{ratio}"
    for average in ("macro", "micro", "example")
    for ratio in ("f1", "jaccard", "precision", "recall")
)
"""The metrics of labels that do not count true negatives."""

_EXPLAINS = {
    "auc_tie_share": "macro_auc",
    "cut_ratio": "macro_f1",
    "labels_never_predicted": "macro_f1",
    "labels_ranked_by_rounding": "macro_auc",
    "labels_skipped_f1": "macro_f1",
    "labels_skipped_precision": "macro_precision",
    "samples_skipped_f1": "example_f1",
}
"""What depends on predictions and judges none, and the metric that it explains."""


def joined_models(models: Mapping[str, Evaluation]) -> Evaluation:
    """Return an evaluation in which each metric is that of the model tuned by it.

    Parameters
    ----------
    models : mapping of str to Evaluation
        By the metric that the model was tuned by. Each gives its metric, under all conventions
        but those by which another was tuned. The first gives all that was not tuned by.

    Returns
    -------
    Evaluation
        Counts of predicted labels, and the share of ties, are those of the models of the metrics
        that they explain. The scores of single labels are those of the models of macro F1, macro
        AUC, and macro average precision.
    """

    def of(name: str) -> Evaluation:
        return models[model_of(name, [*models])]

    first = next(iter(models.values()))
    return Evaluation(
        values={name: of(name).values[name] for name in first.values},
        counts={name: of(name).counts[name] for name in first.counts},
        by_label=replace(
            of("macro_f1").by_label,
            auc=of("macro_auc").by_label.auc,
            average_precision=of("macro_average_precision").by_label.average_precision,
        ),
    )


def model_of(name: str, tuned_by: Sequence[str]) -> str:
    """Return the metric by which the model was tuned that gives a metric, or a count.

    Parameters
    ----------
    name : str
    tuned_by : sequence of str
        The metrics by which models were tuned.
    """
    explained = _EXPLAINS.get(name, name)
    return next((each for each in (explained, _base(explained)) if each in tuned_by), tuned_by[0])


def joined_labels(plain: Evaluation, best_for_f1: Evaluation) -> Evaluation:
    """Return an evaluation in which F1 and its kind are those of labels that suit them.

    Parameters
    ----------
    plain : Evaluation
        Of a method's own labels.
    best_for_f1 : Evaluation
        Of the labels that thresholds for F1 give, on the same scores. Counts of predicted
        labels and the scores of single labels are theirs.
    """
    values = {
        name: (best_for_f1.values if is_of_f1(name) else plain.values)[name]
        for name in plain.values
    }
    return replace(best_for_f1, values=values)


def is_of_f1(metric: str) -> bool:
    """Tell whether a metric judges, or describes, the labels that thresholds for F1 give."""
    return _base(_EXPLAINS.get(metric, metric)) in F1_LIKE


def _base(metric: str) -> str:
    return metric.partition("@")[0]
