"""Reliability diagrams: how often labels are positive, by their predicted probability."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.number_text import counted, listed
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import GREY, method_style
from mlbench.results.kept import UNKNOWN, Judged, judged_predictions, whose_models
from mlbench.solvers.arrays import Floats, Ints
from mlbench.spelling import check_name

MOST_BINS = 100
METRIC = "expected_calibration_error"
"""Whose models are drawn, where several metrics tuned models."""


@dataclass(frozen=True)
class Reliability:
    """The bins of a method that hold predictions."""

    method: str
    number: int
    """Of the method in the experiment, for its style."""
    predicted: tuple[float, ...]
    """The mean probability in each bin."""
    observed: tuple[float, ...]
    """The share of positives."""
    counts: tuple[int, ...]

    @property
    def error(self) -> float:
        """Mean distance of the two, weighted by predictions; of all labels and splits together."""
        gaps = np.abs(np.subtract(self.predicted, self.observed))
        return float(np.average(gaps, weights=self.counts))


@dataclass(frozen=True)
class Calibration(Plot):
    """A panel for each data set and a line for each method."""

    caption_format = "how often {what} positive, by predicted probability"

    what: str
    n_bins: int
    n_splits: int
    panels: tuple[tuple[str, tuple[Reliability, ...]], ...]
    without: tuple[str, ...]
    """Methods whose scores are no probabilities."""
    whose: str
    """Which models made the predictions, in words."""

    @property
    def note(self) -> str:
        """What the marks mean."""
        left_out = f" No probabilities: {listed(list(self.without))}." if self.without else ""
        brackets = " In brackets: mean distance from that." if len(self.panels) == 1 else ""
        return (
            f"Predictions of all test parts of {counted(self.n_splits, 'split')} in {self.n_bins} "
            f"bins of equal width. Dashed: probabilities are right.{brackets}{left_out}"
            f" {self.whose}".rstrip()
        )

    def lines(self) -> list[str]:
        """Return the bins, one per line."""
        return [
            f"{dataset}\t{each.method}\t{predicted:.4f}\t{observed:.4f}\t{count} predictions"
            for dataset, methods in self.panels
            for each in methods
            for predicted, observed, count in zip(
                each.predicted, each.observed, each.counts, strict=True
            )
        ] + [
            f"{dataset}\t{each.method}\tmean distance\t{each.error:.4f}"
            for dataset, methods in self.panels
            for each in methods
        ]

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw the lines over the diagonal."""
        for axes, (dataset, methods) in zip(panels, self.panels, strict=True):
            axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.7, linestyle=(0, (4, 3)))
            single = len(self.panels) == 1
            for each in methods:
                label = f"{each.method} ({each.error:.3f})" if single else each.method
                style = method_style(each.number).line
                axes.plot(each.predicted, each.observed, label=label, clip_on=False, **style)
            axes.set(xlim=(0, 1), ylim=(0, 1), title=dataset)
            axes.set(xlabel="predicted probability", ylabel="share of positives")


def reliability(
    method: str, number: int, probabilities: Floats, truth: Ints, n_bins: int
) -> Reliability:
    """Return the bins of equal width that hold predictions; an edge belongs to the bin above.

    As in the expected calibration error; 1 is in the last bin.
    """
    bins = np.minimum((probabilities * n_bins).astype(np.intp), n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    held = counts > 0
    predicted = np.bincount(bins, probabilities, n_bins)[held] / counts[held]
    observed = np.bincount(bins, truth, n_bins)[held] / counts[held]
    return Reliability(
        method,
        number,
        tuple(predicted.tolist()),
        tuple(observed.tolist()),
        tuple(counts[held].tolist()),
    )


def _make_plot(request: FigureRequest, *, bins: int = 10, label: str = "") -> Calibration:
    """Draw all labels together, or one of them."""
    if not isinstance(bins, int) or not 2 <= bins <= MOST_BINS:
        raise MlbenchError(f"bins={bins}: give a whole number from 2 to {MOST_BINS}")
    panels, known, n_splits = [], set(), 0
    every: list[Judged] = []
    for dataset in request.datasets:
        judged = judged_predictions(
            request.folder,
            dataset,
            request.methods,
            METRIC,
            needs_all_scores=True,
        )
        every += judged
        if label:
            names = {name: None for each in judged for name in each.kept.names.values()}
            check_name("label", str(label), names, f"data set {dataset}")
        found = []
        for number, method in enumerate(request.folder.plan.methods):
            pairs = [_pairs(each, str(label)) for each in judged if each.method == method]
            n_splits = max(n_splits, len(pairs))
            if pairs and all(len(pair) for pair in pairs):
                probabilities, truth = (np.concatenate(each) for each in zip(*pairs, strict=True))
                found.append(reliability(method, number, probabilities, truth, bins))
                known.add(method)
        if found:
            panels.append((dataset, tuple(found)))
    if not panels:
        raise MlbenchError(
            "no method has probabilities: scores between 0 and 1, or `predict_proba`"
        )
    return Calibration(
        request.title,
        f"{label} is" if label else "labels are",
        bins,
        n_splits,
        tuple(panels),
        tuple(name for name in request.methods if name not in known),
        whose_models(every, METRIC),
    )


def _pairs(judged: Judged, label: str) -> tuple[Floats, Ints] | tuple[()]:
    """Return the probabilities and the truth of a cell, of one label or all, if it has any."""
    likely, truth = judged.kept.likely, judged.truth
    if likely is None:
        return ()
    kept = truth != UNKNOWN
    if label:
        names = judged.kept.names
        kept &= np.isin(judged.kept.labels, [n for n, name in names.items() if name == label])
    return likely[kept], truth[kept]


KIND = FigureKind(_make_plot)
