"""Tables as CSV: the unrounded numbers behind a table, one line per score or test."""

from __future__ import annotations

import csv
import io

from mlbench.report.tables.table import Scalar, Table


def to_csv(table: Table) -> str:
    """Return the table's records with a header line; empty fields where there is no number."""
    out = io.StringIO()
    names = list(dict.fromkeys(name for record in table.records for name in record))
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for record in table.records:
        writer.writerow([_field(record.get(name)) for name in names])
    return out.getvalue()


def _field(value: Scalar) -> str:
    if value is None or value != value:
        return ""
    return repr(value) if isinstance(value, float) else str(value)
