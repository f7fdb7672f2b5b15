"""A results folder as reports see it: the plan, the rows that belong to it, what to print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mlbench.errors import StoreError
from mlbench.metrics import Metric, declare, get_metric
from mlbench.report.frames import result_frames
from mlbench.report.protocol_note import protocol_note
from mlbench.report.settings import Comparison, MetricColumn, ReportSettings
from mlbench.report.tables.summary import experiment_tables
from mlbench.report.tables.table import Table
from mlbench.report.tables.undefined_labels import left_out_notes
from mlbench.store import Scan, Store


@dataclass(frozen=True)
class ResultsFolder:
    """The plan of a results folder, and the rows that belong to it.

    Attributes
    ----------
    path : Path
    plan : dict
        As :meth:`mlbench.store.Store.read_plan` returns it.
    scan : Scan
        The rows, and the files that are no rows.
    """

    path: Path
    plan: dict[str, Any]
    scan: Scan

    @classmethod
    def open(cls, path: Path) -> ResultsFolder:
        """Read a results folder.

        Raises
        ------
        StoreError
            If it is none.
        """
        store = Store(path)
        plan = store.read_plan()
        return cls.of(path, plan, store.scan({key for *_, key in plan["cells"]}))

    @classmethod
    def of(cls, path: Path, plan: dict[str, Any], scan: Scan) -> ResultsFolder:
        """Return a results folder whose plan and rows are read already.

        Raises
        ------
        StoreError
            If its plan is damaged.
        """
        folder = cls(path, plan, scan)
        try:
            for metric in plan.get("own_metrics", ()):
                declare(Metric.from_plain(metric))
            folder.settings()
            protocol_note(plan["experiment"])
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise StoreError(
                f"{path / 'plan.json'}: damaged ({type(error).__name__}: {error}); `mlbench run` "
                "on the same folder writes it anew"
            ) from None
        return folder

    @cached_property
    def cells(self) -> list[tuple[str, str, int, str]]:
        """Data set, method, split and key of every cell."""
        return [(dataset, method, split, key) for dataset, method, split, key in self.plan["cells"]]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cells have which status; ``missing`` for those without a row."""
        rows = self.scan.rows
        keys = [key for *_, key in self.cells]
        return dict(Counter(str(rows[key].status) if key in rows else "missing" for key in keys))

    def tables(self, metrics: Sequence[str] = ()) -> list[Table]:
        """Return the tables that the experiment asks for, or those of other metrics."""
        settings = self.settings(metrics)
        shown = [metric.name for metric in settings.metrics]
        values, statuses = result_frames(self.cells, self.scan.rows, shown)
        notes = [
            *left_out_notes(shown, self.cells, self.scan.rows),
            protocol_note(self.plan["experiment"], self.scan.rows.values()),
        ]
        return experiment_tables(values, statuses, settings, notes)

    def settings(self, metrics: Sequence[str] = ()) -> ReportSettings:
        """Return what to report, from the experiment."""
        experiment, methods = self.plan["experiment"], self.plan["methods"]
        shown = [get_metric(name) for name in metrics or experiment["metrics"]]
        report = experiment.get("report", {})
        return ReportSettings(
            metrics=tuple(
                MetricColumn(each.name, each.title, each.greater_is_better, each.is_fraction)
                for each in shown
            ),
            n_splits=self.plan["n_splits"],
            methods=tuple(methods),
            datasets=tuple(self.plan["datasets"]),
            comparisons=tuple(
                Comparison(
                    method=wanted["method"],
                    against=tuple(
                        wanted["against"] or [name for name in methods if name != wanted["method"]]
                    ),
                    tests=tuple(wanted["test"]),
                    correction=wanted["correction"],
                    effects=tuple(wanted.get("effect", ())),
                    over_datasets=tuple(wanted.get("over_datasets", ())),
                    layout=wanted.get("layout", "long"),
                )
                for wanted in experiment.get("tests", [])
            ),
            test_train_ratio=self._test_train_ratios(),
            percent=report.get("unit", "percent") == "percent",
            decimals=report.get("decimals"),
        )

    def _test_train_ratios(self) -> dict[str, float]:
        """Return the mean size of test parts over the mean size of training parts."""
        sizes: dict[str, dict[int, tuple[int, int]]] = {}
        for dataset, _, split, key in self.cells:
            row = self.scan.rows.get(key)
            if row is not None and row.is_ok:
                parts = (row.counts["test_samples"], row.counts["train_samples"])
                sizes.setdefault(dataset, {})[split] = parts
        return {
            name: sum(test for test, _ in each.values()) / sum(train for _, train in each.values())
            for name, each in sizes.items()
        }
