"""The figures of the page: drawings as SVG elements, adapted to its style sheet."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from xml.etree import ElementTree

from markupsafe import Markup

from mlbench.comparisons.settings import ReportSettings
from mlbench.errors import MlbenchError
from mlbench.options import FIGURE_KINDS
from mlbench.report.figures import FigureRequest, get_kind
from mlbench.results.results import Results

WIDE = 5.2
"""Inches of a drawing in a window: its text is about as large as the text of notes."""

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_DRAWN = {
    f"{{{SVG}}}{name}"
    for name in ("g", "defs", "path", "use", "text", "tspan", "clipPath", "pattern", "rect")
}
_INK = {
    "#000000": "currentColor",
    "#ffffff": "var(--paper)",
    "#dddddd": "var(--rule)",
    "#555555": "var(--soft)",
}
_COLOR = re.compile("|".join(_INK))
_REFERENCE = re.compile(r"url\(#([^)]*)\)")


@dataclass(frozen=True)
class Drawing:
    """A figure of the page."""

    caption: str
    note: str
    wide: Markup
    narrow: Markup
    """The same, drawn for the width of a window and for that of a telephone."""


def drawings(folder: Results, settings: ReportSettings) -> list[Drawing]:
    """Return the figures of a page; none if matplotlib is not installed."""
    if not can_draw():
        return []
    from mlbench.report.figures.drawing import svg

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
    folder: Results, settings: ReportSettings
) -> Iterator[tuple[str, FigureRequest]]:
    """Yield each kind with its request: first those drawn for every metric, then the others."""
    requests = [FigureRequest(folder, metric.name) for metric in settings.metrics]
    ranking = (*settings.judged_metrics, *settings.metrics)[0].name
    of_one = next(request for request in requests if request.metric == ranking)
    kinds = {name: get_kind(name) for name in FIGURE_KINDS}
    for request in requests:
        for name, kind in kinds.items():
            if kind.per_metric and kind.on_page(request):
                yield name, request
    for name, kind in kinds.items():
        if not kind.per_metric and kind.on_page(of_one):
            yield name, of_one


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def inlined(svg: str, prefix: str, label: str) -> Markup:
    """Return a whole SVG file as an element of a page with a label.

    Comments, declarations and metadata are removed. Ids get the prefix, which must be unique on
    the page. Black and white become the page's text and background colors.
    """
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag not in _DRAWN:
                parent.remove(child)
    for element in root.iter():
        for name, value in element.attrib.items():
            element.set(name, _adapted(name, value, prefix))
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.set("role", "img")
    root.set("aria-label", label)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _adapted(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name in ("href", f"{{{XLINK}}}href"):
        return f"#{prefix}-{value.removeprefix('#')}"
    value = _REFERENCE.sub(rf"url(#{prefix}-\1)", value)
    return _COLOR.sub(lambda found: _INK[found.group()], value)
