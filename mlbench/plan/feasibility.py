"""Refuse what an experiment asks for but its data cannot give, before anything runs."""

from collections.abc import Iterator, Mapping

from mlbench.config.schema import ExperimentConfig
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError, DataError
from mlbench.protocol.splitters import Splitter
from mlbench.yaml_loader import Location

_MAX_CELLS = 200_000


class ImpossiblePlan(ConfigError):  # noqa: N818 - says what is wrong
    """The data do not suit the experiment.

    Attributes
    ----------
    problems : list of (location, str)
        The location in the file and the message of each problem.
    """

    def __init__(self, problems: list[tuple[Location, str]]) -> None:
        super().__init__("\n".join(message for _, message in problems))
        self.problems = problems


def problems(
    experiment: ExperimentConfig,
    splitters: Mapping[str, Splitter],
    facts: Mapping[str, DatasetFacts],
    unsuited: Mapping[str, list[str]],
) -> Iterator[tuple[Location, str]]:
    """Yield impossible splits, and methods that cannot learn from a data set.

    Parameters
    ----------
    experiment : ExperimentConfig
    splitters : mapping
        The splitter of each data set, by its name in tables.
    facts : mapping
        Facts about each data set, by its name in tables.
    unsuited : mapping
        For each method, the data sets that it cannot learn from, and why.
    """
    settings = [experiment.settings_of(name) for name in experiment.methods]
    folds = experiment.protocol.tuning.folds if any(each.needs_folds for each in settings) else 0
    n_splits = experiment.protocol.splits.n_splits
    names = [dataset.display for dataset in experiment.datasets]
    n_cells = n_splits * sum(name not in each.not_on for name in names for each in settings)
    if n_cells > _MAX_CELLS:
        yield (
            ("protocol", "splits"),
            f"{n_cells} cells (data sets x methods x {n_splits} splits) are too many for one "
            f"experiment; the limit is {_MAX_CELLS}",
        )
    splits = experiment.protocol.splits
    for index, dataset in enumerate(experiment.datasets):
        splitter = splitters[dataset.display]
        if dataset.train is not None and "train" not in type(splits).model_fields:
            yield (
                ("datasets", index, "train"),
                f"splits of kind {splits.kind} take no training part; only those of kind random "
                "and time do",
            )
        if dataset.imbalance is not None and not splitter.allows_imbalance:
            yield (
                ("datasets", index, "imbalance"),
                "with an imbalance each label draws its own rows, but the labels of a projection "
                "must share theirs; leave it out, or use splits of kind random",
            )
        least, rows = facts[dataset.display].min_df, splitter.training_rows(facts[dataset.display])
        if least > rows:
            yield (
                ("datasets", index, "text"),
                f"min_df is {least}, but a training part has {rows} rows at most; no word would be "
                "left",
            )
        if folds > rows:
            yield (
                ("protocol", "tuning", "folds"),
                f"{dataset.display}: a training part has {rows} rows at most, which cannot be "
                f"divided into {folds} folds",
            )
        try:
            splitter.check(facts[dataset.display], dataset.display, folds)
        except DataError as error:
            yield ("protocol", "splits"), str(error)
    for name, reasons in unsuited.items():
        yield from ((("methods", name), reason) for reason in reasons)
