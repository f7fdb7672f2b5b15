"""The reference: the exact scores of an experiment, and everything they depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.dataclasses import dataclass

from mlbench.metrics import get_metric
from mlbench.results.origin import Moment
from mlbench.store import Summary
from mlbench.store.label_scores import Count
from mlbench.store.plain_values import Plain
from mlbench.store.row import Score, Status

if TYPE_CHECKING:
    from mlbench.results.results import Results

FORM: Literal[1] = 1

OF_DATA = ("dataset", "split", "imbalance")
"""Parts of an identity that all methods share on a data set."""

_OF_ALL_SERIES = ("dataset", "method", "identity", "cells")

ReferenceScore = Score | None
_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Model(BaseModel):
    model_config = ConfigDict(**_STRICT, frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class CellRecord:
    """One cell: its key, status, environment and code (by index), and scores by metric."""

    key: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    status: Status
    environment: Count
    code: Count | None = None
    scores: dict[str, ReferenceScore]


class ScoreSummary(_Model):
    """A metric over the splits of a series, for readers; comparisons use the scores."""

    mean: ReferenceScore
    std: ReferenceScore
    n: Count


class Series(_Model):
    """The cells of one method on one data set."""

    dataset: str
    method: str
    identity: dict[str, Plain]
    """Everything the cells' results depend on, except the number of the split."""
    cells: dict[Annotated[str, Field(pattern="^(0|[1-9][0-9]{0,8})$")], CellRecord]
    """By the number of the split."""
    summary: dict[str, ScoreSummary] = {}
    """By metric; exported folders have none, since their tables tell it."""
    samples: Count | None = None
    """Rows of the data set; references of before have none."""
    origin: str | None = None
    """Name and day of the export that the cells were taken over from, if they were not run."""

    @model_serializer(mode="wrap")
    def _without_empty_parts(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        plain: dict[str, Any] = serialize(self)
        return {name: value for name, value in plain.items() if value or name in _OF_ALL_SERIES}

    def scores(self, metric: str) -> dict[int, float | None]:
        """Return the score of every successful split; None if it is undefined."""
        return {
            int(split): cell.scores[metric]
            for split, cell in self.cells.items()
            if metric in cell.scores
        }


class Change(_Model):
    """Why and when the reference was updated, what moved, and what changed behind it."""

    date: str
    reason: str = Field(min_length=1)
    versions: dict[str, str]
    moved: list[str]
    changed: list[str] = []


class Reference(_Model):
    """The numbers of an experiment at one time."""

    form: Literal[1] = Field(alias="mlbench_reference")
    """Of this description."""
    experiment: str
    written: Moment
    metrics: list[str] = Field(min_length=1)
    """Those to compare."""
    environments: list[dict[str, str]]
    """Versions of what computed the cells; cells refer to them by index."""
    codes: list[dict[str, str]] = []
    """Provenance of the methods' code, by the name of each class; cells refer to them by index."""
    series: list[Series]
    history: list[Change] = []
    """The oldest first."""
    files: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]] = {}
    """The SHA-256 of each other file of an exported folder from which results are read."""

    @model_serializer(mode="wrap")
    def _without_files(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        plain: dict[str, Any] = serialize(self)
        return {name: value for name, value in plain.items() if value or name != "files"}

    def without_summaries(self) -> Reference:
        """Return the reference of a folder whose tables have the means."""
        series = [each.model_copy(update={"summary": {}}) for each in self.series]
        return self.model_copy(update={"series": series})

    def environment_of(self, cell: CellRecord) -> dict[str, str]:
        """Return what computed a cell."""
        return self.environments[cell.environment]

    def code_of(self, cell: CellRecord) -> dict[str, str]:
        """Return the provenance of a cell's code; empty if unknown."""
        return {} if cell.code is None else self.codes[cell.code]


def reference_of(folder: Results, metrics: Sequence[str] = ()) -> Reference:
    """Return the numbers of a results folder as a reference.

    Parameters
    ----------
    folder : Results
        Cells without a row are ignored.
    metrics : sequence of str
        By default those that the experiment's tables show.

    Raises
    ------
    MlbenchError
        If there is no such metric.
    """
    names = reference_metrics(folder, metrics)
    groups: dict[tuple[str, str], dict[int, Summary]] = {}
    for dataset, method, split, key in folder.cells:
        if (row := folder.rows.get(key)) is not None:
            groups.setdefault((dataset, method), {})[split] = row
    environments: list[dict[str, str]] = []
    codes: list[dict[str, str]] = []
    series = [
        _series(dataset, method, rows, names, environments, codes, folder)
        for (dataset, method), rows in groups.items()
    ]
    return Reference(
        mlbench_reference=FORM,
        experiment=folder.plan.experiment.name,
        written=datetime.now(UTC).isoformat(timespec="seconds"),
        metrics=names,
        environments=environments,
        codes=codes,
        series=series,
    )


def reference_metrics(folder: Results, metrics: Sequence[str] = ()) -> list[str]:
    """Return the names of metrics, by default of those that the experiment's tables show.

    Raises
    ------
    MlbenchError
        If there is no such metric.
    """
    wanted = metrics or folder.plan.experiment.metrics
    return list(dict.fromkeys(get_metric(name).name for name in wanted))


def _series(
    dataset: str,
    method: str,
    rows: Mapping[int, Summary],
    metrics: Sequence[str],
    environments: list[dict[str, str]],
    codes: list[dict[str, str]],
    folder: Results,
) -> Series:
    """Describe some cells; new environments and codes are appended to the lists."""
    cells = {}
    for split, row in rows.items():
        cells[str(split)] = CellRecord(
            key=row.key,
            status=row.status,
            environment=_place(row.environment, environments),
            code=_place(row.code, codes),
            scores={name: row.metrics[name] for name in metrics if name in row.metrics},
        )
    return Series(
        dataset=dataset,
        method=method,
        identity=_of_all_splits(next(iter(rows.values())).identity),
        cells=cells,
        summary={
            name: summarize(cell.scores[name] for cell in cells.values() if name in cell.scores)
            for name in metrics
        },
        samples=folder.plan.datasets[dataset].n_samples,
        origin=folder.origins.get(method),
    )


def _place(value: dict[str, str], known: list[dict[str, str]]) -> int:
    if value not in known:
        known.append(value)
    return known.index(value)


def summarize(scores: Iterable[float | None]) -> ScoreSummary:
    """Return mean and standard deviation (ddof = 1) of the scores that are defined."""
    known = np.array([score for score in scores if score is not None])
    return ScoreSummary(
        mean=float(known.mean()) if known.size else None,
        std=float(known.std(ddof=1)) if known.size > 1 else None,
        n=known.size,
    )


def _of_all_splits(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a cell's identity shares with those of its series."""
    split = {name: value for name, value in identity["split"].items() if name != "index"}
    of_split: dict[str, Any] = {"split": split}
    if "chosen" in identity:
        given = "by an earlier run"
        several = isinstance(identity["chosen"], list)
        of_split["chosen"] = [[name, given] for name, _ in identity["chosen"]] if several else given
    return {**identity, **of_split}
