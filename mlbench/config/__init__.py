"""The experiment file: its schema, its strict reader and its errors."""

from mlbench.config.load import LoadedExperiment, complaint, find_config, load_experiment
from mlbench.config.schema import Experiment

__all__ = ["Experiment", "LoadedExperiment", "complaint", "find_config", "load_experiment"]
