"""A results folder: its plan, the rows of the plan, and its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from mlbench.metrics import declare, get_metric
from mlbench.options import Test
from mlbench.report.plan import PlannedCell, StoredPlan
from mlbench.report.protocol_note import notes_on_unknown_labels, protocol_note
from mlbench.report.results import Results, result_statuses, result_values
from mlbench.report.settings import Comparison, MetricColumn, ReportSettings
from mlbench.report.tables import tables_of
from mlbench.report.tables.per_label import label_tables
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.row_notes import notes_on_labels, notes_on_unscored, notes_on_versions
from mlbench.report.tables.table import Table
from mlbench.store import Row, Scan, Store, Summary


@dataclass(frozen=True)
class ResultsFolder:
    """The plan of a results folder, and the rows that belong to it."""

    path: Path
    plan: StoredPlan
    scan: Scan[Row] | Scan[Summary]

    @classmethod
    def open(cls, path: Path, whole: bool = False) -> ResultsFolder:
        """Read a results folder.

        Parameters
        ----------
        path : Path
        whole : bool
            Whether to read whole rows at once, because most of them will be needed.

        Raises
        ------
        StoreError
            If the folder has no plan, or its plan is damaged.
        """
        store = Store(path)
        plan = StoredPlan.read(store)
        keys = {cell.key for cell in plan.cells}
        return cls.of(path, plan, store.scan(keys) if whole else store.summaries(keys))

    @classmethod
    def of(cls, path: Path, plan: StoredPlan, scan: Scan[Row] | Scan[Summary]) -> ResultsFolder:
        """Return a results folder whose plan and rows are read already."""
        for metric in plan.own_metrics:
            declare(metric)
        return cls(path, plan, scan)

    @property
    def cells(self) -> tuple[PlannedCell, ...]:
        """Data set, method, split and key of every cell."""
        return self.plan.cells

    @cached_property
    def whole_rows(self) -> Mapping[str, Row]:
        """The rows by key, with the scores of labels and the grids of searches."""
        rows = self.scan.rows
        whole = {key: row for key, row in rows.items() if isinstance(row, Row)}
        return whole if len(whole) == len(rows) else Store(self.path).scan(rows).rows

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cells have which status; ``missing`` for those without a row."""
        rows = self.scan.rows
        keys = [cell.key for cell in self.cells]
        return dict(Counter(str(rows[key].status) if key in rows else "missing" for key in keys))

    def tables(self, metrics: Sequence[str] = ()) -> list[Table]:
        """Return the tables that the experiment asks for, or those of other metrics."""
        return tables_of(self.data(metrics))

    def label_tables(self, metrics: Sequence[str] = ()) -> list[Table]:
        """Return the tables of single labels; see :func:`.tables.per_label.label_tables`."""
        return label_tables(
            self.cells, self.whole_rows, self.settings(metrics), list(self.plan.datasets)
        )

    def data(self, metrics: Sequence[str] = ()) -> ReportData:
        """Return what the tables and the verdict are made from."""
        settings = self.settings(metrics)
        shown = [metric.name for metric in settings.metrics]
        values = result_values(self.cells, self.scan.rows, shown, seconds=False)
        statuses = result_statuses(self.cells, self.scan.rows)
        notes = (
            *notes_on_labels(shown, self.cells, self.scan.rows),
            *notes_on_unscored(list(map(get_metric, shown)), self.cells, self.scan.rows),
            *notes_on_versions(self.cells, self.scan.rows),
            protocol_note(self.plan.experiment, self.scan.rows.values()),
            *notes_on_unknown_labels(self.plan.experiment, self.plan.datasets),
        )
        return ReportData(Results(values, statuses, settings.n_splits), settings, notes)

    def settings(self, metrics: Sequence[str] = ()) -> ReportSettings:
        """Return what to report, from the experiment."""
        experiment, methods = self.plan.experiment, self.plan.methods
        shown = [
            get_metric(name) for name in metrics or experiment.report.metrics or experiment.metrics
        ]
        return ReportSettings(
            metrics=tuple(
                MetricColumn(
                    each.name,
                    each.title,
                    each.greater_is_better,
                    each.is_fraction,
                    each.is_quality,
                )
                for each in shown
            ),
            n_splits=self.plan.n_splits,
            methods=methods,
            datasets=tuple(self.plan.datasets),
            comparisons=_merged(
                Comparison(
                    method=wanted.method,
                    against=tuple(
                        wanted.against or [name for name in methods if name != wanted.method]
                    ),
                    tests=tuple(wanted.test),
                    correction=wanted.correction,
                    effects=tuple(wanted.effect),
                    rope=wanted.rope,
                    over_datasets=tuple(wanted.over_datasets),
                    all_pairs=wanted.all_pairs,
                    layout=wanted.layout,
                )
                for wanted in experiment.tests
            ),
            test_train_ratio=self._test_train_ratios(),
            percent=experiment.report.unit == "percent",
            decimals=experiment.report.decimals,
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


def _merged(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Join comparisons that differ in their tests alone, whose tables would repeat each other."""
    tests: dict[Comparison, list[Test]] = {}
    for each in comparisons:
        tests.setdefault(replace(each, tests=()), []).extend(each.tests)
    return tuple(replace(each, tests=tuple(dict.fromkeys(asked))) for each, asked in tests.items())
