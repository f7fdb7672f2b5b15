"""From the splits that an experiment asks for to the objects that draw them."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from mlbench import plugins
from mlbench.config.datasets import DatasetReference
from mlbench.config.schema import Experiment
from mlbench.protocol.splitters import KFold, PublishedSplit, RandomSplits, Splitter
from mlbench.registry.loading import load_class

SPLITTERS: dict[str, type[Splitter]] = {
    each.kind: each for each in (RandomSplits, KFold, PublishedSplit)
}
"""The splitter of each kind; its fields are those of the model but ``kind`` and ``repeats``."""


def splitter_of(experiment: Experiment, dataset: DatasetReference, folder: Path) -> Splitter:
    """Return what draws the splits of a data set.

    The number of repeats is no part of it, so that more can be added.

    Parameters
    ----------
    experiment : Experiment
    dataset : DatasetReference
    folder : Path
        Where a relative path to a user's splitter starts.
    """
    splits = experiment.splits_of(dataset)
    parameters = splits.model_dump(exclude={"kind", "repeats"})
    splitter = make_splitter(splits.kind, folder, parameters)
    if dataset.imbalance is None:
        return splitter
    resampler = plugins.load(plugins.RESAMPLERS, "imbalance")
    resampled: Splitter = resampler(inner=splitter, ratio=dataset.imbalance.ratio)
    return resampled


def make_splitter(kind: str, folder: Path, parameters: Mapping[str, Any]) -> Splitter:
    """Return a splitter of a built-in or installed kind, or of a class in a user's file."""
    if kind in SPLITTERS:
        return SPLITTERS[kind](**parameters)
    if kind in plugins.names(plugins.SPLITTERS):
        installed: Splitter = plugins.load(plugins.SPLITTERS, kind)(**parameters)
        return installed

    def reduce(splitter: Any) -> tuple[Any, ...]:
        stated = {each.name: getattr(splitter, each.name) for each in fields(splitter)}
        return make_splitter, (kind, folder, stated)

    splitter_class = load_class(kind, folder)
    # Other processes know no module that was imported from a file: they import the file again.
    copyreg.pickle(splitter_class, reduce)
    splitter: Splitter = splitter_class(**parameters)
    return splitter
