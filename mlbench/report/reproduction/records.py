"""A comparison as JSON and CSV; docs/reproduce.md explains the keys."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mlbench.report.reproduction.base_rate import base_rates, first_readings
from mlbench.report.reproduction.comparison import ComparedValue, PaperComparison, RankCorrelation
from mlbench.report.reproduction.verdict import PrintVerdict
from mlbench.report.tables.table import Scalar

FORM = 2
"""Version of the format; it changes when a key is removed or changes its meaning."""


def comparison_record(comparison: PaperComparison) -> dict[str, Any]:
    """Return a comparison as JSON values."""
    tables = []
    for table in comparison.tables:
        for interpretation in comparison.interpretations(table):
            counts = comparison.counts(table, interpretation)
            numbers = {verdict.value: counts[verdict] for verdict in PrintVerdict}
            tables.append({"table": table, "interpretation": interpretation, **numbers})
    return {
        "form": FORM,
        "results": comparison.source,
        "paper": comparison.paper,
        "protocol": comparison.protocol,
        "tables": tables,
        "base_rates": base_rate_records(first_readings(comparison.lines)),
        "orders": [dict(order_record(order)) for order in comparison.orders],
        "figures": [dict(line_record(line)) for line in comparison.lines],
        "not_printed": list(comparison.not_printed),
    }


def base_rate_records(lines: Sequence[ComparedValue]) -> list[dict[str, Scalar]]:
    """Return what "reproduced" is worth, by table and data set."""
    return [
        {
            "table": table,
            "dataset": dataset,
            "n": rate.n,
            "reproduced": rate.n_reproduced,
            "others": rate.others,
            "p": rate.p,
        }
        for (table, dataset), rate in base_rates(lines).items()
    ]


def line_record(line: ComparedValue) -> Mapping[str, Scalar]:
    """Return a value and its interpretation with unrounded numbers."""
    target = line.printed
    return {
        "table": target.table,
        "printed_dataset": target.our_dataset,
        "printed_method": target.method,
        "printed_metric": target.metric,
        "unit": target.unit,
        "printed_mean": target.mean,
        "printed_std": _number(target.std),
        "printed_n": target.n_splits,
        "dataset": line.dataset,
        "method": line.method or None,
        "interpretation": line.interpretation if line.method else None,
        "variant": line.is_variant,
        "metric": target.ours,
        "mean": _number(line.mean),
        "std": _number(line.std),
        "n": line.n,
        "difference": _number(line.difference),
        "allowed": _number(line.allowed),
        "ratio": _number(line.ratio),
        "relative_ratio": _number(line.relative),
        "verdict": line.verdict.value,
        "reason": line.reason,
        "note": target.note,
    }


def order_record(order: RankCorrelation) -> Mapping[str, Scalar]:
    """Return the correlations of two orders with unrounded numbers."""
    return {
        "table": order.table,
        "dataset": order.dataset,
        "printed_metric": order.metric,
        "interpretation": order.interpretation,
        "n": order.n,
        "kendall": _number(order.kendall),
        "spearman": _number(order.spearman),
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
