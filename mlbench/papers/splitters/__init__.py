"""The splits of the papers."""

from mlbench.papers.splitters.imbalanced import Imbalanced
from mlbench.papers.splitters.ratings import Ratings
from mlbench.papers.splitters.transfer import Transfer

__all__ = ["Imbalanced", "Ratings", "Transfer"]
