"""The style of all figures, and writing them to files; the same figure gives the same bytes."""

from __future__ import annotations

import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from xml.sax.saxutils import quoteattr

from pydantic_core import to_json

from mlbench.errors import MlbenchError
from mlbench.options import FigureWidth
from mlbench.store.atomic import write_output

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

WIDTHS: dict[FigureWidth, float] = {"column": 3.3, "page": 6.9}
"""In inches: one column of a paper, or the whole page."""

SUFFIXES = (".svg", ".png", ".pdf")

# Okabe and Ito's colors, distinct to color-blind readers.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
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
    "text.parse_math": False,  # a name may contain dollar signs
}


@dataclass(frozen=True)
class Plot(ABC):
    """A figure as data, with the methods to draw it."""

    caption_format: ClassVar[str] = ""
    """What is drawn, in a few words, with fields of the figure in braces."""

    title: str
    """The title of the experiment."""

    @property
    def caption(self) -> str:
        """What is drawn, in a few words."""
        return self.caption_format.format_map(vars(self))

    @property
    def heading(self) -> str:
        """The title, and what is drawn."""
        return f"{self.title}: {self.caption}" if self.caption else self.title

    @property
    def n_panels(self) -> int:
        """One for each of `panels`, where there are any."""
        return len(getattr(self, "panels", ())) or 1

    @property
    def height(self) -> float:
        """Height of a row of panels in inches."""
        return 2.05

    def height_at(self, width: float) -> float:
        """Return the height of a row of panels in a figure of a width."""
        return self.height

    @property
    @abstractmethod
    def note(self) -> str:
        """What the marks mean, and the number of splits."""

    @abstractmethod
    def lines(self) -> list[str]:
        """Return what is drawn as lines of tab-separated text."""

    def as_plain(self) -> dict[str, object]:
        """Return the kind, the note and the data for JSON; NaN and infinity become None."""
        text = to_json(self, inf_nan_mode="null", fallback=lambda array: array.tolist())
        return {"kind": type(self).__name__, "note": self.note, **json.loads(text)}

    @abstractmethod
    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw each panel; labeled artists appear in a legend below all panels."""


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


def method_style(place: int) -> MethodStyle:
    """Return the style of the method with this number in the experiment's order."""
    turn, color = divmod(place, len(COLORS))
    return MethodStyle(
        color=COLORS[color],
        marker=MARKERS[(color + 3 * (turn // 2)) % len(MARKERS)],
        dash=DASHES[place % len(DASHES)],
        hatch=HATCHES[color],
        filled=turn % 2 == 0,
    )


def offset_transform(axes: Axes, points: float) -> Transform:
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


def svg(plot: Plot, width: FigureWidth | float = "page", headed: bool = True) -> str:
    """Return a figure as an ``<svg>`` element for an HTML page, with its heading or without.

    A width that has no name is in inches.
    """
    text = _bytes(plot, ".svg", width, headed).decode("utf-8")
    element = text[text.index("<svg ") :]
    label = f'role="img" aria-label={quoteattr(plot.heading)}'
    return re.sub(r"^<svg ", lambda _: f"<svg {label} ", element)


def save(plot: Plot, path: Path, width: FigureWidth = "column") -> None:
    """Write a figure to a file in the format of its suffix (svg, png or pdf).

    Raises
    ------
    MlbenchError
        If matplotlib is not installed, or the suffix is not one of these.
    """
    if path.suffix not in SUFFIXES:
        raise MlbenchError(f"{path}: the file of a figure must end in {', '.join(SUFFIXES)}")
    content = _bytes(plot, path.suffix, width)
    write_output(path, content)


def _bytes(plot: Plot, suffix: str, width: FigureWidth | float, headed: bool = True) -> bytes:
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    content = io.BytesIO()
    with _own_style():
        inches = width if isinstance(width, float) else WIDTHS[width]
        figure = _draw_figure(plot, inches, headed)
        figure.savefig(content, format=suffix[1:], dpi=200, metadata=undated.get(suffix))
    return content.getvalue()


def drawn(plot: Plot, width: FigureWidth = "page") -> Figure:
    """Return a figure as matplotlib's, which a notebook shows.

    Raises
    ------
    MlbenchError
        If matplotlib is not installed.
    """
    with _own_style():
        return _draw_figure(plot, WIDTHS[width])


@contextmanager
def _own_style() -> Iterator[None]:
    """Draw with our settings alone.

    Raises
    ------
    MlbenchError
        If matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context, rcdefaults, rcParams
    except ImportError:
        raise MlbenchError(
            "figures need matplotlib: python -m pip install 'mlbench-multilabel[plot]'"
        ) from None
    with rc_context():
        rcdefaults()  # matplotlib obeys a file in the working folder, whoever it comes from
        rcParams.update(_SETTINGS)
        yield


def _draw_figure(plot: Plot, width: float, headed: bool = True) -> Figure:
    """Draw the heading, the panels and the common legend."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from mlbench.report.figures.notebook_figure import NotebookFigure

    most = max(1, int(width // 2.2)) if plot.n_panels > 1 else 1
    rows = ceil(plot.n_panels / most)
    columns = ceil(plot.n_panels / rows)
    row_height = plot.height_at(width)
    figure = NotebookFigure(figsize=(width, rows * row_height), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for unused in grid[plot.n_panels :]:
        unused.remove()
    panels = list(grid[: plot.n_panels])
    plot.draw(panels)

    heading = _heading(figure, plot, width) if headed else 0.0
    legend = _legend(figure, panels, width)
    height = rows * row_height + heading + legend
    figure.set_size_inches(width, height)
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.set(rect=(0, 0, 1, 1 - heading / height))  # type: ignore[call-arg]
    return figure


def _heading(figure: Figure, plot: Plot, width: float) -> float:
    """Write the title and the note below it; return their height."""
    from matplotlib.transforms import ScaledTranslation

    below = 0.04
    title: dict[str, Any] = {"fontsize": 8, "fontweight": "bold"}
    note: dict[str, Any] = {"fontsize": 6.5, "color": GREY}
    for text, font, line in ((plot.heading, title, 0.135), (plot.note, note, 0.115)):
        place = ScaledTranslation(0.03, -below, figure.dpi_scale_trans)
        written = figure.text(
            0, 1, text, va="top", transform=figure.transFigure + place, in_layout=False, **font
        )
        below += line * _wrapped(written, 0.96 * width * figure.dpi)
    return below


def _wrapped(text: Text, width: float) -> int:
    """Wrap a text at spaces to a width in pixels; return the number of lines."""
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
    """Draw the legend below the panels, in as many columns as fit; return its height."""
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
