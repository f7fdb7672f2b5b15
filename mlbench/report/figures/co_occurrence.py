"""Which labels come together, or which errors: a map of labels by labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.request import FigureKind, FigureRequest
from mlbench.report.figures.style import GREY, LIGHT, short_name
from mlbench.results.kept import UNKNOWN, Judged, judged_predictions
from mlbench.solvers.arrays import Floats, Ints
from mlbench.spelling import check_name, did_you_mean

KINDS = ("labels", "errors")
MAX_LABELS, MAX_NUMBERED = 40, 12
"""Labels that are drawn, and up to which shares stand in the cells."""
_CELL, _MARGIN, _LETTER = 0.16, 0.6, 0.05
_DARK = 0.55


@dataclass(frozen=True)
class CoOccurrence(Plot):
    """Of the rows with one label, or an error in it: the share that also has another."""

    caption_format = "{what} that come together on {dataset}"

    dataset: str
    what: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    """Rows with each label, or predictions with an error in it."""
    shares: tuple[tuple[float, ...], ...]
    """By the first label, then by the other; NaN where the first never occurs."""
    bases: tuple[tuple[int, ...], ...]
    """What each share is of: the rows with the first label where the other is known."""
    n_labels: int
    """Of the data set."""

    @property
    def height(self) -> float:
        """The height of the rows and of the names below."""
        longest = max(len(short_name(name)) for name in self.labels)
        return _MARGIN + _LETTER * longest + max(_CELL * len(self.labels), 1.0)

    @property
    def note(self) -> str:
        """What the cells mean."""
        of, too = (
            "predictions for F1 that are wrong in the label at the left",
            "is wrong in the other",
        )
        if self.what == "labels":
            of, too = "rows of test parts with the label at the left", "has the other"
        known = [b == n for n, row in zip(self.counts, self.bases, strict=True) for b in row]
        unknown = "" if all(known) else " Shares are of those where the other is known."
        few = f" The {len(self.labels)} most frequent of {self.n_labels} labels."
        return (
            f"Of the {of}, the share that {too}, too; in brackets, how many there are."
            f"{unknown}{few if len(self.labels) < self.n_labels else ''}"
        )

    def lines(self) -> list[str]:
        """Return the pairs, one per line."""
        return [
            f"{self.dataset}\t{first}\t{other}\t" + (f"{share:.4f} of {base}" if base else "never")
            for first, row, of in zip(self.labels, self.shares, self.bases, strict=True)
            for other, share, base in zip(self.labels, row, of, strict=True)
            if first != other
        ]

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw the cells; those of a label with itself are blank."""
        (axes,) = panels
        shares = np.array(self.shares)
        np.fill_diagonal(shares, np.nan)
        axes.grid(visible=False)
        axes.set_facecolor(LIGHT)
        mesh = axes.pcolormesh(
            np.ma.masked_invalid(shares), cmap="Blues", vmin=0.0, vmax=1.0, edgecolors="none"
        )
        shades = axes.figure.colorbar(mesh, ax=axes, pad=0.01, aspect=30)
        shades.set_label("share")
        shades.outline.set_linewidth(0.4)
        if len(self.labels) <= MAX_NUMBERED:
            for (row, column), share in np.ndenumerate(shares):
                if np.isfinite(share):
                    axes.text(
                        column + 0.5,
                        row + 0.5,
                        f"{share:.2f}",
                        ha="center",
                        va="center",
                        fontsize=5.5,
                        color="white" if share > _DARK else "black",
                    )
        places = np.arange(len(self.labels)) + 0.5
        pairs = zip(self.labels, self.counts, strict=True)
        axes.set_yticks(places, [f"{short_name(name)} ({count})" for name, count in pairs])
        axes.set_xticks(places, map(short_name, self.labels), rotation=90)
        axes.tick_params(length=0, colors=GREY, labelcolor="black")
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.invert_yaxis()


def shares_of(marked: Ints, known: Ints) -> tuple[Floats, Ints]:
    """Return of the rows with one label where another is known the share with it, and their number.

    Parameters
    ----------
    marked, known : (n, k) arrays of 0 and 1
    """
    together = marked.T @ marked
    either = marked.T @ known
    return np.where(either > 0, together / np.maximum(either, 1), np.nan), either


def _matrix(judged: Judged, values: Ints, numbers: Ints) -> Ints:
    """Return values as a row for each row of the data set that occurs; unknown ones are -1."""
    rows, places = np.unique(judged.kept.rows, return_inverse=True)
    matrix = np.full((rows.size, numbers.size), UNKNOWN, dtype=np.int64)
    matrix[places, np.searchsorted(numbers, judged.kept.labels)] = values
    return matrix


def _labels_of_rows(judged: Sequence[Judged], numbers: Ints) -> Ints:
    """Return the true labels of all rows, each once however many test parts it is in."""
    size = 1 + max(int(each.kept.rows.max(initial=0)) for each in judged)
    matrix = np.full((size, numbers.size), UNKNOWN, dtype=np.int64)
    for each in judged:
        matrix[each.kept.rows, np.searchsorted(numbers, each.kept.labels)] = each.truth
    return matrix


def _errors(judged: Sequence[Judged], numbers: Ints) -> Ints:
    """Return which predictions are wrong, those of each test part below the other."""
    return np.concatenate(
        [
            _matrix(
                each,
                np.where(each.truth == UNKNOWN, UNKNOWN, each.kept.for_f1 != each.truth),
                numbers,
            )
            for each in judged
        ]
    )


def _make_plot(request: FigureRequest, *, of: str = "labels", method: str = "") -> CoOccurrence:
    """Draw the labels of the test parts, or the errors of a method, by default of the first."""
    if of not in KINDS:
        known = ", ".join(KINDS)
        raise MlbenchError(f"of={of}: no such thing{did_you_mean(str(of), KINDS)}; known: {known}")
    if method and of == "labels":
        raise MlbenchError("labels are of no method; for its errors, give of=errors")
    if method:
        check_name("method", method, request.methods, "figure")
    dataset = request.datasets[0]
    methods = [method or request.methods[0]] if of == "errors" else request.methods
    judged = judged_predictions(request.folder, dataset, methods)
    numbers = np.unique(np.concatenate([each.kept.labels for each in judged]))
    values = (_errors if of == "errors" else _labels_of_rows)(judged, numbers)
    marked, known_ones = (values == 1).astype(np.int64), (values != UNKNOWN).astype(np.int64)
    counts = marked.sum(axis=0)
    shown = np.sort(np.argsort(-counts, kind="stable")[:MAX_LABELS])
    shares, bases = shares_of(marked[:, shown], known_ones[:, shown])
    return CoOccurrence(
        request.title,
        dataset,
        f"errors of {methods[0]}" if of == "errors" else "labels",
        tuple(judged[0].kept.name(number) for number in numbers[shown].tolist()),
        tuple(counts[shown].tolist()),
        tuple(map(tuple, shares.tolist())),
        tuple(map(tuple, bases.tolist())),
        numbers.size,
    )


KIND = FigureKind(_make_plot, of_one_dataset=True)
