"""What an experiment asks for that its data cannot give, known before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mlbench.config.schema import DatasetReference, Experiment
from mlbench.config.splits import (
    PublishedSplit,
    RandomSplits,
    RatingSplits,
    Splits,
    TransferSplits,
)
from mlbench.errors import ConfigError, DataError, MethodError
from mlbench.estimator_adapter import check_tasks
from mlbench.fitting import takes_ratings
from mlbench.plan.dataset_facts import DatasetFacts
from mlbench.protocol.ratings import refuse_too_few
from mlbench.protocol.splits import make_split
from mlbench.yaml_loader import Location

_LARGEST_GRID = 100_000


class ImpossiblePlan(ConfigError):  # noqa: N818 - says what is wrong
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
    settings = [experiment.settings_of(name) for name in experiment.methods]
    folds = experiment.protocol.tuning.folds if any(each.needs_folds for each in settings) else 0
    for place, dataset in enumerate(experiment.datasets):
        splits = experiment.splits_of(dataset)
        if dataset.train is not None and not isinstance(splits, RandomSplits):
            yield (
                ("datasets", place, "train"),
                f"a training part belongs to splits of the kind random, not {splits.kind}",
            )
        if isinstance(splits, TransferSplits | RatingSplits) and dataset.imbalance is not None:
            yield (
                ("datasets", place, "imbalance"),
                "rows that each label draws for itself cannot be shared by the labels of a "
                "projection; leave it out, or use splits of the kind random",
            )
        problem = _why_not_divided(splits, folds, dataset.display, facts[dataset.display])
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
            rated = isinstance(experiment.protocol.splits, RatingSplits)
            if rated and takes_ratings(models[name]):
                continue
            has_tasks = rated or _has_tasks(dataset, facts[dataset.display])
            try:
                check_tasks(models[name], has_tasks)
            except MethodError as error:
                why = " (with splits of the kind ratings, a task is a user)" if rated else ""
                yield ("methods", name), f"{dataset.display}: {error}{why}"


def _has_tasks(dataset: DatasetReference, facts: DatasetFacts) -> bool:
    """Tell whether samples are of one task each, as they become where each label draws its own."""
    return facts.n_tasks > 0 or dataset.imbalance is not None


def _why_not_divided(
    splits: Splits, tuning_folds: int, dataset: str, facts: DatasetFacts
) -> str | None:
    if isinstance(splits, RatingSplits):
        return _why_not_rated(splits, tuning_folds, dataset, facts)
    if facts.fewest_known is not None:
        return (
            f"{dataset}: not all labels of all rows are known, and only splits of the kind ratings "
            "learn and score those that are; use {kind: ratings, given: 20, folds: 10}"
        )
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
    elif isinstance(splits, TransferSplits):
        return _why_not_transferred(splits, tuning_folds, dataset, facts)
    elif splits.folds > facts.n_samples:
        return f"{dataset} has {facts.n_samples} samples, too few for {splits.folds} folds"
    return None


def _why_not_rated(
    splits: RatingSplits, tuning_folds: int, dataset: str, facts: DatasetFacts
) -> str | None:
    if facts.n_tasks:
        return f"{dataset}: splits of the kind ratings need users as labels, and this has tasks"
    fewest = facts.n_samples if facts.fewest_known is None else facts.fewest_known
    try:
        refuse_too_few(splits.model_dump(), facts.n_labels, fewest, dataset)
    except DataError as error:
        return str(error)
    if splits.given < tuning_folds:
        return (
            f"{dataset}: {splits.given} ratings of a user cannot be divided into {tuning_folds} "
            "folds for tuning; change given of protocol.splits, or protocol.tuning.folds"
        )
    return None


def _why_not_transferred(
    splits: TransferSplits, tuning_folds: int, dataset: str, facts: DatasetFacts
) -> str | None:
    if facts.n_tasks:
        return (
            f"{dataset}: every task has rows of its own, and splits of the kind transfer choose "
            "among labels that share theirs; use splits of the kind random or kfold"
        )
    last = {**splits.model_dump(), "index": (splits.folds or 1) - 1}  # no fold is smaller
    try:
        split = make_split(last, facts.n_samples, dataset, n_labels=facts.n_labels)
    except DataError as error:
        return str(error)
    if (n := len(split.train)) < tuning_folds:
        return (
            f"{dataset}: training parts of {n} samples cannot be divided into {tuning_folds} folds "
            "for tuning; change protocol.splits or protocol.tuning.folds"
        )
    return None
