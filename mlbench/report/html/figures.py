"""The figures of the page. Another one is another line of :func:`pictures`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec

from markupsafe import Markup

from mlbench.errors import MlbenchError
from mlbench.report.figures import Album, Picture, svg
from mlbench.report.folder import ResultsFolder
from mlbench.report.html.svg import inlined
from mlbench.report.settings import ReportSettings

FEWEST_TO_RANK = 3


def drawings(folder: ResultsFolder, settings: ReportSettings) -> list[Markup]:
    """Return the figures as elements of a page; none where matplotlib is not installed."""
    if not can_draw():
        return []
    found: list[Markup] = []
    for make in pictures(folder, settings):
        try:
            picture = make()
        except MlbenchError:  # this kind of figure does not suit the results, and says why
            continue
        found.append(inlined(svg(picture), f"figure-{len(found)}"))
    return found


def pictures(folder: ResultsFolder, settings: ReportSettings) -> Iterator[Callable[[], Picture]]:
    """Yield what makes each figure."""
    albums = [Album(folder, metric.name) for metric in settings.metrics]
    for album in albums:
        yield album.lines if album.usual == "lines" else album.bars
    yield albums[0].pareto
    if min(len(folder.plan["datasets"]), len(folder.plan["methods"])) >= FEWEST_TO_RANK:
        yield albums[0].critical_difference


def can_draw() -> bool:
    """Return whether figures can be drawn at all."""
    return find_spec("matplotlib") is not None
