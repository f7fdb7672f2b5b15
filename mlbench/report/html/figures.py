"""The figures of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from markupsafe import Markup

from mlbench.errors import MlbenchError
from mlbench.options import FIGURE_KINDS
from mlbench.report.figures import FigureRequest, get_kind, svg
from mlbench.report.folder import ResultsFolder
from mlbench.report.html.svg import inlined
from mlbench.report.settings import ReportSettings

WIDE = 5.2
"""Inches of a drawing in a window: its text is about as large as that of notes."""


@dataclass(frozen=True)
class Drawing:
    """A figure of the page."""

    caption: str
    note: str
    wide: Markup
    narrow: Markup
    """The same, drawn for the width of a window and for that of a telephone."""


def drawings(folder: ResultsFolder, settings: ReportSettings) -> list[Drawing]:
    """Return the figures of a page; none if matplotlib is not installed."""
    if not can_draw():
        return []
    found: list[Drawing] = []
    for kind, request in wanted_figures(folder, settings):
        try:
            plot = request.plot(kind)
        except MlbenchError:  # this kind of figure does not suit the results
            continue
        words = plot.caption or kind
        words = words[0].upper() + words[1:]
        found.append(
            Drawing(
                words,
                plot.note,
                inlined(svg(plot, WIDE, headed=False), f"figure-{len(found)}", words),
                inlined(svg(plot, "column", headed=False), f"narrow-{len(found)}", words),
            )
        )
    return found


def wanted_figures(
    folder: ResultsFolder, settings: ReportSettings
) -> Iterator[tuple[str, FigureRequest]]:
    """Yield each kind with its request: first those drawn for every metric, then the others."""
    requests = [FigureRequest(folder, metric.name) for metric in settings.metrics]
    kinds = {name: get_kind(name) for name in FIGURE_KINDS}
    for request in requests:
        for name, kind in kinds.items():
            if kind.per_metric and kind.on_page(request):
                yield name, request
    for name, kind in kinds.items():
        if not kind.per_metric and kind.on_page(requests[0]):
            yield name, requests[0]


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None
