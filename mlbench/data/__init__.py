"""Data sets: a card for each, readers for their formats, and the value they become."""

from mlbench.data.dataset import Dataset
from mlbench.data.load import load_dataset

__all__ = ["Dataset", "load_dataset"]
