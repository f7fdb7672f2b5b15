"""Figures in which methods that were taken over from an export have a mark.

Names stay as they are in all that is computed and in JSON; the mark is put behind what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

from mlbench.report.figures.curve import Curve
from mlbench.report.figures.plot import Axes, Plot
from mlbench.report.tables.origin import MARK, Marks

_OF_METHODS = ("method", "methods", "against")
"""Fields that hold names of methods."""


@dataclass(frozen=True)
class MarkedPlot(Plot):
    """A figure with marks behind methods that were taken over, and a note on where from."""

    plain: Plot
    marks: Marks

    @cached_property
    def shown(self) -> Any:
        """The figure with the marks."""
        return _marked(self.plain, self.marks)

    @property
    def caption(self) -> str:
        """What is drawn, in a few words."""
        return str(self.shown.caption)

    @property
    def n_panels(self) -> int:
        """One for each panel of the figure."""
        return self.plain.n_panels

    def height_at(self, width: float) -> float:
        """Return the height of a row of panels, whose names have the marks."""
        return float(self.shown.height_at(width))

    @property
    def note(self) -> str:
        """What the marks mean, and where the methods are from."""
        is_marked = self.shown.lines() != self.plain.lines()
        notes = self.marks.notes if is_marked else ()
        return " ".join((self.shown.note, *notes))

    def lines(self) -> list[str]:
        """Return what is drawn as lines of text, with the marks."""
        return [*self.shown.lines()]

    def as_plain(self) -> dict[str, object]:
        """Return the data for JSON, with names as they are, and the origins of all methods."""
        return {**self.plain.as_plain(), "note": self.note, "origins": {**self.marks.origins}}

    def draw(self, panels: Sequence[Axes]) -> None:
        """Draw the figure with the marks, and the names of methods that ran here in bold."""
        from matplotlib.text import Text

        self.shown.draw(panels)
        own = {name for name, origin in self.marks.origins.items() if not origin}
        for axes in panels:
            for text in axes.findobj(Text):
                if " ".join(text.get_text().split()) in own:
                    text.set_fontweight("bold")


def with_marks(plot: Plot, marks: Marks) -> Plot:
    """Return a figure in which the methods that were taken over are marked."""
    return MarkedPlot(plot.title, plot, marks) if marks.notes else plot


def _marked(value: Any, marks: Marks) -> Any:
    """Return a value in which fields of methods have the marks."""
    if isinstance(value, tuple):
        return tuple(_marked(each, marks) for each in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    if isinstance(value, Curve):
        return replace(value, name=_name_of_line(value, marks))
    found = {
        field.name: _names(there, marks) if field.name in _OF_METHODS else _marked(there, marks)
        for field in fields(value)
        if field.init and (there := getattr(value, field.name)) is not None
    }
    return replace(value, **found)


def _name_of_line(curve: Curve, marks: Marks) -> str:
    """Return the name of a line, with the mark if any of its methods was taken over."""
    is_marked = any(marks.origins.get(name) for name in (curve.name, *curve.methods))
    return f"{curve.name}{MARK}" if is_marked else curve.name


def _names(value: str | tuple[str, ...], marks: Marks) -> str | tuple[str, ...]:
    return marks.name(value) if isinstance(value, str) else tuple(map(marks.name, value))
