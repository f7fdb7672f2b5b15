"""The reference as a JSON file.

Floats are written with ``repr``, so that they are read back exactly. Every cell has its own line,
so that a version control system shows which numbers changed.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from mlbench.errors import ConfigError, MlbenchError, StoreError
from mlbench.metrics import get_metric
from mlbench.results.reference import Reference, Summary, summarize
from mlbench.store.atomic import write_text
from mlbench.store.checksum import DamagedFileError
from mlbench.store.paths import read_file
from mlbench.yaml_loader import parse_yaml

_LINE_PER_VALUE_DOWN_TO = 4


def write_reference(reference: Reference, path: Path) -> None:
    """Write a reference atomically.

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
                raise StoreError(
                    f"{series.dataset}/{series.method}/{split}: its row has no {min(lacking)}; "
                    "run the experiment into a new folder, or leave the metric out"
                )
    text = "\n".join(json_lines(reference.model_dump(mode="json", by_alias=True)))
    write_text(path, text + "\n")


def read_reference(path: Path) -> Reference:
    """Read a reference.

    Raises
    ------
    StoreError
        If the file cannot be read, is damaged or was altered; the message names the line.
    """
    try:
        text = read_file(path, follow=True).decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: not a text file in UTF-8 ({error.reason})") from None
    except (OSError, DamagedFileError) as error:
        words = error.strerror if isinstance(error, OSError) else error
        raise StoreError(
            f"{path}: cannot be read: {words}; "
            "`mlbench check RESULTS --write FILE` makes a reference"
        ) from None
    _refuse_repeated_keys(path, text)
    try:
        reference = Reference.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            raise StoreError(f"{path}{_why_no_json(text, first['msg'])}") from None
        _refuse(path, text, first["loc"], first["msg"])
    _check_whole(reference, path, text)
    return reference


def _check_whole(reference: Reference, path: Path, text: str) -> None:
    """Refuse a file whose parts contradict each other, as after a manual merge."""
    for name in reference.metrics:
        try:
            get_metric(name)
        except MlbenchError as error:
            _refuse(path, text, ("metrics",), str(error))
    if not any(series.cells for series in reference.series):
        _refuse(path, text, ("series",), "there are no cells")
    names = [(series.dataset, series.method) for series in reference.series]
    keys: dict[str, str] = {}
    for i, series in enumerate(reference.series):
        where: tuple[str | int, ...] = ("series", i)
        if names.index(names[i]) < i:
            _refuse(path, text, where, f"{series.dataset}/{series.method} is there twice")
        if not isinstance(series.identity.get("split"), dict):
            _refuse(path, text, (*where, "identity"), "'split' is missing")
        for split, cell in series.cells.items():
            place = (*where, "cells", split)
            name = f"{series.dataset}/{series.method}/{split}"
            if keys.setdefault(cell.key, name) != name:
                _refuse(path, text, place, f"has the key of {keys[cell.key]}")
            if cell.environment >= len(reference.environments):
                _refuse(path, text, place, f"there is no environment {cell.environment}")
            if cell.code is not None and cell.code >= len(reference.codes):
                _refuse(path, text, place, f"there is no code {cell.code}")
            if cell.status == "ok" and (lacking := {*reference.metrics} - {*cell.scores}):
                _refuse(path, text, place, f"the score {min(lacking)} is missing")
        for name, stated in series.summary.items():
            found = summarize(series.scores(name).values())
            if not _is_close(stated, found):
                _refuse(
                    path,
                    text,
                    (*where, "summary", name),
                    f"mean {stated.mean} over {stated.n} is not that of the cells above, "
                    f"{found.mean} over {found.n}: the file was altered by hand or merged badly",
                )


def _is_close(stated: Summary, found: Summary) -> bool:
    """Return whether two summaries agree up to rounding."""
    pairs = ((stated.mean, found.mean), (stated.std, found.std))
    return stated.n == found.n and all(
        (a is None) == (b is None) and math.isclose(a or 0.0, b or 0.0, rel_tol=1e-9, abs_tol=1e-12)
        for a, b in pairs
    )


def _refuse(path: Path, text: str, location: tuple[str | int, ...], problem: str) -> NoReturn:
    try:
        where = parse_yaml(text, path).at(*location)  # JSON is YAML, and that reader knows lines
    except ConfigError:
        where = str(path)
    name = ".".join(str(part)[:60] for part in location)
    raise StoreError(
        f"{where}: {name + ': ' if name else ''}{problem}; not a whole reference: restore it, or "
        "make another with `mlbench check RESULTS --write FILE`"
    )


def _refuse_repeated_keys(path: Path, text: str) -> None:
    """Refuse an object with a key twice, of which JSON readers keep the last."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            _refuse(path, "", (), f"the key {twice[:60]!r} is there twice")
        return found

    with contextlib.suppress(ValueError, RecursionError):  # told with its line by another reader
        json.loads(text, object_pairs_hook=unique, parse_int=str, parse_float=str)


def _why_no_json(text: str, otherwise: str) -> str:
    """Say where a text stops being JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f":{error.lineno}:{error.colno}: not valid JSON: {error.msg}"
    except (ValueError, RecursionError) as error:
        return f": not valid JSON: {error}"
    return f": not valid JSON: {otherwise}"


def json_lines(value: Any, depth: int = 0) -> list[str]:
    """Return the lines of a JSON file; deeply nested values share a line."""
    if depth >= _LINE_PER_VALUE_DOWN_TO or not isinstance(value, dict | list) or not value:
        return [json.dumps(value, ensure_ascii=False, allow_nan=False)]
    is_dict = isinstance(value, dict)
    items: Iterable[tuple[Any, Any]] = (
        value.items() if isinstance(value, dict) else enumerate(value)
    )
    opening, closing = "{}" if is_dict else "[]"
    lines = [opening]
    for place, (key, item) in enumerate(items, start=1):
        head = f"{json.dumps(key, ensure_ascii=False)}: " if is_dict else ""
        first, *rest = json_lines(item, depth + 1)
        inner = [head + first, *rest]
        inner[-1] += "," if place < len(value) else ""
        lines += [f" {line}" for line in inner]
    return [*lines, closing]
