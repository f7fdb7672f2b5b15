"""What an experiment asks for that its data cannot give, known before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from mlbench.config.schema import Experiment
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError, DataError, MethodError
from mlbench.plan.make_splitter import splitter_of
from mlbench.yaml_loader import Location

_LARGEST_GRID = 100_000
_MOST_CELLS = 200_000


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
    experiment: Experiment, facts: Mapping[str, DatasetFacts], models: Mapping[str, BaseEstimator]
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
    experiment: Experiment, facts: Mapping[str, DatasetFacts], models: Mapping[str, BaseEstimator]
) -> Iterator[tuple[Location, str]]:
    settings = [experiment.settings_of(name) for name in experiment.methods]
    folds = experiment.protocol.tuning.folds if any(each.needs_folds for each in settings) else 0
    n_splits = experiment.protocol.splits.number
    n_cells = len(experiment.datasets) * len(experiment.methods) * n_splits
    if n_cells > _MOST_CELLS:
        yield (
            ("protocol", "splits"),
            f"{n_cells} cells (data sets x methods x {n_splits} splits) are more than one "
            f"experiment may have; the most is {_MOST_CELLS}",
        )
    splitters = {each.display: splitter_of(experiment, each) for each in experiment.datasets}
    for place, dataset in enumerate(experiment.datasets):
        splits, splitter = experiment.protocol.splits, splitters[dataset.display]
        if dataset.train is not None and "train" not in type(splits).model_fields:
            yield (
                ("datasets", place, "train"),
                f"a training part belongs to splits of the kind random, not {splits.kind}",
            )
        if dataset.imbalance is not None and not splitter.allows_imbalance:
            yield (
                ("datasets", place, "imbalance"),
                "rows that each label draws for itself cannot be shared by the labels of a "
                "projection; leave it out, or use splits of the kind random",
            )
        try:
            splitter.check(facts[dataset.display], dataset.display, folds)
        except DataError as error:
            yield ("protocol", "splits"), str(error)
    for name, method in experiment.methods.items():
        size = math.prod(len(values) for values in method.tune.values())
        if size > _LARGEST_GRID:
            yield (
                ("methods", name, "tune"),
                f"a grid of {size} points (the product of {', '.join(method.tune)}) is more than "
                f"can be searched; the most is {_LARGEST_GRID}",
            )
        steps = experiment.settings_of(name).preprocess or ()
        for dataset in experiment.datasets:
            try:
                n_tasks = facts[dataset.display].n_tasks
                splitters[dataset.display].check_method(models[name], n_tasks)
            except MethodError as error:
                yield ("methods", name), f"{dataset.display}: {error}"
            if facts[dataset.display].has_missing and not _takes_missing(models[name], steps):
                yield (
                    ("methods", name),
                    f"{dataset.display}: features have missing values, which this method does not "
                    "take; write `preprocess: [impute]` in the protocol or on the method, with "
                    "`impute` before `unit-norm`",
                )


def _takes_missing(model: BaseEstimator, steps: Sequence[str]) -> bool:
    """Whether missing values are imputed in time, or no step and no method minds them."""
    if "unit-norm" in steps:
        return "impute" in steps[: steps.index("unit-norm")]
    takes = not hasattr(model, "__sklearn_tags__") or get_tags(model).input_tags.allow_nan
    return "impute" in steps or takes
