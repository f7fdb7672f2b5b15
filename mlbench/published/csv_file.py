"""Read a paper's printed values from a user's CSV file; docs/reproduce.md has its columns."""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench import plugins
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.options import TIMED_STEPS, is_published_file
from mlbench.plain_files import read_plain_text
from mlbench.published.values import SECONDS, PrintedValue, PublishedPaper
from mlbench.spelling import did_you_mean, refuse_unknown

REQUIRED = ("dataset", "method", "metric", "mean", "unit")
OPTIONAL = ("paper", "table", "setting", "std", "n_splits", "ours", "note", "not_comparable")
UNITS = ("percent", "fraction", SECONDS)

MAX_PROBLEMS = 10
MIN_SCORES = 2
"""The number of scores that show a wrong unit."""
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)")
_SHARE = re.compile(r"train=(0?\.\d+)")
_PLACE = ("table", "dataset", "setting", "method", "metric")


class _BadFieldError(Exception):
    """What is wrong with a line, after the column's name."""


@dataclass(frozen=True)
class _Line:
    """A line of the file."""

    where: str
    fields: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "").strip()


def find_paper(name: str, copy: Path | None = None) -> PublishedPaper:
    """Return an installed paper by its name, or the one in a CSV file by the file's path.

    Parameters
    ----------
    name : str
        A name, or a path.
    copy : Path, optional
        The file to read in place of that path.

    Raises
    ------
    MlbenchError
        If there is no such paper, or the file cannot be read.
    """
    papers, path = plugins.names(plugins.PAPERS), Path(name)
    if name in papers:
        found: PublishedPaper = plugins.load(plugins.PAPERS, name)(name)
        return found
    if is_published_file(name) or len(path.parts) > 1 or path.is_file():
        return read_published_file(copy or path, path.stem, follow=copy is None)
    if (file := Path(f"{name}.csv")).is_file():
        raise MlbenchError(f"there are no printed values of {name!r} (did you mean '{file}'?)")
    raise MlbenchError(
        f"there are no printed values of {name!r}{did_you_mean(name, papers)}; "
        f"known papers: {', '.join(papers)}, or a CSV file of printed values: FILE.csv"
    )


def is_dotted_metric(name: str) -> bool:
    """Tell whether a name belongs to a user's metric, which only its results know."""
    return ":" in name or "." in name


def metric_range(name: str) -> tuple[float, float]:
    """Return the smallest and largest value of a metric; infinite for an unknown one."""
    try:
        return get_metric(name).range
    except MlbenchError:
        return -math.inf, math.inf


def read_published_file(path: Path, name: str | None = None, follow: bool = True) -> PublishedPaper:
    """Read printed values from a CSV file.

    Parameters
    ----------
    path : Path
        A file with the columns dataset, method, metric, mean and unit, and where they are known
        paper, table, setting, std, n_splits, ours, note and not_comparable.
    name : str, optional
        The paper's name where the file has none; by default the file's.
    follow : bool
        Whether the file may be a symbolic link, as one that a user names may.

    Raises
    ------
    MlbenchError
        If it cannot be read; a line ``file:line: column: what is wrong`` for each of the first
        ten problems.
    """
    values: list[PrintedValue] = []
    problems: list[str] = []
    seen: dict[tuple[str, ...], str] = {}
    papers: dict[str, str] = {}
    for line in _lines(path, follow):
        first = seen.setdefault(tuple(line[key] for key in _PLACE), line.where)
        papers.setdefault(line["paper"], line.where)
        try:
            if first is not line.where:
                raise _BadFieldError(f"repeats line {first.rpartition(':')[2]}")
            if len(papers) > 1:
                raise _BadFieldError(f"paper: a file has one paper, not {' and '.join(papers)}")
            values.append(_value(line, name or path.stem))
        except _BadFieldError as problem:
            problems.append(f"{line.where}: {problem}")
    if problems:
        more = len(problems) - MAX_PROBLEMS
        shown = [*problems[:MAX_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
        raise MlbenchError("\n".join(shown))
    if not values:
        raise MlbenchError(f"{path}: no line with a printed value")
    _refuse_fractions_in_percent(path, values)
    paper = values[0].paper
    return PublishedPaper(paper, paper, tuple(values))


def _refuse_fractions_in_percent(path: Path, values: Sequence[PrintedValue]) -> None:
    """Refuse a file in which no score in percent is above 1: these are fractions."""
    scores = [
        value.mean
        for value in values
        if value.unit == "percent"
        and not is_dotted_metric(value.ours)
        and get_metric(value.ours).greater_is_better
    ]
    if len(scores) >= MIN_SCORES and max(scores) <= 1:
        raise MlbenchError(
            f"{path}: unit: all {len(scores)} scores in percent are at most 1; "
            "if they are fractions, write fraction"
        )


def _lines(path: Path, follow: bool) -> Iterator[_Line]:
    try:
        text = read_plain_text(path, follow, "utf-8-sig")
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        head = [name.strip() for name in next(rows, [])]
        _check_columns(path, head)
        for row in rows:
            where = f"{path}:{rows.line_num}"
            if len(row) > len(head):
                raise MlbenchError(
                    f"{where}: {len(row)} fields for {len(head)} columns; "
                    'put a text with a comma between quotes: "a, b"'
                )
            if any(field.strip() for field in row):
                yield _Line(where, dict(zip(head, row, strict=False)))
    except FileNotFoundError:
        raise MlbenchError(f"{path}: there is no such file of printed values") from None
    except OSError as error:
        raise MlbenchError(f"{path}: cannot be read: {error.strerror or error}") from None
    except csv.Error as error:
        raise MlbenchError(f"{path}:{rows.line_num}: not a line of a CSV file: {error}") from None


def _check_columns(path: Path, head: list[str]) -> None:
    known = [*REQUIRED, *OPTIONAL]
    missing = [name for name in REQUIRED if name not in head]
    if len(head) == 1 and (";" in head[0] or "\t" in head[0]):
        raise MlbenchError(f"{path}:1: separate the columns with commas")
    for name in head:
        refuse_unknown(f"{path}:1: unknown column", name, known)
    if missing:
        raise MlbenchError(f"{path}:1: no column {missing[0]!r}; needed: {', '.join(REQUIRED)}")
    if len(set(head)) < len(head):
        raise MlbenchError(f"{path}:1: a column stands there twice: {', '.join(head)}")


def _value(line: _Line, name: str) -> PrintedValue:
    for column in ("dataset", "method", "metric"):
        if not line[column]:
            raise _BadFieldError(f"{column}: must not be empty")
    unit = line["unit"]
    if unit not in UNITS:
        raise _BadFieldError(
            f"unit: must be {', '.join(UNITS)}, not {unit!r}{did_you_mean(unit, UNITS)}"
        )
    setting = line["setting"]
    if setting and not _SHARE.fullmatch(setting):
        raise _BadFieldError(
            f"setting: must be empty or a training share (train=0.2), not {setting!r}"
        )
    paper = line["paper"] or name
    ours, n_splits = _ours(line, unit), _n_splits(line)
    mean, std = _mean(line, ours, unit), _std(line, n_splits)
    return PrintedValue(
        paper=paper,
        table=line["table"] or paper,
        dataset=line["dataset"],
        setting=setting,
        method=line["method"],
        metric=line["metric"],
        mean=mean,
        std=std,
        unit=unit,
        decimals=len(line["mean"].partition(".")[2]),
        text=line["mean"] if math.isnan(std) else f"{line['mean']} ± {line['std']}",
        ours=ours,
        n_splits=n_splits,
        notes=tuple(filter(None, [line["note"]])),
        objections=tuple(filter(None, [line["not_comparable"]])),
        keeps_order=not line["not_comparable"],
    )


def _ours(line: _Line, unit: str) -> str:
    """Return our name of the quantity: `ours`, or by default `metric`."""
    column = "ours" if line["ours"] else "metric"
    name = line[column]
    if unit == SECONDS:
        steps = [f"{SECONDS}_{step}" for step in TIMED_STEPS]
        if name not in steps:
            raise _BadFieldError(f"{column}: a time must be {', '.join(steps)}, not {name!r}")
        return name
    if name.startswith(f"{SECONDS}_"):
        raise _BadFieldError(f"unit: {name} is a time; write {SECONDS}, not {unit}")
    try:
        metric = get_metric(name)
    except MlbenchError as error:
        if is_dotted_metric(name):
            return name
        hint = "" if column == "ours" else "; the column `ours` may say which of ours is meant"
        raise _BadFieldError(f"{column}: {str(error).partition(';')[0]}{hint}") from None
    if unit == "percent" and not metric.is_fraction:
        raise _BadFieldError(f"unit: {name} is not a fraction, so not in percent; write fraction")
    return metric.name


def _mean(line: _Line, ours: str, unit: str) -> float:
    mean = _number(line, "mean")
    if unit == SECONDS:
        low, high = 0.0, math.inf
    else:
        low, high = metric_range(ours)
    scale = 100.0 if unit == "percent" else 1.0
    if not scale * low <= mean <= scale * high:
        raise _BadFieldError(
            f"mean: {line['mean']} {unit} is impossible: {ours} lies between {scale * low:g} and "
            f"{scale * high:g}; is the unit right?"
        )
    return mean


def _std(line: _Line, n_splits: int | None) -> float:
    if not line["std"]:
        return math.nan
    std = _number(line, "std")
    if std < 0:
        raise _BadFieldError(f"std: must not be negative, not {line['std']}")
    if n_splits is None:
        raise _BadFieldError(
            "n_splits: a std needs the number of splits that the paper averages over"
        )
    if n_splits == 1 and std:
        raise _BadFieldError(f"n_splits: one split has no std, and {line['std']} is printed")
    return std


def _n_splits(line: _Line) -> int | None:
    text = line["n_splits"]
    if not text:
        return None
    if not re.fullmatch(r"[1-9]\d{0,8}", text):
        raise _BadFieldError(f"n_splits: must be a whole number from 1, not {text!r}")
    return int(text)


def _number(line: _Line, column: str) -> float:
    text = line[column]
    if not _NUMBER.fullmatch(text):
        raise _BadFieldError(
            f"{column}: must be a number as printed, such as 71.30, not {text!r}; "
            "its digits say how far it is rounded"
        )
    return float(text)
