"""Cells of exports that stand in a results folder, in one sealed file beside its plan.

The file has the texts of each export, of the chosen cells alone, so that every command that shows
results needs no export any more.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mlbench.errors import StoreError
from mlbench.hashing import digest
from mlbench.json_text import json_lines
from mlbench.results.cells_file import CellPlace
from mlbench.results.exported import CELLS, EXPORT, REFERENCE, export_of_texts
from mlbench.results.origin import Extent, Origin, versions_of
from mlbench.results.reference import Reference
from mlbench.results.reference_file import parse_reference
from mlbench.results.results import Results
from mlbench.store import Summary
from mlbench.store.checksum import DamagedFileError, seal, unseal
from mlbench.store.paths import read_file
from mlbench.store.store import TAKEN_OVER
from mlbench.store.strict_json import parse_json

_SEAL = "taken_over"


@dataclass(frozen=True)
class TakenOver:
    """Cells of an export."""

    origin: Origin
    texts: Mapping[str, str]
    """The files of the export, with these cells alone, by their names."""
    path: Path
    """Where it was read from; messages name it."""

    @cached_property
    def results(self) -> Results:
        """The cells, with what is known of their experiment."""
        return export_of_texts(self.path, self.texts)

    @classmethod
    def of_export(
        cls, path: Path, texts: Mapping[str, str], cells: Collection[CellPlace], is_base: bool
    ) -> TakenOver:
        """Choose cells of an export.

        Parameters
        ----------
        path : Path
        texts : mapping
            The export's files; see :func:`mlbench.results.exported.folder_texts`.
        cells : collection of (data set, method, split)
        is_base : bool
        """
        reference = parse_reference(path / REFERENCE, texts[REFERENCE])
        chosen = _chosen_texts(texts, reference, {*cells})
        results = export_of_texts(path, chosen)
        rows = [results.rows[cell.key] for cell in results.cells if cell.key in results.rows]
        origin = Origin(
            name=results.plan.experiment.name,
            written=reference.written,
            sha256=hashlib.sha256(texts[REFERENCE].encode()).hexdigest(),
            is_base=is_base,
            methods=results.methods,
            counts=dict(Counter(row.status for row in rows)),
            versions=dict(versions_of(_own(rows, results) or rows)),
            extent=Extent(
                methods=len(results.methods),
                of_methods=len({each.method for each in reference.series}),
                datasets=len(results.datasets),
                of_datasets=len({each.dataset for each in reference.series}),
            ),
        )
        return cls(origin, chosen, path)


def _own(rows: Sequence[Summary], results: Results) -> list[Summary]:
    """Return the rows that an export did not take over itself."""
    return [row for row in rows if results.origins[row.method] is None]


def sealed(parts: Iterable[TakenOver]) -> str:
    """Return the text of the file."""
    plain = [{"origin": each.origin.model_dump(mode="json"), "texts": each.texts} for each in parts]
    return seal(_SEAL, plain)


def read_taken_over(folder: Path) -> list[TakenOver]:
    """Read the cells that a results folder has from exports; none if it has no such file.

    Raises
    ------
    StoreError
        If the file is damaged.
    """
    path = folder / TAKEN_OVER
    try:
        found = unseal(read_file(path), _SEAL)
        return [
            TakenOver(Origin.model_validate_json(json.dumps(each["origin"])), each["texts"], path)
            for each in found
        ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, DamagedFileError, ValueError, LookupError, TypeError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:200]
        raise StoreError(f"{path}: damaged: {reason}") from None


def completed(own: Results) -> Results:
    """Return the results of a run with the cells that its folder took over.

    They count as missing if their file is damaged.
    """
    if not own.plan.taken_over:
        return own
    try:
        parts = read_taken_over(own.path)
    except StoreError as error:
        parts, problem = [], str(error).rpartition("damaged: ")[2]
    else:
        problem = "" if parts else "it is not there"
    if problem:
        told = f"{problem}; `mlbench run` takes the cells over anew"
        return replace(own, damaged={**own.damaged, own.path / TAKEN_OVER: told})
    return with_taken_over(own, parts)


def with_taken_over(own: Results, parts: Sequence[TakenOver]) -> Results:
    """Return the results of a run with cells of exports; methods of others come first."""
    plan, rows, searches = own.plan, dict(own.rows), dict(own.exported_searches)
    others: dict[str, Any] = {}
    origins: list[Origin] = []
    cells, elsewhere = [*plan.cells], set[str]()
    own_keys = {cell.key for cell in plan.cells}
    for part in parts:
        results = part.results
        origins += [*results.plan.taken_over, part.origin]
        if part.origin.is_base:
            others |= results.plan.experiment.methods
        for cell in results.cells:
            # a method of one's own may be the same as another's: both keep their scores
            key = digest(["taken over", *cell]) if cell.key in own_keys else cell.key
            cells.append(cell._replace(key=key))
            elsewhere.add(key)
            rows[key] = results.rows[cell.key]
            if cell.key in results.searches:
                searches[key] = results.searches[cell.key]
    methods = {**others, **plan.experiment.methods}
    datasets = {name: place for place, name in enumerate(plan.datasets)}
    order = {name: place for place, name in enumerate(methods)}
    cells.sort(key=lambda cell: (datasets[cell.dataset], order[cell.method], cell.split))
    merged = plan.model_copy(
        update={
            "experiment": plan.experiment.model_copy(update={"methods": methods, "base": None}),
            "methods": tuple(methods),
            "cells": tuple(cells),
            "taken_over": tuple(origins),
        }
    )
    return replace(
        own, plan=merged, rows=rows, exported_searches=searches, elsewhere=frozenset(elsewhere)
    )


def _chosen_texts(
    texts: Mapping[str, str], reference: Reference, cells: set[CellPlace]
) -> dict[str, str]:
    """Return the files of an export with some of its cells alone."""
    chosen = {EXPORT: _chosen_plan(texts[EXPORT], cells)}
    chosen[REFERENCE] = _chosen_reference(reference, cells)
    for name, text in texts.items():
        if name == CELLS or (name.endswith(".csv") and name not in chosen):
            chosen[name] = _chosen_lines(text, cells)
    return chosen


def _chosen_plan(text: str, cells: set[CellPlace]) -> str:
    plain: dict[str, Any] = parse_json(text)
    datasets = {dataset for dataset, _, _ in cells}
    methods = {method for _, method, _ in cells}
    experiment = plain["experiment"]
    names = [*plain["datasets"]]
    experiment["datasets"] = [
        each for name, each in zip(names, experiment["datasets"], strict=True) if name in datasets
    ]
    experiment["methods"] = {
        name: each
        | {"not_on": [left_out for left_out in each.get("not_on", []) if left_out in datasets]}
        for name, each in experiment["methods"].items()
        if name in methods
    }
    experiment["tests"] = []  # they may name methods that are left out
    plain["datasets"] = {name: each for name, each in plain["datasets"].items() if name in datasets}
    plain["methods"] = [name for name in plain["methods"] if name in methods]
    origins = [
        each | {"methods": [name for name in each["methods"] if name in methods]}
        for each in plain.get("taken_over", [])
    ]
    plain["taken_over"] = [each for each in origins if each["is_base"] and each["methods"]]
    return json.dumps(plain, ensure_ascii=False)


def _chosen_reference(reference: Reference, cells: set[CellPlace]) -> str:
    series = []
    for each in reference.series:
        of = {
            split: cell
            for split, cell in each.cells.items()
            if (each.dataset, each.method, int(split)) in cells
        }
        if of:
            series.append(each.model_copy(update={"cells": of, "summary": {}}))
    chosen = reference.model_copy(update={"series": series, "history": []})
    return "\n".join(json_lines(chosen.model_dump(mode="json", by_alias=True))) + "\n"


def _chosen_lines(text: str, cells: set[CellPlace]) -> str:
    """Return the heading of a CSV file, and its lines of some cells."""
    heading, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(line for line in lines if (line[0], line[1], int(line[2])) in cells)
    return file.getvalue()
