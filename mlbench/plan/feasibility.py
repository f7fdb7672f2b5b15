"""What an experiment asks for that its data cannot give, known before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlbench.config.schema import Experiment
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError, DataError
from mlbench.protocol.splitters import Splitter
from mlbench.yaml_loader import Location

_MAX_CELLS = 200_000


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
    experiment: Experiment,
    splitters: Mapping[str, Splitter],
    facts: Mapping[str, DatasetFacts],
    unsuited: Mapping[str, list[str]],
) -> None:
    """Refuse divisions, and pairs of a method and a data set that cannot be.

    Parameters
    ----------
    experiment : Experiment
    splitters : mapping
        What divides each data set, by the name it has in tables.
    facts : mapping
        Facts about each data set, by the name it has in tables.
    unsuited : mapping
        By the names of methods, which data sets they cannot learn from, and why.

    Raises
    ------
    ImpossiblePlan
        With all that is wrong.
    """
    found = list(_problems(experiment, splitters, facts, unsuited))
    if found:
        raise ImpossiblePlan(found)


def _problems(
    experiment: Experiment,
    splitters: Mapping[str, Splitter],
    facts: Mapping[str, DatasetFacts],
    unsuited: Mapping[str, list[str]],
) -> Iterator[tuple[Location, str]]:
    settings = [experiment.settings_of(name) for name in experiment.methods]
    folds = experiment.protocol.tuning.folds if any(each.needs_folds for each in settings) else 0
    n_splits = experiment.protocol.splits.number
    n_cells = len(experiment.datasets) * len(experiment.methods) * n_splits
    if n_cells > _MAX_CELLS:
        yield (
            ("protocol", "splits"),
            f"{n_cells} cells (data sets x methods x {n_splits} splits) are more than one "
            f"experiment may have; the most is {_MAX_CELLS}",
        )
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
    for name, reasons in unsuited.items():
        yield from ((("methods", name), reason) for reason in reasons)
