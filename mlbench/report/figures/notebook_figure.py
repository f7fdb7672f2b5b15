"""A figure that a notebook shows."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

_FINER = 2
"""Pixels of the picture for each pixel on the screen, so that it is sharp on fine screens."""


class NotebookFigure(Figure):
    """matplotlib's figure, with a picture for notebooks: no ``%matplotlib inline`` is needed."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture, and its size on the screen."""
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=_FINER * self.dpi, metadata={"Software": None})
        width, height = self.get_size_inches() * self.dpi
        return picture.getvalue(), {"width": int(width), "height": int(height)}
