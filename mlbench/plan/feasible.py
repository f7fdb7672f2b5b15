"""What an experiment asks for that its data cannot give, known before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mlbench.config.schema import (
    DatasetReference,
    Experiment,
    KFoldSplits,
    PublishedSplit,
    RandomSplits,
)
from mlbench.errors import ConfigError, DataError, MethodError
from mlbench.methods.adapter import check_tasks
from mlbench.plan.facts import DatasetFacts
from mlbench.protocol.splits import make_split
from mlbench.yaml_loader import Location

_LARGEST_GRID = 100_000


class ImpossiblePlan(ConfigError):  # noqa: N818
    """An experiment that its data do not suit.

    Attributes
    ----------
    problems : list of (location, str)
        Where in the file, and what.
    """

    def __init__(self, problems: list[tuple[Location, str]]) -> None:
        super().__init__("\n".join(message for _, message in problems))
        self.problems = problems


def refuse_impossible(
    experiment: Experiment, facts: Mapping[str, DatasetFacts], models: Mapping[str, Any]
) -> None:
    """Refuse divisions, grids, and pairs of a method and a data set that cannot be.

    Parameters
    ----------
    experiment : Experiment
    facts : mapping
        Facts about each data set, by the name it has in tables.
    models : mapping
        The unfitted methods, by their names in the experiment.

    Raises
    ------
    ImpossiblePlan
        With all that is wrong.
    """
    found = list(_problems(experiment, facts, models))
    if found:
        raise ImpossiblePlan(found)


def _problems(
    experiment: Experiment, facts: Mapping[str, DatasetFacts], models: Mapping[str, Any]
) -> Iterator[tuple[Location, str]]:
    for place, dataset in enumerate(experiment.datasets):
        splits = experiment.splits_of(dataset)
        if dataset.train is not None and not isinstance(splits, RandomSplits):
            yield (
                ("datasets", place, "train"),
                f"a training part belongs to splits of the kind random, not {splits.kind}",
            )
        problem = _why_not_divided(splits, dataset.display, facts[dataset.display])
        if problem is not None:
            yield ("protocol", "splits"), problem
    for name, method in experiment.methods.items():
        size = math.prod(len(values) for values in method.tune.values())
        if size > _LARGEST_GRID:
            yield (
                ("methods", name, "tune"),
                f"a grid of {size} points (the product of {', '.join(method.tune)}) is more than "
                f"can be searched; the most is {_LARGEST_GRID}",
            )
        for dataset in experiment.datasets:
            try:
                check_tasks(models[name], _has_tasks(dataset, facts[dataset.display]))
            except MethodError as error:
                yield ("methods", name), f"{dataset.display}: {error}"


def _has_tasks(dataset: DatasetReference, facts: DatasetFacts) -> bool:
    """Tell whether samples are of one task each, as they become where each label draws its own."""
    return facts.n_tasks > 0 or dataset.imbalance is not None


def _why_not_divided(
    splits: RandomSplits | KFoldSplits | PublishedSplit, dataset: str, facts: DatasetFacts
) -> str | None:
    if isinstance(splits, PublishedSplit):
        if not facts.has_published_split:
            return (
                f"{dataset} has no published training and test part; "
                "use {kind: random, train: 0.6, repeats: 10}"
            )
    elif isinstance(splits, RandomSplits):
        if not facts.n_tasks:
            try:
                make_split({**splits.model_dump(), "index": 0}, facts.n_samples, dataset)
            except DataError as error:
                return str(error)
    elif splits.folds > facts.n_samples:
        return f"{dataset} has {facts.n_samples} samples, too few for {splits.folds} folds"
    return None
