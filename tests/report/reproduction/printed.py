"""Printed numbers of a small paper."""

from __future__ import annotations

from mlbench.published import PrintedValue


def printed_value(
    method: str, mean: float, dataset: str = "Birds", **other: object
) -> PrintedValue:
    known = {
        "paper": "lee",
        "table": "Table 1",
        "setting": "",
        "metric": "auc",
        "std": 1.0,
        "unit": "percent",
        "decimals": 1,
        "text": f"{mean:.1f}",
        "ours": "macro_auc",
        "n_splits": 3,
    }
    return PrintedValue(**{"method": method, "mean": mean, "dataset": dataset, **known, **other})
