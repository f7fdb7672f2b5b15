"""Read the values over splits of a results folder or of its exported CSV files."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mlbench.errors import StoreError
from mlbench.options import is_published_file
from mlbench.report.folder import ResultsFolder
from mlbench.report.protocol_note import protocol_note
from mlbench.report.results import result_values
from mlbench.store.paths import PUBLISHED_FILE, inside
from mlbench.yaml_loader import load_yaml

Entry = tuple[str, str, str | int, str, float]
"""Data set, method, split, quantity, value."""


@dataclass(frozen=True)
class MeasuredValues:
    """Values over splits."""

    source: str
    """Where they come from, for messages."""
    paper: str | None
    """The paper or file that the experiment names under ``published:``."""
    values: Mapping[tuple[str, str, str], tuple[float, ...]]
    """By data set, method and quantity: a metric, or ``seconds_fit`` and the like. Splits without a
    value are omitted.
    """
    protocol: str = ""
    """Our protocol in a sentence."""
    published_copy: Path | None = None
    """The results' copy of that file."""

    @property
    def datasets(self) -> list[str]:
        """Data sets with values, in order."""
        return list(dict.fromkeys(dataset for dataset, _, _ in self.values))

    @property
    def methods(self) -> list[str]:
        """Methods with values, in order."""
        return list(dict.fromkeys(method for _, method, _ in self.values))


def read_measured_values(folder: Path | ResultsFolder) -> MeasuredValues:
    """Read measured values.

    Parameters
    ----------
    folder : Path or ResultsFolder
        A folder that ``mlbench run`` filled, or one with the CSV files of ``mlbench export``:
        ``scores.csv``, ``seconds.csv`` or both, and ``experiment.yaml`` where there is one.

    Raises
    ------
    StoreError
        If it is neither, or a file is damaged; the message names file and line.
    """
    if isinstance(folder, ResultsFolder):
        return _of_rows(folder)
    exports = [folder / "scores.csv", folder / "seconds.csv"]
    if (folder / "plan.json").exists():
        return _of_rows(ResultsFolder.open(folder))
    if not any(path.is_file() for path in exports):
        raise StoreError(
            f"{folder}: not a results folder (it has neither the plan.json of `mlbench run` nor a "
            "scores.csv or seconds.csv of `mlbench export`)"
        )
    entries = [entry for path in exports if path.is_file() for entry in _exported(path)]
    experiment = folder / "experiment.yaml"
    if not experiment.is_file():
        return MeasuredValues(str(folder), None, _by_place(entries))
    protocol = f"Our protocol is in {experiment}."
    paper = _paper(experiment)
    copy = _published_copy(paper, folder)
    return MeasuredValues(str(folder), paper, _by_place(entries), protocol, copy)


def _of_rows(folder: ResultsFolder) -> MeasuredValues:
    experiment = folder.plan.experiment
    return MeasuredValues(
        str(folder.path),
        experiment.published,
        _by_place(result_values(folder.cells, folder.scan.rows)),
        protocol_note(experiment, folder.scan.rows.values()),
        _published_copy(experiment.published, folder.path),
    )


def _by_place(entries: Iterable[Entry]) -> dict[tuple[str, str, str], tuple[float, ...]]:
    values: dict[tuple[str, str, str], list[float]] = {}
    for dataset, method, _, quantity, value in entries:
        if not math.isnan(value):
            values.setdefault((dataset, method, quantity), []).append(value)
    return {place: tuple(found) for place, found in values.items()}


def _exported(path: Path) -> Iterator[Entry]:
    """Yield the lines of an exported file, a step of ``seconds.csv`` as ``seconds_fit``."""
    name, prefix = ("step", "seconds_") if path.stem == "seconds" else ("metric", "")
    wanted = ["dataset", "method", "split", name, "value"]
    seen: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(_lines(path), 1):
        where = f"{path}:{number}"
        if number == 1:
            if line != wanted:
                raise StoreError(f"{where}: the columns must be {','.join(wanted)}")
            continue
        if len(line) != len(wanted):
            raise StoreError(f"{where}: {len(line)} fields instead of {len(wanted)}")
        *place, text = line
        first = seen.setdefault(tuple(place), number)
        if first != number:
            raise StoreError(f"{where}: repeats line {first}: {', '.join(place)}")
        yield place[0], place[1], place[2], prefix + place[3], _number(text, where)


def _lines(path: Path) -> list[list[str]]:
    """Return the fields of a file's lines; one empty line for an empty file."""
    try:
        text = path.read_text(encoding="utf-8")
        return list(csv.reader(text.splitlines())) or [[]]
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: not a text file in UTF-8 ({error.reason})") from None
    except (OSError, csv.Error) as error:
        raise StoreError(f"{path}: cannot be read: {error}") from None


def _number(text: str, where: str) -> float:
    """Return a value; an empty field is an undefined one."""
    try:
        value = float(text or "nan")
    except ValueError:
        raise StoreError(f"{where}: the value must be a number or empty, not {text!r}") from None
    if math.isinf(value):
        raise StoreError(f"{where}: the value must be finite, not {text!r}")
    return value


def _paper(path: Path) -> str | None:
    experiment = load_yaml(path).value
    paper = experiment.get("published") if isinstance(experiment, dict) else None
    return paper if isinstance(paper, str) else None


def _published_copy(published: str | None, folder: Path) -> Path | None:
    is_file = published is not None and is_published_file(published)
    return inside(folder, PUBLISHED_FILE) if is_file else None
