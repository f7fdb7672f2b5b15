"""Label frequencies of data sets, most frequent label first: a panel for each data set."""

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.figures.style import COLORS

_MAX_NAMES = 12


@dataclass(frozen=True)
class LabelFrequencies(Plot):
    """Bars of label frequencies."""

    datasets: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    """Of each data set, most frequent label first."""
    frequencies: tuple[tuple[float, ...], ...]

    @property
    def n_panels(self) -> int:
        """One panel for each data set."""
        return len(self.datasets)

    @property
    def note(self) -> str:
        """What the bars mean."""
        return "Percentage of rows with each label, among the rows in which it is known."

    def lines(self) -> list[str]:
        """Return the bars, one per line."""
        return [
            f"{dataset}\t{label}\t{frequency:.4g}"
            for dataset, labels, row in zip(
                self.datasets, self.labels, self.frequencies, strict=True
            )
            for label, frequency in zip(labels, row, strict=True)
        ]

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw the bars, with names where they fit."""
        for axes, dataset, labels, row in zip(
            panels, self.datasets, self.labels, self.frequencies, strict=True
        ):
            axes.bar(
                range(1, len(row) + 1), [100 * each for each in row], width=0.8, color=COLORS[0]
            )
            axes.grid(visible=False, axis="x")
            axes.set_title(dataset)
            axes.set_ylabel("% of rows")
            if len(labels) <= _MAX_NAMES:
                axes.set_xticks(range(1, len(labels) + 1), labels, rotation=60, ha="right")
            else:
                axes.set_xlabel("Rank of the label")
