"""Results as they are stored: the plan, the rows of cells, and the numbers in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from mlbench.errors import MlbenchError
from mlbench.metrics import declare, get_metric
from mlbench.options import EXPORT_COLUMNS
from mlbench.results.plan import PlannedCell, StoredPlan
from mlbench.results.scores import MISSING, Scores, SeriesKey, row_values
from mlbench.results.searches import SearchOutcome, outcome_of
from mlbench.spelling import check_name, did_you_mean, refuse_unknown
from mlbench.store import Plain, Row, Store, Summary
from mlbench.store.label_scores import COLUMNS

if TYPE_CHECKING:
    from mlbench.data import Dataset
    from mlbench.results.kept import KeptPredictions

ResultsSource = Literal["run", "export"]


@dataclass(frozen=True, repr=False)
class StoredResults:
    """The plan of an experiment, the rows of its cells, and the numbers in them."""

    path: Path
    """The folder or the file that they were read from."""
    plan: StoredPlan
    rows: Mapping[str, Summary]
    """By key; a planned cell without a row has not run."""
    source: ResultsSource = "run"
    """Whether they were read from a run's folder or from an exported one."""
    damaged: Mapping[Path, str] = field(default_factory=dict)
    """Files that could not be read, and why; their rows count as missing."""
    written: str = ""
    """When an exported folder was written."""
    exported_searches: Mapping[str, SearchOutcome] = field(default_factory=dict)
    """By key, how the searches of an exported folder ended."""
    elsewhere: frozenset[str] = frozenset()
    """Keys of cells that were taken over from exports; their rows are not in the folder."""

    without_blocks: Mapping[str, Mapping[str, Sequence[float | None]]] = field(default_factory=dict)
    """By key and metric: scores without each block of test rows, where predictions gave them."""

    load_data: Callable[[str], Dataset] | None = None
    """Loads a data set by its name in tables, where an older version kept no true labels."""

    def __post_init__(self) -> None:
        for metric in self.plan.user_metrics:
            declare(metric)

    @classmethod
    def of_run(cls, path: Path, whole: bool = False) -> Self:
        """Read a folder that `mlbench run` filled.

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
        found = store.scan(keys) if whole else store.summaries(keys)
        return cls(path, plan, found.rows, "run", found.damaged)

    @property
    def cells(self) -> tuple[PlannedCell, ...]:
        """Data set, method, split and key of every cell."""
        return self.plan.cells

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(self.plan.datasets)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return self.plan.methods

    @cached_property
    def keys_by_split(self) -> dict[SeriesKey, dict[int, str]]:
        """The key of each cell of every data set and method, by split."""
        found: dict[SeriesKey, dict[int, str]] = {}
        for dataset, method, split, key in self.cells:
            found.setdefault((dataset, method), {})[split] = key
        return found

    def shown_cells(
        self, datasets: Collection[str] = (), methods: Collection[str] = ()
    ) -> list[PlannedCell]:
        """Return the cells of some data sets and methods, by default of all."""
        return [
            cell
            for cell in self.cells
            if cell.dataset in (datasets or self.datasets)
            and cell.method in (methods or self.methods)
        ]

    @cached_property
    def origins(self) -> Mapping[str, str | None]:
        """By method: the name and the day of the export that it was taken over from, if it was."""
        of: dict[str, str] = {}
        for each in self.plan.taken_over:  # the first is where the cells were run
            if each.is_base:
                of = dict.fromkeys(each.methods, each.label) | of
        return {name: of.get(name) for name in self.methods}

    @cached_property
    def own_rows(self) -> dict[str, Summary]:
        """The rows by key, without those of methods that were taken over from a base."""
        own = {cell.key for cell in self.cells if self.origins[cell.method] is None}
        return {key: row for key, row in self.rows.items() if key in own}

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cells are ok, failed in which way, or are missing."""
        keys = [cell.key for cell in self.cells]
        rows = self.rows
        return dict(Counter(str(rows[key].status) if key in rows else MISSING for key in keys))

    @cached_property
    def whole_rows(self) -> Mapping[str, Row]:
        """The rows by key, with the scores of labels and the grids of searches.

        Raises
        ------
        MlbenchError
            If these are not the results of a run, which alone have them.
        """
        self.require_run("scores of single labels, nor the grids of searches")
        own = self.rows.keys() - self.elsewhere
        whole = {key: row for key, row in self.rows.items() if isinstance(row, Row)}
        return whole if len(whole) == len(own) else Store(self.path).scan(own).rows

    @cached_property
    def searches(self) -> Mapping[str, SearchOutcome]:
        """By key, what the searches of cells gave away, and the slopes at the ends of grids.

        Cells without a search have none, nor have those of folders of older versions.
        """
        if self.source == "export":
            return self.exported_searches
        rows = self.whole_rows
        own = {key: outcome_of(row.tuning) for key, row in rows.items() if row.tuning is not None}
        return {**self.exported_searches, **own}

    def require_run(self, what: str) -> None:
        """Refuse what the rows of a run alone can answer.

        Raises
        ------
        MlbenchError
            If the results were not read from a run's folder.
        """
        if self.source != "run":
            raise MlbenchError(
                f"{self.path}: is an exported folder, which has no {what}; give the results folder "
                "of the run"
            )

    def scores_of(self, metrics: Collection[str] | None = None, seconds: bool = True) -> Scores:
        """Return the scores in some metrics, or in all, and why cells have none."""
        values = row_values(self.cells, self.rows, metrics, seconds)
        statuses = (
            (dataset, method, split, self.rows[key].status)
            for dataset, method, split, key in self.cells
            if key in self.rows
        )
        without = {
            (dataset, method, split, metric): scores
            for dataset, method, split, key in self.cells
            for metric, scores in self.without_blocks.get(key, {}).items()
        }
        return Scores(values, statuses, self.plan.n_splits, without, self.plan.not_run)

    @cached_property
    def test_train_ratios(self) -> dict[str, float]:
        """The mean size of test parts over that of training parts, by data set.

        Data sets whose parts have unknown sizes are left out, and those on whose splits the
        corrected t-test is refused.
        """
        sizes: dict[str, dict[int, tuple[int, int]]] = {}
        for dataset, _, split, key in self.cells:
            row = self.rows.get(key)
            if row is not None and row.is_ok and "train_samples" in row.counts:
                parts = (row.counts["test_samples"], row.counts["train_samples"])
                sizes.setdefault(dataset, {})[split] = parts
        return {
            name: sum(test for test, _ in each.values()) / sum(train for _, train in each.values())
            for name, each in sizes.items()
            if not self.plan.datasets[name].uncorrected
        }

    def numbers(
        self, what: str, names: Collection[str] = ()
    ) -> Iterator[tuple[str, str, int, str, Plain]]:
        """Yield data set, method, split, name and value of the cells that are ok.

        Parameters
        ----------
        what : str
            A key of `mlbench.options.EXPORT_COLUMNS`.
        names : collection of str
            Only these; by default all.
        """
        refuse_unknown("there are no numbers called", what, EXPORT_COLUMNS)
        for dataset, method, split, key in self.cells:
            row = self.rows.get(key)
            for name, value in _numbers(row, what) if row is not None and row.is_ok else ():
                if not names or name in names:
                    yield dataset, method, split, name, value

    def label_numbers(
        self, metrics: Collection[str] = ()
    ) -> Iterator[tuple[str, str, int, str, str, Plain]]:
        """Yield data set, method, split, label, metric and value of the rows that have them.

        Parameters
        ----------
        metrics : collection of str
            Only these of `mlbench.store.label_scores.COLUMNS`; by default all.
        """
        for dataset, method, split, key in self.cells:
            row = self.whole_rows.get(key)
            if row is not None and row.by_label is not None:
                wanted = [name for name in COLUMNS if not metrics or name in metrics]
                columns = {name: row.by_label.column(name) for name in wanted}
                for place, label in enumerate(row.by_label.names):
                    for name, values in columns.items():
                        yield dataset, method, split, label, name, values[place]

    def kept_predictions(
        self,
        dataset: str,
        method: str,
        split: int,
        metric: str = "",
        data: Dataset | None = None,
    ) -> KeptPredictions:
        """Return the predictions of a cell as arrays, as `Results.predictions` does as a frame."""
        from mlbench.results.kept import kept_predictions

        self.require_run("predictions")
        key = self._key(dataset, method, split)
        row = self.whole_rows.get(key)
        if row is None:
            raise MlbenchError(f"{dataset}/{method}/{split} was taken over, without predictions")
        if not row.tuned_by and metric:
            get_metric(metric)
        elif metric and metric not in row.tuned_by:
            raise MlbenchError(
                f"{dataset}/{method}/{split}: no model was tuned by {metric!r}"
                f"{did_you_mean(metric, row.tuned_by)}; known: {', '.join(row.tuned_by)}"
            )
        if not metric and len(row.tuned_by) > 1:
            raise MlbenchError(
                f"{dataset}/{method}/{split} has a model for each metric that it was tuned by; "
                f"name one: metric={' or '.join(map(repr, row.tuned_by))}"
            )
        return kept_predictions(Store(self.path).read_predictions(row), row, metric, data)

    def _key(self, dataset: str, method: str, split: int) -> str:
        for cell in self.cells:
            if (cell.dataset, cell.method, cell.split) == (dataset, method, split):
                if cell.key in self.rows:
                    return cell.key
                raise MlbenchError(f"{dataset}/{method}/{split} has not run")
        for what, name, known in (
            ("data set", dataset, self.datasets),
            ("method", method, self.methods),
        ):
            check_name(what, name, known)
        if not isinstance(split, int):
            raise MlbenchError(f"a split is a whole number from 0, not {split!r}")
        raise MlbenchError(f"there is no cell {dataset}/{method}/{split} in {self.path}")


def _numbers(row: Summary, what: str) -> list[tuple[str, Plain]]:
    if what == "seconds":
        return [*row.seconds.items(), ("peak_memory_mb", row.peak_memory_mb)]
    values: dict[str, Mapping[str, Plain]] = {
        "scores": row.metrics,
        "params": row.params,
        "counts": row.counts,
        "fit": row.fit or {},
    }
    return sorted(values[what].items())
