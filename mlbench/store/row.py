"""The row: what one cell leaves behind. Every field is described here, once."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Status = Literal["ok", "error", "invalid", "timeout", "memory", "crash", "data"]

FAILURES: dict[str, str] = {
    "error": "the method raised an exception",
    "invalid": "the method returned scores or labels that cannot be",
    "timeout": "the cell took longer than its time limit",
    "memory": "the cell took more than its memory limit",
    "crash": "the worker's process ended without a result",
    "data": "the data could not be read, or changed after the run was planned",
}


class Failure(TypedDict):
    """Why a cell has no result."""

    kind: Status  # one of FAILURES
    message: str  # one line
    traceback: str  # empty where there is none


class Seconds(TypedDict, total=False):
    """Wall-clock time of a cell's steps."""

    tune: float
    fit: float  # the final model on the whole training part
    predict: float  # on the test part
    threshold: float  # the choice of cuts, if labels were not cut natively
    total: float  # all of the cell, reading of data included


class Row(TypedDict):
    """The result of one cell."""

    schema: int  # of this description
    key: str  # SHA-256 of `identity`
    dataset: str  # names as they stood in the experiment that ran it
    method: str
    split: int
    status: Status
    metrics: dict[str, float | None]  # None where undefined; all conventions, `name@convention`
    counts: dict[str, int]  # labels in all, labels left out and why, samples in each part
    params: dict[str, Any]  # what tuning chose
    tuning: dict[str, Any] | None  # metric, grid, score of each grid point in each fold, its end
    cuts: list[float | str] | None  # where labels were cut, if not natively; "inf" is a text
    fit: dict[str, Any] | None  # what the final model says of its fit, if it does
    predictions: str | None  # SHA-256 of the file with scores and labels, where it is kept
    seconds: Seconds
    peak_memory_mb: float | None
    warnings: list[str]  # "text (n times)"
    failure: Failure | None
    limits: dict[str, float | None]  # time in seconds, memory in MB
    environment: dict[str, str]  # versions of what computed it
    finished: str  # UTC, ISO 8601
    identity: dict[str, Any]  # all that the result depends on
    code: dict[str, str]  # what ran: each class in the method, and a hash or a version of its code


class Summary(TypedDict):
    """What `status` needs of a row."""

    key: str
    status: Status
    seconds: Seconds
    warnings: list[str]
    failure: Failure | None
    predictions: str | None
    environment: dict[str, str]
    code: dict[str, str]
    finished: str


def summary_of(row: Row) -> Summary:
    """Return the part of a row that `status` needs."""
    return Summary(
        key=row["key"],
        status=row["status"],
        seconds=row["seconds"],
        warnings=row["warnings"],
        failure=row["failure"],
        predictions=row["predictions"],
        environment=row["environment"],
        code=row["code"],
        finished=row["finished"],
    )
