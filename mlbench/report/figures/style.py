"""How methods, axes and long names look in every figure."""

from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Literal

from mlbench.report.figures.plot import Axes
from mlbench.report.render.layout import wrap_heading

# Okabe and Ito's colors, distinct to color-blind readers.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
HATCHES = ("", "////", "||||", "\\\\\\\\", "xxxx", "----", "++++")  # dots make SVG ten times longer
GREY = "#555555"
LIGHT = "#dddddd"

WIDTH, MAX_LINES = 18, 3
"""Characters of a line, and lines of a name."""


@dataclass(frozen=True)
class MethodStyle:
    """How a method is drawn, so that methods can be told apart even without color."""

    color: str
    marker: str
    dash: Any
    hatch: str
    filled: bool
    """Whether markers are filled; they are open when a color is used again."""

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments for matplotlib's ``plot``."""
        face = self.color if self.filled else "white"
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.dash,
            "markerfacecolor": face,
            "markersize": 3.8,
            "linewidth": 1.1,
        }

    @property
    def point(self) -> dict[str, Any]:
        """Keyword arguments for matplotlib's ``plot`` of a single point."""
        return {**self.line, "linestyle": "none", "markersize": 5.5}


def method_style(number: int) -> MethodStyle:
    """Return the style of the method with this number in the experiment's order."""
    # A color returns with open markers in the next turn, and with other markers after that.
    turn, color = divmod(number, len(COLORS))
    return MethodStyle(
        color=COLORS[color],
        marker=MARKERS[(color + 3 * (turn // 2)) % len(MARKERS)],
        dash=DASHES[number % len(DASHES)],
        hatch=HATCHES[color],
        filled=turn % 2 == 0,
    )


def offset_transform(axes: Axes, points: float) -> Any:
    """Return the transform of the axes' data coordinates, shifted right by some points."""
    from matplotlib.transforms import ScaledTranslation

    return axes.transData + ScaledTranslation(points / 72, 0, axes.figure.dpi_scale_trans)


def make_logarithmic(axes: Axes, *names: Literal["x", "y"]) -> None:
    """Make axes logarithmic, with a few ticks labeled by plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for name in names:
        axes.set(**{f"{name}scale": "log"})
        axis = axes.xaxis if name == "x" else axes.yaxis
        low, high = sorted(axis.get_view_interval())
        digits = (1.0, 2.0, 5.0) if high < 30 * low else (1.0, 3.0) if high < 300 * low else (1.0,)
        axis.set_major_locator(LogLocator(subs=digits, numticks=5))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def wrap_name(name: str, width: int = WIDTH, most: int = MAX_LINES) -> list[str]:
    """Break a name into lines; a very long one ends in an ellipsis."""
    lines = [line for part in wrap_heading(name, width) for line in wrap(part, width)]
    if len(lines) > 1 and len(lines[-1]) == 1:  # such as a mark
        lines[-2:] = ["".join(lines[-2:])]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: width - 1]}…"]
    return lines or [""]


def short_name(name: str, most: int = 24) -> str:
    """Return a name, cut where it is long."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
