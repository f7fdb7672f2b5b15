"""Draw figures with matplotlib; the same figure gives the same bytes.

Importing this module needs matplotlib, an optional dependency.
"""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from mlbench.errors import MlbenchError
from mlbench.options import FigureWidth
from mlbench.report.figures.plot import Plot
from mlbench.report.figures.style import GREY, LIGHT
from mlbench.store.atomic import write_output

try:
    from matplotlib import rc_context, rcdefaults, rcParams
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox, ScaledTranslation
except ImportError:
    raise MlbenchError(
        "figures need matplotlib: python -m pip install 'mlbench-multilabel[plot]'"
    ) from None

WIDTHS: dict[FigureWidth, float] = {"column": 3.3, "page": 6.9}
"""In inches: one column of a paper, or the whole page."""

SUFFIXES = (".svg", ".png", ".pdf")

_SCREEN_DENSITY = 2
"""Pixels of a notebook's picture for each pixel on the screen, to be sharp on dense screens."""

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


_GLYPH = re.compile(r"Glyph ([0-9]+) .* missing from font")
_CHARACTERS = 5
"""How many characters a warning lists."""


class NotebookFigure(Figure):
    """A matplotlib figure that notebooks show without ``%matplotlib inline``."""

    def get_tightbbox(self, *args: Any, **kwargs: Any) -> Bbox:
        """Return a box in inches with the heading in it, which the layout leaves out."""
        heading = [text.get_window_extent() for text in self.texts]
        inches = [box.transformed(self.dpi_scale_trans.inverted()) for box in heading]
        return Bbox.union([super().get_tightbbox(*args, **kwargs), *inches])

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture, and its size on the screen."""
        picture = io.BytesIO()
        dpi = _SCREEN_DENSITY * self.dpi
        self.savefig(picture, format="png", dpi=dpi, metadata={"Software": None})
        width, height = self.get_size_inches() * self.dpi
        return picture.getvalue(), {"width": int(width), "height": int(height)}


def svg(plot: Plot, width: FigureWidth | float = "page", headed: bool = True) -> str:
    """Return a figure as an ``<svg>`` element for an HTML page.

    Parameters
    ----------
    plot : Plot
    width : {"column", "page"} or float
        A number is in inches.
    headed : bool
        Whether the drawing includes the title and the note.
    """
    text = _drawn(plot, ".svg", width, headed)[0].decode("utf-8")
    element = text[text.index("<svg ") :]
    label = f'role="img" aria-label={quoteattr(plot.heading)}'
    return re.sub(r"^<svg ", lambda _: f"<svg {label} ", element)


def save(plot: Plot, path: Path, width: FigureWidth = "column", headed: bool = True) -> float:
    """Write a figure to a file in the format of its suffix (svg, png or pdf).

    Parameters
    ----------
    plot : Plot
    path : Path
    width : {"column", "page"}
    headed : bool
        Whether the drawing includes the title and the note.

    Returns
    -------
    float
        The height of the figure, in inches.

    Raises
    ------
    MlbenchError
        If the file has another suffix.
    """
    if path.suffix not in SUFFIXES:
        raise MlbenchError(f"{path}: the file of a figure must end in {', '.join(SUFFIXES)}")
    content, height = _drawn(plot, path.suffix, width, headed)
    write_output(path, content)
    return height


def _drawn(
    plot: Plot, suffix: str, width: FigureWidth | float, headed: bool = True
) -> tuple[bytes, float]:
    """Return a figure as a file, and its height in inches."""
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    content = io.BytesIO()
    with _mlbench_settings():
        inches = width if isinstance(width, float) else WIDTHS[width]
        figure = _draw_figure(plot, inches, headed)
        figure.savefig(content, format=suffix[1:], dpi=200, metadata=undated.get(suffix))
        height: float = figure.get_size_inches()[1]
    return content.getvalue(), height


def draw(plot: Plot, width: FigureWidth = "page", headed: bool = True) -> Figure:
    """Return a figure as a matplotlib figure, which a notebook shows."""
    with _mlbench_settings():
        return _draw_figure(plot, WIDTHS[width], headed)


@contextmanager
def _mlbench_settings() -> Iterator[None]:
    """Draw with the settings of mlbench alone.

    A matplotlibrc file in the working folder, whose author is unknown, has no effect.
    """
    with rc_context(), warnings.catch_warnings(record=True) as caught:
        rcdefaults()
        rcParams.update(_SETTINGS)
        yield
    glyphs = {message: _GLYPH.match(message) for message in (str(each.message) for each in caught)}
    lacking = sorted({chr(int(found[1])) for found in glyphs.values() if found})
    if lacking:
        warnings.warn(
            f"the font has no {' '.join(lacking[:_CHARACTERS])}"
            + (f" and {len(lacking) - _CHARACTERS} more" if len(lacking) > _CHARACTERS else "")
            + "; names in the figure have boxes instead",
            stacklevel=4,
        )
    for each in caught:
        if not glyphs[str(each.message)]:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _draw_figure(plot: Plot, width: float, headed: bool = True) -> Figure:
    """Draw the heading, the panels and the common legend."""
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

    # The heights of heading and legend are known only after drawing. The layout engine leaves the
    # top to the heading.
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
    below = 0.04
    title: dict[str, Any] = {"fontsize": 8, "fontweight": "bold"}
    note: dict[str, Any] = {"fontsize": 6.5, "color": GREY}
    for text, font, line in ((plot.heading, title, 0.135), (plot.note, note, 0.115)):
        offset = ScaledTranslation(0.03, -below, figure.dpi_scale_trans)
        written = figure.text(
            0, 1, text, va="top", transform=figure.transFigure + offset, in_layout=False, **font
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
