"""The reference as a JSON file.

Floats are written with ``repr``, so that they are read back exactly. Every cell has its own line,
so that a version control system shows which numbers changed.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from mlbench.errors import ConfigError, MlbenchError, StoreError
from mlbench.json_text import json_lines
from mlbench.metrics import get_metric
from mlbench.results.reference import Reference, ScoreSummary, summarize
from mlbench.results.scores import impossible
from mlbench.store.atomic import write_output
from mlbench.store.paths import read_text
from mlbench.store.strict_json import RepeatedKeyError, parse_json
from mlbench.yaml_loader import parse_yaml

_LONGEST_KEY = 60
_MARKS = re.compile(r"^(<{7}|={7}|>{7})", re.MULTILINE)
"""What git writes around lines that two versions have otherwise."""
_MERGE = (
    "take one of them whole (git checkout --ours FILE), run the experiment, and update it with "
    "`mlbench check RESULTS --against FILE --update --reason ...`, with the reasons of the other"
)
_ADVICE = (
    "not a whole reference: restore a whole version of it (git checkout COMMIT -- FILE); only if "
    "there is none, remove it and make another with `mlbench check RESULTS --write FILE`"
)


def write_reference(reference: Reference, path: Path) -> None:
    """Write a reference atomically.

    Raises
    ------
    StoreError
        As for :func:`reference_text`.
    MlbenchError
        If the file cannot be written.
    """
    write_output(path, reference_text(reference).encode())


def reference_text(reference: Reference) -> str:
    """Return the text of a reference's file.

    Raises
    ------
    StoreError
        If there are no cells, or a successful one lacks a score because it is older than the
        metric.
    """
    if not reference.series:
        raise StoreError("there are no rows to make a reference of; `mlbench run` makes them")
    for series in reference.series:
        for split, cell in series.cells.items():
            if cell.status == "ok" and (lacking := {*reference.metrics} - {*cell.scores}):
                what = (
                    f"it was taken over from {series.origin}, which" if series.origin else "its row"
                )
                way = "" if series.origin else "run the experiment into a new folder, or "
                raise StoreError(
                    f"{series.dataset}/{series.method}/{split}: {what} has no {min(lacking)}; "
                    f"{way}leave the metric out"
                )
    return "\n".join(json_lines(reference.model_dump(mode="json", by_alias=True))) + "\n"


def read_reference(path: Path, follow: bool = False) -> Reference:
    """Read a reference.

    Parameters
    ----------
    path : Path
    follow : bool
        Whether the path may be a symbolic link, because the user gave it.

    Raises
    ------
    StoreError
        If the file cannot be read, is damaged or was altered; the message names the line.
    """
    return parse_reference(path, reference_file_text(path, follow))


def reference_file_text(path: Path, follow: bool = False) -> str:
    """Return the text of a reference; the parameters and errors are those of `read_reference`."""
    try:
        return read_text(path, follow)
    except StoreError as error:
        raise StoreError(f"{error}; `mlbench check RESULTS --write FILE` makes one") from None


def parse_reference(path: Path, text: str) -> Reference:
    """Return the reference that a text holds; messages name `path` and the line.

    Raises
    ------
    StoreError
        If it is damaged or was altered.
    """
    unreadable = None
    try:
        parse_json(text)
    except RepeatedKeyError as error:
        raise StoreError(f"{_repeated(path, text, error)}; {_ADVICE}") from None
    except json.JSONDecodeError as error:
        if path.suffix in (".yaml", ".yml"):
            raise StoreError(
                f"{path}: an experiment, or another YAML file; a reference is the JSON file that "
                "`mlbench check RESULTS --write FILE` makes"
            ) from None
        where = f"{path}:{error.lineno}:{error.colno}"
        if _MARKS.search(text):
            raise StoreError(f"{where}: two versions are not merged; {_MERGE}") from None
        raise StoreError(f"{where}: not valid JSON: {error.msg}; {_ADVICE}") from None
    except ValueError as error:
        unreadable = str(error)
    try:
        reference = Reference.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        is_large = first["type"] in ("less_than_equal", "greater_than_equal")
        refuse(path, text, first["loc"], "too large a number" if is_large else first["msg"])
    if unreadable is not None:  # the model would have said where
        raise StoreError(f"{path}: not valid JSON: {unreadable}")
    _check_whole(reference, path, text)
    return reference


def _check_whole(reference: Reference, path: Path, text: str) -> None:
    """Refuse a file whose parts contradict each other, as after a manual merge."""
    for i, name in enumerate(reference.metrics):
        try:
            get_metric(name)
        except MlbenchError as error:
            refuse(path, text, ("metrics",), str(error))
        if name in reference.metrics[:i]:
            refuse(path, text, ("metrics",), f"{name} is there twice")
    if not reference.series:
        refuse(path, text, ("series",), "there is none, so nothing to compare with")
    names = [(series.dataset, series.method) for series in reference.series]
    for i, series in enumerate(reference.series):
        where: tuple[str | int, ...] = ("series", i)
        if names.index(names[i]) < i:
            refuse(path, text, where, f"{series.dataset}/{series.method} is there twice")
        if not isinstance(series.identity.get("split"), dict):
            refuse(path, text, (*where, "identity"), "'split' is missing")
        if not series.cells:
            refuse(path, text, (*where, "cells"), "there is none")
        if series.summary and (lacking := {*reference.metrics} - {*series.summary}):
            refuse(path, text, (*where, "summary"), f"{min(lacking)} is missing")
        if more := {*series.summary} - {*reference.metrics}:
            refuse(path, text, (*where, "summary", min(more)), f"{min(more)} is not in metrics")
        splits: dict[str, str] = {}
        for split, cell in series.cells.items():
            place = (*where, "cells", split)
            if (first := splits.setdefault(cell.key, split)) != split:
                refuse(path, text, place, f"the key is that of split {first}")
            if cell.status != "ok" and cell.scores:
                refuse(path, text, place, f"a cell that is {cell.status} has no scores")
            for name, score in cell.scores.items():
                if problem := impossible(name, score):
                    refuse(path, text, place, problem)
            if cell.environment >= len(reference.environments):
                refuse(path, text, place, f"there is no environment {cell.environment}")
            if cell.code is not None and cell.code >= len(reference.codes):
                refuse(path, text, place, f"there is no code {cell.code}")
            if cell.status == "ok" and (lacking := {*reference.metrics} - {*cell.scores}):
                refuse(path, text, place, f"the score {min(lacking)} is missing")
            if more := {*cell.scores} - {*reference.metrics}:
                refuse(path, text, place, f"the score {min(more)} is not in metrics")
        for name, stated in series.summary.items():
            found = summarize(series.scores(name).values())
            if not _is_close(stated, found):
                refuse(
                    path,
                    text,
                    (*where, "summary", name),
                    f"{_told(stated)} is not that of the cells above, {_told(found)}: the file was "
                    "altered by hand or merged badly",
                )


def _told(summary: ScoreSummary) -> str:
    return f"mean {summary.mean} (std {summary.std}) over {summary.n}"


def _is_close(stated: ScoreSummary, found: ScoreSummary) -> bool:
    """Return whether two summaries agree up to rounding."""
    pairs = ((stated.mean, found.mean), (stated.std, found.std))
    return stated.n == found.n and all(
        (a is None) == (b is None) and math.isclose(a or 0.0, b or 0.0, rel_tol=1e-9, abs_tol=1e-12)
        for a, b in pairs
    )


def refuse(
    path: Path,
    text: str,
    location: tuple[str | int, ...],
    problem: str,
    advice: str = _ADVICE,
) -> NoReturn:
    """Say what is wrong at a location in a JSON file, and what to do."""
    try:
        where = parse_yaml(text, path).at(*location)  # JSON is YAML, and that reader knows lines
    except ConfigError:
        where = str(path)
    name = ".".join(str(part)[:_LONGEST_KEY] for part in location)
    raise StoreError(f"{where}: {name + ': ' if name else ''}{problem}; {advice}")


def _repeated(path: Path, text: str, error: RepeatedKeyError) -> str:
    """Say where a key is repeated; JSON is YAML, and that reader knows lines."""
    try:
        parse_yaml(text, path)
    except ConfigError as found:
        if "this key is already on line" in str(found):
            return str(found)
    return f"{path}: {error}"
