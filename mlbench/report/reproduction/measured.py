"""Read the values over splits of a results folder or of its exported CSV files."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mlbench.errors import StoreError
from mlbench.options import PUBLISHED_FILE, is_published_file
from mlbench.report.protocol_note import protocol_note
from mlbench.results import open_results
from mlbench.results.exported import EXPORT
from mlbench.results.long_csv import read_lines
from mlbench.results.results import Results
from mlbench.results.scores import row_values
from mlbench.store.paths import inside
from mlbench.yaml_loader import load_yaml

EXPORTS = "scores.csv", "seconds.csv"

Entry = tuple[str, str, str | int, str, float]
"""Data set, method, split, quantity, value."""


@dataclass(frozen=True)
class MeasuredValues:
    """Values over splits."""

    source: str
    """Where they come from, for messages."""
    values: Mapping[tuple[str, str, str], tuple[float, ...]]
    """By data set, method and quantity: a metric, or ``seconds_fit`` and the like. Splits without a
    value are omitted.
    """
    protocol: str = ""
    """Our protocol in a sentence."""

    @cached_property
    def datasets(self) -> list[str]:
        """Data sets with values, in order."""
        return list(dict.fromkeys(dataset for dataset, _, _ in self.values))

    @cached_property
    def methods(self) -> list[str]:
        """Methods with values, in order."""
        return list(dict.fromkeys(method for _, method, _ in self.values))


class MeasuredFolder:
    """A folder with measured values.

    Parameters
    ----------
    folder : Path or Results
        A folder that ``mlbench run`` filled, or one with the CSV files of ``mlbench export``:
        ``scores.csv``, ``seconds.csv`` or both, and ``experiment.yaml`` where there is one.

    Attributes
    ----------
    source : str
        Its path.
    paper : str or None
        The paper or file that the experiment names under ``published:``.
    published_copy : Path or None
        The folder's copy of that file.

    Raises
    ------
    StoreError
        If it is neither.
    """

    def __init__(self, folder: Path | Results) -> None:
        if isinstance(folder, Path) and any(
            (folder / name).exists() for name in ("plan.json", EXPORT)
        ):
            folder = open_results(folder)
        self._rows = None if isinstance(folder, Path) else folder
        path = folder if isinstance(folder, Path) else folder.path
        self.source = str(path)
        self._exports = [path / name for name in EXPORTS if self._rows is None]
        self._experiment = path / "experiment.yaml"
        if self._rows is not None:
            self.paper = self._rows.plan.experiment.published
        elif any(export.is_file() for export in self._exports):
            self.paper = _paper(self._experiment)
        else:
            raise StoreError(
                f"{path}: not a results folder (it has neither the plan.json of `mlbench run` nor "
                "a scores.csv or seconds.csv of `mlbench export`)"
            )
        is_file = self.paper is not None and is_published_file(self.paper)
        self.published_copy = inside(path, PUBLISHED_FILE) if is_file else None

    def read(self, metrics: Collection[str] | None = None) -> MeasuredValues:
        """Read the values, of rows only these metrics, or all.

        Raises
        ------
        StoreError
            If a file is damaged; the message names file and line.
        """
        if self._rows is None:
            entries = (each for path in self._exports if path.is_file() for each in _exported(path))
            values = _by_place(entries)
            known = self._experiment.is_file()
            protocol = f"Our protocol is in {self._experiment}." if known else ""
            return MeasuredValues(self.source, values, protocol)
        found = self._rows.rows
        values = _by_place(row_values(self._rows.cells, found, metrics))
        protocol = protocol_note(self._rows.plan.experiment, found.values())
        return MeasuredValues(self.source, values, protocol)


def _by_place(entries: Iterable[Entry]) -> dict[tuple[str, str, str], tuple[float, ...]]:
    values: dict[tuple[str, str, str], list[float]] = {}
    for dataset, method, _, quantity, value in entries:
        if not math.isnan(value):
            values.setdefault((dataset, method, quantity), []).append(value)
    return {place: tuple(found) for place, found in values.items()}


def _exported(path: Path) -> Iterator[Entry]:
    """Yield the lines of an exported file, a step of ``seconds.csv`` as ``seconds_fit``."""
    prefix = "seconds_" if path.stem == "seconds" else ""
    for dataset, method, split, name, text in read_lines(path, path.stem):
        yield dataset, method, split, prefix + name, float(text or "nan")


def _paper(experiment: Path) -> str | None:
    content = load_yaml(experiment).value if experiment.is_file() else None
    paper = content.get("published") if isinstance(content, dict) else None
    return paper if isinstance(paper, str) else None
