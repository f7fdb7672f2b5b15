"""How every figure looks, and how it becomes a file: the same figure is the same bytes."""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import quoteattr

from mlbench.errors import MlbenchError
from mlbench.options import FigureWidth
from mlbench.store.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

WIDTHS: dict[FigureWidth, float] = {"column": 3.3, "page": 6.9}
"""Inches: one column of a paper, and both."""

SUFFIXES = (".svg", ".png", ".pdf")

# Okabe and Ito's colours, distinct to colour-blind readers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
HATCHES = ("", "////", "||||", "\\\\\\\\", "xxxx", "----", "++++")  # dots make SVG ten times longer
GREY = "#555555"
LIGHT = "#dddddd"

_SETTINGS: Any = {
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": LIGHT,
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.visible": False,
    "ytick.minor.visible": False,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "mlbench",
    "text.parse_math": False,  # a name may hold dollars
}


@dataclass(frozen=True)
class Picture(ABC):
    """A figure as data: what is drawn, and how.

    Attributes
    ----------
    title : str
        One line above the figure.
    """

    title: str

    @property
    def n_panels(self) -> int:
        """How many pairs of axes it takes."""
        return 1

    @property
    def height(self) -> float:
        """Inches for each row of panels."""
        return 2.05

    @property
    @abstractmethod
    def note(self) -> str:
        """What the marks mean, and how many splits stand behind them."""

    @abstractmethod
    def lines(self) -> list[str]:
        """Return what is drawn as lines of text, with tabs between columns."""

    @abstractmethod
    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw each panel; what is labelled comes into a legend below all."""


@dataclass(frozen=True)
class Look:
    """What keeps one method apart from the others, also in grey.

    Attributes
    ----------
    colour, marker, hatch : str
    dash : str or tuple
    filled : bool
        Whether markers are; where colours come again, they are open.
    """

    colour: str
    marker: str
    dash: Any
    hatch: str
    filled: bool

    @property
    def line(self) -> dict[str, Any]:
        """Keywords of matplotlib's ``plot``."""
        face = self.colour if self.filled else "white"
        return {
            "color": self.colour,
            "marker": self.marker,
            "linestyle": self.dash,
            "markerfacecolor": face,
            "markersize": 3.8,
            "linewidth": 1.1,
        }

    @property
    def point(self) -> dict[str, Any]:
        """Keywords of matplotlib's ``plot`` for a single point."""
        return {**self.line, "linestyle": "none", "markersize": 5.5}


def look(place: int) -> Look:
    """Return the look of the method at a place in the experiment's order."""
    turn, colour = divmod(place, len(COLOURS))
    return Look(
        colour=COLOURS[colour],
        marker=MARKERS[(colour + 3 * (turn // 2)) % len(MARKERS)],
        dash=DASHES[place % len(DASHES)],
        hatch=HATCHES[colour],
        filled=turn % 2 == 0,
    )


def moved(axes: Axes, points: float) -> Transform:
    """Return the axes' data coordinates, moved to the right."""
    from matplotlib.transforms import ScaledTranslation

    return axes.transData + ScaledTranslation(points / 72, 0, axes.figure.dpi_scale_trans)


def make_logarithmic(axes: Axes, *names: Literal["x", "y"]) -> None:
    """Give axes a logarithmic scale, with plain numbers at ticks that do not crowd."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for name in names:
        axes.set(**{f"{name}scale": "log"})
        axis = axes.xaxis if name == "x" else axes.yaxis
        low, high = sorted(axis.get_view_interval())
        digits = (1.0, 2.0, 5.0) if high < 30 * low else (1.0, 3.0) if high < 300 * low else (1.0,)
        axis.set_major_locator(LogLocator(subs=digits, numticks=5))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def svg(picture: Picture, width: FigureWidth = "page") -> str:
    """Return a figure as an ``<svg>`` element, to stand in a page."""
    text = _bytes(picture, ".svg", width).decode("utf-8")
    element = text[text.index("<svg ") :]
    label = f'role="img" aria-label={quoteattr(picture.title)}'
    return re.sub(r"^<svg ", lambda _: f"<svg {label} ", element)


def save(picture: Picture, path: Path, width: FigureWidth = "column") -> None:
    """Write a figure to a file; its suffix (svg, png, pdf) says in which form.

    Raises
    ------
    MlbenchError
        If matplotlib is not installed, or the suffix is another.
    """
    if path.suffix not in SUFFIXES:
        raise MlbenchError(f"{path}: a figure's file ends in {', '.join(SUFFIXES)}")
    content = _bytes(picture, path.suffix, width)
    write_atomically(path, lambda file: file.write(content))


def _bytes(picture: Picture, suffix: str, width: FigureWidth) -> bytes:
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MlbenchError(
            "figures need matplotlib: python -m pip install 'mlbench[plot]'"
        ) from None
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    content = io.BytesIO()
    with rc_context(_SETTINGS):
        figure = _drawn(picture, WIDTHS[width])
        figure.savefig(content, format=suffix[1:], dpi=200, metadata=undated.get(suffix))
    return content.getvalue()


def _drawn(picture: Picture, width: float) -> Figure:
    """Return the whole figure: heading, panels, one legend for all of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    most = max(1, int(width // 2.2)) if picture.n_panels > 1 else 1
    rows = ceil(picture.n_panels / most)
    columns = ceil(picture.n_panels / rows)
    figure = Figure(figsize=(width, rows * picture.height), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for unused in grid[picture.n_panels :]:
        unused.remove()
    panels = list(grid[: picture.n_panels])
    picture.draw(panels)

    heading = _heading(figure, picture, width)
    legend = _legend(figure, panels, width)
    height = rows * picture.height + heading + legend
    figure.set_size_inches(width, height)
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.set(rect=(0, 0, 1, 1 - heading / height))  # type: ignore[call-arg]
    return figure


def _heading(figure: Figure, picture: Picture, width: float) -> float:
    """Write the title and, below it, the note; return the height of both."""
    from matplotlib.transforms import ScaledTranslation

    below = 0.04
    title: dict[str, Any] = {"fontsize": 8, "fontweight": "bold"}
    note: dict[str, Any] = {"fontsize": 6.5, "color": GREY}
    for text, font, line in ((picture.title, title, 0.135), (picture.note, note, 0.115)):
        place = ScaledTranslation(0.03, -below, figure.dpi_scale_trans)
        written = figure.text(
            0, 1, text, va="top", transform=figure.transFigure + place, in_layout=False, **font
        )
        below += line * _wrapped(written, 0.96 * width * figure.dpi)
    return below


def _wrapped(text: Text, width: float) -> int:
    """Break a text at spaces so that no line is wider than so many dots; count its lines."""
    words = text.get_text().split()
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        text.set_text(longer)
        if lines[-1] and text.get_window_extent().width > width:
            lines.append(word)
        else:
            lines[-1] = longer
    text.set_text("\n".join(lines))
    return len(lines)


def _legend(figure: Figure, panels: Sequence[Axes], width: float) -> float:
    """Put what the panels name below them, in as many columns as fit; return the height."""
    named: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    if len(named) < 2:
        return 0.0
    for columns in range(min(len(named), 6), 0, -1):
        legend = figure.legend(
            list(named.values()),
            list(named),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            handlelength=2.6,
            columnspacing=1.2,
            labelspacing=0.3,
            borderpad=0.1,
        )
        box = legend.get_window_extent()
        if box.width <= 0.98 * width * figure.dpi or columns == 1:
            break
        legend.remove()
    return float(box.height) / figure.dpi + 0.05
