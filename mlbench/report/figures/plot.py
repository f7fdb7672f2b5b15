"""A figure as data, which knows how to draw itself."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic_core import to_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # matplotlib is an optional dependency


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
        """One for each of `panels`, if the figure has any."""
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
