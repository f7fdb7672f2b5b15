"""Data sets: their cards, readers for their formats, and the loaded `Dataset`."""

from mlbench.data.dataset import Dataset
from mlbench.data.frames import from_dataframe
from mlbench.data.load import load_dataset
from mlbench.data.npz import save_dataset

__all__ = ["Dataset", "from_dataframe", "load_dataset", "save_dataset"]
