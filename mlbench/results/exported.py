"""The files of an exported folder from which its results are read again.

::

    export.json     the experiment as it was planned, and facts of its data sets
    cells.csv       what became of each cell, and what it counted
    reference.json  keys, what results depend on, environments, code
    scores.csv      metrics on every split: the experiment's, and those asked for
    controls.csv    other metrics, by which comparisons are audited
    params.csv      what tuning chose
    seconds.csv     times and peak memory
    fit.csv         what fits report
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from os.path import lexists
from pathlib import Path
from typing import Any

from mlbench.bundle import is_bundle, unpack
from mlbench.errors import StoreError
from mlbench.hashing import digest
from mlbench.json_text import json_lines
from mlbench.metrics import Metric, declare, get_metric
from mlbench.options import EXPORT_COLUMNS
from mlbench.results.cells_file import CellOutcome, CellPlace, cells_text, parse_cells
from mlbench.results.long_csv import (
    csv_text,
    line_of,
    parse_lines,
    wide_text,
)
from mlbench.results.plan import StoredPlan
from mlbench.results.reference import CellRecord, Reference, Series
from mlbench.results.reference_file import parse_reference
from mlbench.results.results import Results
from mlbench.results.scores import MISSING, OK
from mlbench.results.searches import SearchOutcome
from mlbench.store import (
    AppliedLimits,
    Failure,
    Plain,
    Summary,
)
from mlbench.store.paths import read_text
from mlbench.store.plain_values import from_exported_text
from mlbench.store.strict_json import parse_json

EXPORT = "export.json"
CELLS = "cells.csv"
REFERENCE = "reference.json"
SCORES = "scores.csv"
"""May be missing: then nothing is scored."""
NUMBERS = ("scores", "controls", "params", "fit", "seconds")
WIDE = ("controls", "fit", "seconds")
"""Files with a line for each cell; those of older versions have one for each number."""
FORM = 1

_MEND = "restore the folder, or export the run to it again"

_DIGITS = {"fit": ".9g", "seconds": ".6f"}
"""The digits of what no table prints in full, and no check compares; of metrics all are kept."""

CONTROLS = (
    "macro_f1@share",
    "micro_f1@share",
    "example_f1@share",
    "macro_f1@constant",
    "micro_f1@constant",
    "cut_ratio",
    "macro_auc",
    "auc_tie_share",
)
"""Metrics by which comparisons are audited, whichever the experiment shows. Of those that it shows
the reading of 0/0 as 0 is one, too.
"""

_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)
"""What a file of another form raises while it is taken apart."""

ExportedNumber = tuple[str, str, int, str, Plain]
"""Data set, method, split, name and value."""


def export_texts(results: Results, metrics: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names and contents of the files, but for the reference, which has the same metrics."""
    plan = results.plan.as_plain()
    del plan["cells"]
    plan.pop("folder", None)
    yield EXPORT, "\n".join(json_lines({"mlbench_export": FORM, **plan})) + "\n"
    yield CELLS, cells_text(results)
    shown = [get_metric(name) for name in results.plan.experiment.metrics]
    read_as_zero = [f"{each.name}@sklearn" for each in shown if "sklearn" in each.conventions]
    controls = {*CONTROLS, *read_as_zero} - {*metrics}
    for what in NUMBERS:
        names = {"scores": metrics, "controls": controls}.get(what, ())
        kind = _kind(what)
        lines = [
            (dataset, method, split, name, _brief(what, value))
            for dataset, method, split, name, value in results.numbers(kind, names)
        ]
        if what == "controls":
            lines = _on_all_splits(lines)
        if lines:
            text = wide_text(lines) if what in WIDE else csv_text((EXPORT_COLUMNS[kind],), lines)
            yield f"{what}.csv", text


def _on_all_splits(lines: Sequence[ExportedNumber]) -> list[ExportedNumber]:
    """Leave out what a method has on some of its splits alone; rows of older versions lack it."""
    splits = Counter((dataset, method, name) for dataset, method, _, name, _ in lines)
    most: dict[tuple[str, str], int] = {}
    for (dataset, method, _), number in splits.items():
        most[dataset, method] = max(number, most.get((dataset, method), 0))
    return [line for line in lines if splits[line[0], line[1], line[3]] == most[line[:2]]]


def _brief(what: str, value: Plain) -> Plain:
    """Return a number with the digits that an export keeps; those of metrics are all kept."""
    if what not in _DIGITS or not isinstance(value, float):
        return value
    return float(format(value, _DIGITS[what]))


def _kind(what: str) -> str:
    """Return which of `EXPORT_COLUMNS` a file of numbers holds."""
    return "scores" if what == "controls" else what


def folder_texts(path: Path) -> dict[str, str]:
    """Return the texts of an exported folder's files from which results are read, by name.

    Parameters
    ----------
    path : Path
        The folder, or a bundle of it.

    Raises
    ------
    StoreError
        If one cannot be read.
    """
    if is_bundle(path):
        texts = unpack(path)
        if lacking := {EXPORT, REFERENCE, CELLS} - {*texts}:
            raise StoreError(f"{path}: damaged: it has no {min(lacking)}")
        names = {EXPORT, REFERENCE, CELLS, *(f"{what}.csv" for what in NUMBERS)}
        return {name: text for name, text in texts.items() if name in names}
    if lexists(path / "plan.json") and not lexists(path / EXPORT):
        raise StoreError(
            f"{path}: is the folder of a run; `mlbench export {path} --folder DIR` makes the "
            "exported folder that is needed here"
        )
    numbers = [name for name in (f"{what}.csv" for what in NUMBERS) if lexists(path / name)]
    return {name: read_text(path / name) for name in (EXPORT, REFERENCE, CELLS, *numbers)}


def export_of_texts(path: Path, texts: Mapping[str, str]) -> Results:
    """Return the results that the texts of an exported folder's files hold.

    Parameters
    ----------
    path : Path
        Where they are from; messages name the file there.
    texts : mapping
        By the name of the file.

    Raises
    ------
    StoreError
        If one is damaged.
    """
    plan = _parse_plan(path / EXPORT, texts[EXPORT])
    reference = parse_reference(path / REFERENCE, texts[REFERENCE])
    series = {(each.dataset, each.method): each for each in reference.series}
    outcomes = parse_cells(path / CELLS, texts[CELLS])
    numbers = {what: _parse_numbers(path, what, texts, outcomes) for what in NUMBERS}
    rows: dict[str, Summary] = {}
    searches: dict[str, SearchOutcome] = {}
    planned: list[tuple[str, str, int, str]] = []
    for place, outcome in outcomes.items():
        there = series.get(place[:2])
        cell = None if there is None else there.cells.get(str(place[2]))
        if (MISSING if cell is None else cell.status) != outcome.status:
            raise StoreError(
                f"{path / CELLS}:{line_of(texts[CELLS], *place)}: {'/'.join(map(str, place))} has "
                f"another status in {REFERENCE}; {_MEND}"
            )
        if there is None or cell is None:
            planned.append((*place, digest(["not run", *place])))
            continue
        problem = _other_scores(cell, numbers["scores"].get(place, {}))
        if SCORES in texts and problem is not None:
            metric, told = problem
            line = line_of(texts[SCORES], *place, metric)
            raise StoreError(
                f"{path / SCORES}:{line}: {'/'.join(map(str, place))} {told} {REFERENCE}; {_MEND}"
            )
        found = {what: of.get(place, {}) for what, of in numbers.items()}
        try:
            row = _row(place, reference, there, cell, outcome, found)
            key = cell.key
            if key in rows and rows[key].metrics != row.metrics:
                key = digest(["ran twice", *place])  # here, and where it was taken over from
            planned.append((*place, key))
            rows[key] = row
            if (search := outcome.search) is not None:
                searches[key] = search
        except _UNREADABLE as error:
            raise StoreError(
                f"{_damaged(path / CELLS, error)}: {'/'.join(map(str, place))}"
            ) from None
    try:
        stored = StoredPlan.from_plain({**plan, "cells": planned})
        _check_plan(stored)
        return Results(
            path, stored, rows, "export", written=reference.written, exported_searches=searches
        )
    except _UNREADABLE as error:
        raise StoreError(_damaged(path / EXPORT, error)) from None


def _check_plan(plan: StoredPlan) -> None:
    """Raise ValueError if data sets or splits are not those that the experiment states."""
    if [*plan.datasets] != [each.display for each in plan.experiment.datasets]:
        raise ValueError("its data sets are not those of its experiment")
    stated = plan.experiment.protocol.splits.n_splits
    if plan.n_splits != stated:
        raise ValueError(f"n_splits is {plan.n_splits}, and its experiment has {stated}")
    if (last := max(cell.split for cell in plan.cells)) >= stated:
        raise ValueError(f"a cell of split {last}, and splits are 0 to {stated - 1}")


def _other_scores(cell: CellRecord, scores: Mapping[str, Plain]) -> tuple[str, str] | None:
    """Return the first metric whose score is not that of the reference, and what is wrong."""
    if cell.status != OK and scores:
        return min(scores), f"has scores, and is {cell.status} in"
    for metric, score in cell.scores.items():
        if metric not in scores:
            return metric, f"has no {metric}, which stands in"
        if scores[metric] != score:
            return metric, f"has another {metric} in"
    return None


def _row(
    place: CellPlace,
    reference: Reference,
    series: Series,
    cell: CellRecord,
    outcome: CellOutcome,
    numbers: Mapping[str, dict[str, Any]],
) -> Summary:
    dataset, method, split = place
    identity: dict[str, Any] = dict(series.identity)
    identity["split"] = {**identity["split"], "index": split}
    status: Any = cell.status
    seconds: dict[Any, float] = numbers["seconds"]
    peak = seconds.pop("peak_memory_mb", None)
    return Summary(
        key=cell.key,
        dataset=dataset,
        method=method,
        split=split,
        status=status,
        metrics=numbers["controls"] | numbers["scores"],
        counts=outcome.counts,
        params=numbers["params"],
        tuning=None if identity.get("tuning") is None else outcome.tuning,
        fit=numbers["fit"] or None,
        seconds=seconds,
        peak_memory_mb=peak,
        limits=AppliedLimits(),
        warnings=outcome.warnings,
        failure=None if status == OK else Failure(status, outcome.message),
        predictions=None,
        environment=reference.environment_of(cell),
        code=reference.code_of(cell),
        finished=outcome.finished,
        identity=identity,
    )


def hashes_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SHA-256 of each of the texts from which results are read, but for the reference.

    Line ends are those of Unix, whatever a version control system made of them.
    """
    read = (EXPORT, CELLS, *(f"{what}.csv" for what in NUMBERS))
    return {
        name: sha256(texts[name].replace("\r\n", "\n").encode()).hexdigest()
        for name in read
        if name in texts
    }


def _parse_numbers(
    path: Path, what: str, texts: Mapping[str, str], cells: Collection[CellPlace]
) -> dict[CellPlace, dict[str, Plain]]:
    file, kind = path / f"{what}.csv", _kind(what)
    found: dict[CellPlace, dict[str, Plain]] = {}
    lines = parse_lines(file, texts[file.name], kind, what in WIDE) if file.name in texts else ()
    for dataset, method, split, name, text in lines:
        place = (dataset, method, split)
        if place not in cells:
            raise StoreError(f"{file}: {dataset}/{method}/{split} is not a cell of {CELLS}")
        value = from_exported_text(text)
        is_number = kind in ("scores", "seconds") and value is not None
        found.setdefault(place, {})[name] = float(text) if is_number else value
    return found


def _parse_plan(path: Path, text: str) -> dict[str, Any]:
    """Return the plan as plain values, and declare the user's metrics."""
    try:
        plain: dict[str, Any] = parse_json(text)
        form = plain.pop("mlbench_export")
        for metric in plain.get("user_metrics", ()):
            declare(Metric.from_plain(metric))
    except _UNREADABLE as error:
        raise StoreError(_damaged(path, error)) from None
    if form != FORM:
        raise StoreError(f"{path}: written in form {form}, and this version reads form {FORM}")
    return plain


def _damaged(path: Path, error: Exception) -> str:
    words = " ".join(str(error).split())[:200]
    return f"{path}: damaged ({type(error).__name__}: {words})"
