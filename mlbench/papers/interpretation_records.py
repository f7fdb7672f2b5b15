"""Readings of a protocol as JSON and CSV; docs/reproduce.md explains the keys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mlbench.papers.interpretations import (
    JUDGED,
    ComparedReadings,
    Explained,
    HeldOut,
    Reading,
)
from mlbench.report.reproduction.records import FORM, line_record
from mlbench.report.tables.table import Scalar, Table


def readings_as_plain(compared: ComparedReadings) -> dict[str, Any]:
    """Return the comparison of readings as JSON values."""
    return {
        "form": FORM,
        "paper": compared.paper,
        "readings": [
            {
                "reading": reading.name,
                **_explained(reading.explained(compared.numbers)),
                "corrected": compared.corrected(reading),
                "to_best": _number(compared.to_best(reading)),
                "common": len(compared.common(reading)),
            }
            for reading in compared.readings
        ],
        "methods": _groups(compared, "method"),
        "datasets": _groups(compared, "dataset"),
        "held_out": [_held_out(each) for each in compared.held_out()],
        "figures": _figures(compared),
    }


def reading_records(compared: ComparedReadings) -> Table:
    """Return a record for each reading and printed number, as a table without rows."""
    return Table(f"{compared.paper}-readings", "", (), (), (), records=tuple(_figures(compared)))


def _figures(compared: ComparedReadings) -> list[Mapping[str, Scalar]]:
    return [
        {
            **line_record(reading.lines[each]),
            "reading": reading.name,
            "log10_ratio": _log10_ratio(reading, each),
        }
        for reading in compared.readings
        for each in compared.numbers
        if each in reading.lines
    ]


def _groups(compared: ComparedReadings, key: str) -> list[dict[str, Any]]:
    return [
        {key: group, "reading": reading.name, **_explained(reading.explained(numbers))}
        for group, numbers in compared.by(lambda each: str(getattr(each, key))).items()
        for reading in compared.readings
        if reading.n_of(numbers)
    ]


def _explained(explained: Explained) -> dict[str, Any]:
    return {
        "n": explained.n,
        **{verdict.value: explained.counts[verdict] for verdict in JUDGED},
        "share": _number(explained.evidence.share),
        "off_by": _number(explained.off_by),
        "log10": explained.evidence.log10,
    }


def _held_out(held_out: HeldOut) -> dict[str, Any]:
    return {
        "dataset": held_out.dataset,
        "chosen": held_out.chosen,
        **_explained(held_out.here),
        "added": held_out.log10,
        "best": held_out.best,
        "best_here": _explained(held_out.best_here),
    }


def _log10_ratio(reading: Reading, number: Any) -> float | None:
    ratio = reading.log_ratios.get(number, math.nan)
    return _number(ratio / math.log(10))


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
