"""The number of splits that stand in files."""

from __future__ import annotations

from pathlib import Path

from mlbench.config.schema import ExperimentConfig
from mlbench.config.splits import DATASET, FileSplits
from mlbench.data.split_files import read_split_file
from mlbench.errors import DataError
from mlbench.yaml_loader import Location


def with_number_of_splits(
    experiment: ExperimentConfig, folder: Path
) -> tuple[ExperimentConfig, list[tuple[Location, str]]]:
    """Fill in how many splits an experiment has, and return what is wrong with the files.

    Parameters
    ----------
    experiment : ExperimentConfig
        With splits of the kind file.
    folder : Path
        Where a relative path starts.
    """
    splits, at = experiment.protocol.splits, ("protocol", "splits", "file")
    assert isinstance(splits, FileSplits)
    files = dict.fromkeys(splits.file_of(each.display) for each in experiment.datasets)
    problems: list[tuple[Location, str]] = []
    numbers: dict[str, int] = {}
    if len(files) == 1 and len({each.use for each in experiment.datasets}) > 1:
        words = (
            f"data sets do not share rows; write {DATASET} in the name, for their names in tables"
        )
        return experiment, [(at, words)]
    for name in files:
        try:
            numbers[name] = len(read_split_file(folder / Path(name).expanduser()).splits)
        except DataError as error:
            problems.append((at, str(error)))
    wanted = splits.number or max(numbers.values(), default=1)
    for name, number in numbers.items():
        if number < wanted:
            problems.append((at, f"{name} has {number} splits, and {wanted} are wanted"))
    protocol = experiment.protocol.model_copy(
        update={"splits": splits.model_copy(update={"number": wanted})}
    )
    return experiment.model_copy(update={"protocol": protocol}), problems
