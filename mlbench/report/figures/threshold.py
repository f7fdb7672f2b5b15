"""F1 over the cut of the scores: a panel for each method, with the cuts that were chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.number_text import counted
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import COLORS, GREY
from mlbench.results.kept import UNKNOWN, Judged, judged_predictions
from mlbench.solvers.arrays import Floats
from mlbench.spelling import check_name

N_CUTS = 201
"""Cuts that are drawn: quantiles of the scores."""
N_LINES = 20
"""About how many of them a printed curve has; JSON has all."""


@dataclass(frozen=True)
class Cuts:
    """F1 of a method over the cut, split by split."""

    method: str
    cuts: tuple[float, ...]
    curves: tuple[tuple[float, ...], ...]
    """One for each split; NaN where F1 is undefined."""
    chosen: tuple[tuple[float, float], ...]
    """The cut of each split and its F1, where one cut is for all that is drawn."""
    reached: float
    """The mean F1 of the predictions themselves."""

    @property
    def mean(self) -> Floats:
        """The mean over the splits."""
        return np.asarray(np.mean(self.curves, axis=0))


@dataclass(frozen=True)
class ThresholdCurves(Plot):
    """The methods on one data set, a panel for each."""

    caption_format = "{what} on {dataset}, over the cut"

    dataset: str
    what: str
    panels: tuple[Cuts, ...]

    @property
    def note(self) -> str:
        """What the marks mean."""
        number = max(len(each.curves) for each in self.panels)
        dots = " Dots: the cuts that were chosen." if any(e.chosen for e in self.panels) else ""
        return (
            f"A score above the cut is a positive. Thin: test parts of {counted(number, 'split')}; "
            f"thick: their mean; at most {N_CUTS} cuts, quantiles of all scores. Dashed: mean of "
            f"the predictions themselves.{dots}"
        )

    def lines(self) -> list[str]:
        """Return what is reached, the chosen cuts, the best drawn one, and every tenth of these."""
        found = []
        for each in self.panels:
            start = f"{self.dataset}\t{each.method}"
            found.append(f"{start}\treached\t{each.reached:.4f}")
            found += [f"{start}\tchosen {cut:.5g}\t{f1:.4f}" for cut, f1 in each.chosen]
            curve = [*zip(each.cuts, each.mean.tolist(), strict=True)]
            known = [(cut, f1) for cut, f1 in curve if not np.isnan(f1)]
            if known:
                cut, f1 = max(known, key=lambda point: point[1])
                found.append(f"{start}\tbest drawn {cut:.5g}\t{f1:.4f}")
            found += [
                f"{start}\tcut {cut:.5g}\t{'undefined' if np.isnan(f1) else f'{f1:.4f}'}"
                for cut, f1 in curve[:: N_CUTS // N_LINES]
            ]
        return found

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw the curves."""
        for axes, each in zip(panels, self.panels, strict=True):
            if len(each.curves) > 1:
                for curve in each.curves:
                    axes.step(each.cuts, curve, where="post", color=GREY, linewidth=0.5, alpha=0.6)
            axes.step(each.cuts, each.mean, where="post", color=COLORS[0], linewidth=1.6, zorder=3)
            axes.axhline(each.reached, color=COLORS[2], linewidth=0.9, linestyle=(0, (4, 3)))
            for cut, f1 in each.chosen:
                axes.plot(cut, f1, "o", color=COLORS[1], markersize=3.2, zorder=4, alpha=0.8)
            axes.set(title=each.method, xlabel="cut", ylabel=self.what)


@dataclass(frozen=True, eq=False)
class Entries:
    """What one label has in a test part."""

    scores: Floats
    positive: Floats
    """Scores of the positives, ascending."""
    predicted: tuple[int, int]
    """How many true positives, and how many positives the predictions have."""
    threshold: float | None

    def f1(self, cuts: Floats) -> Floats:
        """Return F1 at some cuts; NaN where there is neither a positive nor a predicted one."""
        n_true = self.positive.size - np.searchsorted(self.positive, cuts, side="right")
        n_predicted = self.scores.size - np.searchsorted(self.scores, cuts, side="right")
        return _f1(n_true, n_predicted, self.positive.size)

    @property
    def reached(self) -> float:
        """F1 of the predictions themselves."""
        n_true, n_predicted = map(np.asarray, self.predicted)
        return float(_f1(n_true, n_predicted, self.positive.size))


def _f1(n_true: np.ndarray, n_predicted: np.ndarray, n_positive: int) -> Floats:
    total = n_predicted + n_positive
    return np.where(total > 0, 2 * n_true / np.maximum(total, 1), np.nan)


def _entries(judged: Judged, label: str) -> list[Entries]:
    """Return the labels of a test part, or the one with a name."""
    kept, truth = judged.kept, judged.truth
    numbers = np.unique(kept.labels)
    thresholds = judged.row.thresholds
    found = []
    for place, number in enumerate(numbers.tolist()):
        if label and kept.names.get(number) != label:
            continue
        here = (kept.labels == number) & (truth != UNKNOWN)
        scores, is_positive, called = kept.scores[here], truth[here] == 1, kept.for_f1[here] == 1
        own = None
        if thresholds is not None and len(thresholds) == len(numbers):
            own = float(thresholds[place])
        counts = int((called & is_positive).sum()), int(called.sum())
        found.append(Entries(np.sort(scores), np.sort(scores[is_positive]), counts, own))
    return found


def _cuts(method: str, judged: Sequence[Judged], label: str) -> Cuts:
    splits = [_entries(each, label) for each in judged]
    every = np.concatenate([entries.scores for split in splits for entries in split])
    cuts = np.unique(np.quantile(every, np.linspace(0, 1, N_CUTS)))
    chosen = []
    for split in splits:
        own = {entries.threshold for entries in split}
        if len(own) == 1 and (cut := own.pop()) is not None and np.isfinite(cut):
            chosen.append((cut, float(_mean([e.f1(np.array([cut])) for e in split])[0])))
    return Cuts(
        method,
        tuple(cuts.tolist()),
        tuple(tuple(_mean([e.f1(cuts) for e in split]).tolist()) for split in splits),
        tuple(chosen),
        float(np.mean([_mean([np.array([e.reached]) for e in split])[0] for split in splits])),
    )


def _mean(values: Sequence[Floats]) -> Floats:
    """Return the mean over labels, of those where F1 is defined."""
    stacked = np.array(values)
    known = ~np.isnan(stacked)
    counts = known.sum(axis=0)
    sums = np.where(known, stacked, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _make_plot(request: FigureRequest, *, label: str = "") -> ThresholdCurves:
    """Draw macro F1 with one cut for all labels, or F1 of one label."""
    dataset, label = request.datasets[0], str(label)
    judged = judged_predictions(request.folder, dataset, request.methods, needs_all_scores=True)
    if label:
        names = {name: None for each in judged for name in each.kept.names.values()}
        check_name("label", label, names, f"data set {dataset}")
    by_method = {
        method: [each for each in judged if each.method == method] for method in request.methods
    }
    panels = tuple(_cuts(method, each, label) for method, each in by_method.items() if each)
    if not panels:
        raise MlbenchError(f"{dataset}: no predictions were kept")
    what = f"F1 of {label}" if label else "Macro F1"
    return ThresholdCurves(request.title, dataset, what, panels)


KIND = FigureKind(_make_plot, of_one_dataset=True)
