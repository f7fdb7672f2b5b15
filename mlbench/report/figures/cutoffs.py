"""Lines over the cut-off of a metric: top-N accuracy, precision at k, ROC curves."""

import re
from collections.abc import Sequence
from dataclasses import replace

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.report.figures.curve import Curve
from mlbench.report.figures.lines import Lines
from mlbench.report.figures.request import FigureKind, FigureRequest

_CUT = re.compile(r"(?P<start>.+_)(?P<number>\d+)(?P<end>@.+)?")

_ROC = " at N % false positives"
"""Part of a metric's name that the x-axis of a ROC curve shows instead."""


def families(metrics: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return groups of two or more metrics that differ in their cut-off alone, by cut-off."""
    found: dict[str, dict[int, str]] = {}
    for name in metrics:
        if match := _CUT.fullmatch(name):
            family = f"{match['start']}N{match['end'] or ''}"
            found.setdefault(family, {})[int(match["number"])] = name
    return {family: dict(sorted(each.items())) for family, each in found.items() if len(each) > 1}


def _make_plot(request: FigureRequest) -> Lines:
    """Draw the family of the requested metric, by default the first of the experiment."""
    folder, known = request.folder, _families(request)
    chosen = [each for each in known.values() if request.score.name in each.values()]
    if not known or (request.metric is not None and not chosen):
        raise MlbenchError(
            "the experiment shows no metric at two or more cut-offs, such as precision_at_1 and "
            "precision_at_5"
            if not known
            else f"{request.metric} has no other cut-off; metrics with several: {', '.join(known)}"
        )
    family = (chosen or list(known.values()))[0]
    results = folder.scores_of(list(family.values()))
    quantities = {cutoff: request.quantity_of(name) for cutoff, name in family.items()}
    first = quantities[min(family)]
    first.check(results)
    panels = []
    for dataset in request.datasets:
        curves = []
        for number, method in enumerate(request.methods):
            found = {n: each.of(results, dataset, method) for n, each in quantities.items()}
            points = {n: point for n, point in found.items() if point is not None}
            if points:
                curves.append(Curve(method, tuple(points), tuple(points.values()), number))
        if curves:
            panels.append((dataset, tuple(curves)))
    label = re.sub(rf"\b{min(family)}\b", "N", first.label)
    is_roc = _ROC in label
    return Lines(
        request.title,
        "N",
        "false positive rate (%)" if is_roc else "N",
        replace(first, label=label.replace(_ROC, "")),
        logarithmic=False,
        panels=tuple(panels),
        is_linear=is_roc,
    )


def _families(request: FigureRequest) -> dict[str, dict[int, str]]:
    names = request.folder.plan.experiment.metrics
    return families([get_metric(name).name for name in names])


KIND = FigureKind(
    _make_plot, uses=("metric", "spread"), on_page=lambda request: bool(_families(request))
)
