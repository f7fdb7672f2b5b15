"""The results of an experiment, for Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.api.table_view import TableView
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.options import EXPORT_COLUMNS, Correction, FigureWidth, Test
from mlbench.report.figures import FigureRequest
from mlbench.report.folder import ResultsFolder
from mlbench.report.long_form import label_long_form, long_form
from mlbench.report.settings import Comparison
from mlbench.report.tables.comparison_layout import comparison_tables
from mlbench.report.tables.mean_ranks import rank_table
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.score_tables import score_tables
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.spelling import did_you_mean
from mlbench.store import Store

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def open_results(path: str | Path) -> Results:
    """Read a results folder, finished or not.

    Raises
    ------
    StoreError
        If it is not one.
    """
    return Results(ResultsFolder.open(Path(path)))


class Results:
    """The results of an experiment.

    `mlbench.run` and `mlbench.open_results` return them. Frames have a row for each number: the
    columns ``dataset``, ``method`` and ``split``, one that names the number, and ``value``.
    """

    def __init__(self, folder: ResultsFolder) -> None:
        self._folder = folder

    @property
    def path(self) -> Path:
        """The results folder."""
        return self._folder.path

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(self._folder.plan.datasets)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(self._folder.plan.methods)

    @property
    def counts(self) -> dict[str, int]:
        """How many cells are ok, failed in which way, or are missing."""
        return self._folder.counts

    def __repr__(self) -> str:
        """Say where the results are, and how many."""
        states = ", ".join(f"{n} {status}" for status, n in self.counts.items())
        return f"Results({str(self.path)!r}: {states})"

    def _repr_html_(self) -> str:
        verdict = self.verdict()._repr_html_() if len(self.methods) > 1 else ""
        return self.table()._repr_html_() + verdict

    def scores(self, metric: str | Sequence[str] = ()) -> pd.DataFrame:
        """Return every score of every split; the number is named in the column ``metric``."""
        names = [metric] if isinstance(metric, str) else metric
        return self._frame("scores", [get_metric(name).name for name in names])

    def per_label(self) -> pd.DataFrame:
        """Return the scores of each label on every split, in the columns ``label``, ``metric``."""
        import pandas as pd

        columns = ["dataset", "method", "split", "label", "metric", "value"]
        return pd.DataFrame(list(label_long_form(self._folder)), columns=columns)

    def params(self) -> pd.DataFrame:
        """Return the parameters that tuning has chosen; the column is ``param``."""
        return self._frame("params")

    def seconds(self) -> pd.DataFrame:
        """Return the seconds of each step, and the peak memory in MB; the column is ``step``."""
        return self._frame("seconds")

    def fit(self) -> pd.DataFrame:
        """Return what fits report: iterations, gaps, convergence; the column is ``entry``."""
        return self._frame("fit")

    def predictions(self, dataset: str, method: str, split: int) -> pd.DataFrame:
        """Return the predictions of a cell on its test part.

        Returns
        -------
        DataFrame
            ``row`` of the data set and ``label``, both counted from 0, the ``score``, and
            ``predicted``, 0 or 1.

        Raises
        ------
        StoreError
            If none were kept; ``keep_predictions`` in the experiment keeps them.
        """
        import numpy as np
        import pandas as pd

        arrays = Store(self.path).read_predictions(
            self._folder.scan.rows[self._key(dataset, method, split)]
        )
        rows, scores = arrays["rows"], arrays["scores"]
        k = scores.shape[1]
        columns = arrays.get("columns", np.arange(k))
        if "tasks" in arrays:
            labels = arrays["tasks"] if "columns" not in arrays else columns[arrays["tasks"]]
        else:
            labels = np.tile(columns, len(rows))
        return pd.DataFrame(
            {
                "row": np.repeat(rows, k),
                "label": labels,
                "score": scores.ravel(),
                "predicted": arrays["labels"].ravel(),
            }
        )

    def table(self, metric: str | Sequence[str] = ()) -> TableView:
        """Return the tables of scores, in the experiment's metrics or in others."""
        return TableView(tuple(score_tables(self._data(metric))))

    def tests(
        self,
        method: str | None = None,
        *,
        metric: str | Sequence[str] = (),
        test: Test | Sequence[Test] = "corrected_t",
        correction: Correction = "holm",
    ) -> TableView:
        """Return tests of a method against all others.

        Parameters
        ----------
        method : str, optional
            By default the tests are those of the experiment.
        metric : str or sequence of str
            By default the metrics of the experiment.
        test, correction
            As in an experiment file; see docs/statistics.md.
        """
        data = self._data(metric)
        if method is not None:
            tests = (test,) if isinstance(test, str) else tuple(test)
            data = self._comparing(data, method, tests, correction)
        return TableView(tuple(comparison_tables(data)))

    def ranks(self, metric: str | Sequence[str] = (), method: str | None = None) -> TableView:
        """Return mean ranks over the data sets, with tests where there are three or more.

        Parameters
        ----------
        metric : str or sequence of str
        method : str, optional
            The method that others are tested against, by default the first.
        """
        data = self._data(metric)
        data = self._comparing(data, method or self.methods[0], ("corrected_t",), "holm")
        (comparison,) = data.settings.comparisons
        return TableView(
            tuple(rank_table(data, comparison, each) for each in data.settings.metrics)
        )

    def verdict(self, metric: str | Sequence[str] = ()) -> TableView:
        """Return who leads on each data set in each metric, by how much, and how sure that is.

        It rests on the tests of the experiment.
        """
        found = verdict_table(self._data(metric))
        if found is None:
            raise MlbenchError(f"{self.path}: there are no scores of two methods to compare")
        return TableView((found,))

    def figure(
        self,
        kind: str | None = None,
        *,
        metric: str | None = None,
        width: FigureWidth = "page",
        **settings: object,
    ) -> Figure:
        """Draw a figure with matplotlib.

        Parameters
        ----------
        kind : str, optional
            As for ``mlbench figure --kind``; by default the one that suits the experiment.
        metric : str, optional
            By default the experiment's first.
        width : {"column", "page"}
        **settings
            Settings of the kind.
        """
        from mlbench.report.figures.drawing import draw

        return draw(FigureRequest(self._folder, metric).plot(kind, **settings), width)

    def to_html(self, path: str | Path) -> None:
        """Write everything as one page."""
        from mlbench.report.html import to_html
        from mlbench.store.atomic import write_output

        target = Path(path)
        write_output(target, to_html(self._folder, target.parent).encode())

    def _frame(self, what: str, names: Sequence[str] = ()) -> pd.DataFrame:
        import pandas as pd

        columns = ["dataset", "method", "split", EXPORT_COLUMNS[what], "value"]
        return pd.DataFrame(list(long_form(self._folder, what, names)), columns=columns)

    def _data(self, metric: str | Sequence[str]) -> ReportData:
        return self._folder.data([metric] if isinstance(metric, str) else metric)

    def _comparing(
        self, data: ReportData, method: str, tests: tuple[Test, ...], correction: Correction
    ) -> ReportData:
        if method not in self.methods:
            raise MlbenchError(f"there is no method {method!r}{did_you_mean(method, self.methods)}")
        others = tuple(name for name in self.methods if name != method)
        asked = Comparison(
            method, others, tests=tests, correction=correction, effects=("difference",)
        )
        return replace(data, settings=replace(data.settings, comparisons=(asked,)))

    def _key(self, dataset: str, method: str, split: int) -> str:
        for cell in self._folder.cells:
            if (cell.dataset, cell.method, cell.split) == (dataset, method, split):
                if cell.key in self._folder.scan.rows:
                    return cell.key
                raise MlbenchError(f"{dataset}/{method}/{split} has not run")
        raise MlbenchError(f"there is no cell {dataset}/{method}/{split} in {self.path}")
