"""The results of an experiment as frames, tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.options import (
    CORRECTIONS,
    EXPORT_COLUMNS,
    FIGURE_WIDTHS,
    TESTS,
    Correction,
    FigureWidth,
    Test,
)
from mlbench.results.stored import StoredResults
from mlbench.spelling import check_name, refuse_unknown
from mlbench.store.plain_values import in_python

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from mlbench.audit import Threats
    from mlbench.data import Dataset
    from mlbench.report.table_view import TableView
    from mlbench.report.tables.report_data import ReportData
    from mlbench.report.tables.table import Table


@dataclass(frozen=True, repr=False)
class Results(StoredResults):
    """The results of an experiment.

    `mlbench.run` and `mlbench.open_results` return them. Frames have a row for each number: the
    columns ``dataset``, ``method`` and ``split``, one that names the number, and ``value``.
    """

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
        return pd.DataFrame(list(self.label_numbers()), columns=columns)

    def params(self) -> pd.DataFrame:
        """Return the parameters that tuning has chosen; the column is ``param``."""
        params = self._frame("params")
        params["value"] = [in_python(value) for value in params["value"]]
        return params

    def seconds(self) -> pd.DataFrame:
        """Return the seconds of each step, and the peak memory in MB; the column is ``step``."""
        return self._frame("seconds")

    def fit(self) -> pd.DataFrame:
        """Return what fits report: iterations, gaps, convergence; the column is ``entry``."""
        return self._frame("fit")

    def predictions(
        self,
        dataset: str,
        method: str,
        split: int,
        metric: str = "",
        data: Dataset | None = None,
    ) -> pd.DataFrame:
        """Return the predictions of a cell on its test part.

        Parameters
        ----------
        dataset, method : str
        split : int
        metric : str, optional
            Where several metrics tuned models, the one whose model is wanted, which must be given.
            A method without a search has one model, which any metric gives.
        data : Dataset, optional
            Where an older version kept no true labels: the data set, for these. Other data than
            those of the run are refused.

        Returns
        -------
        DataFrame
            ``row`` of the data set as the experiment uses it and ``data_row`` of its files, which
            is another where rows are left out, and ``label``, all counted from 0; the label's
            ``name``; the ``score``, ``predicted``, 0 or 1, and ``truth``. Unknown labels have
            no row, or NaN where a folder kept them. There is also a ``probability`` where it is
            not the score, and ``predicted_f1`` where F1 and its kind have thresholds of their own.
            Where the best scores of each row were kept alone, the others are -inf. There is no
            ``truth`` where an older version kept none and no data are given.

        Raises
        ------
        MlbenchError
            If none were kept, ``keep_predictions`` in the experiment keeps them; if several metrics
            tuned models and none is given; or if the data are others than those of the run.
        """
        import numpy as np
        import pandas as pd

        kept = self.kept_predictions(dataset, method, split, metric, data)
        columns = {
            "row": kept.rows,
            "data_row": kept.data_rows,
            "label": kept.labels,
            "name": [kept.name(label) for label in kept.labels.tolist()],
            "score": kept.scores,
            "predicted": kept.predicted,
            "probability": kept.probabilities,
            "predicted_f1": kept.predicted_f1,
        }
        truth = kept.truth
        if truth is not None:
            columns["truth"] = np.where(truth < 0, np.nan, truth) if (truth < 0).any() else truth
        return pd.DataFrame({name: each for name, each in columns.items() if each is not None})

    def table(self, metric: str | Sequence[str] = ()) -> TableView:
        """Return the tables of scores, in the experiment's metrics or in others."""
        from mlbench.report.tables.score_tables import score_tables

        return self._view(score_tables(self._data(metric)))

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
        from mlbench.report.tables.comparison_layout import comparison_tables

        data = self._data(metric)
        if method is not None:
            tests = (test,) if isinstance(test, str) else tuple(test)
            data = self._comparing(data, method, tests, correction)
        return self._view(comparison_tables(data))

    def ranks(self, metric: str | Sequence[str] = (), method: str | None = None) -> TableView:
        """Return mean ranks over the data sets, with tests where there are three or more.

        Parameters
        ----------
        metric : str or sequence of str
        method : str, optional
            The method that others are tested against, by default the first of one's own.
        """
        from mlbench.report.tables.mean_ranks import rank_table

        data = self._data(metric)
        own = [name for name in self.methods if self.origins[name] is None]
        chosen = method or [*own, *self.methods][0]
        data = self._comparing(data, chosen, ("corrected_t",), "holm")
        (comparison,) = data.settings.comparisons
        metrics = data.settings.judged_metrics
        if not metrics:
            data.settings.metrics[0].check_quality()
        return self._view(rank_table(data, comparison, each) for each in metrics)

    def verdict(self, metric: str | Sequence[str] = ()) -> TableView:
        """Return who leads on each data set in each metric, by how much, and how sure that is.

        It rests on the tests of the experiment.
        """
        from mlbench.report.tables.verdict_text import verdict_table

        found = verdict_table(self._data(metric))
        if found is None:
            raise MlbenchError(f"{self.path}: there are no scores of two methods to compare")
        return self._view((found,))

    def threats(self, metric: str | Sequence[str] = ()) -> Threats:
        """Return what could be wrong with the comparisons, the worst first.

        Parameters
        ----------
        metric : str or sequence of str
            By default the metrics of the experiment.

        Returns
        -------
        list of mlbench.audit.Threat
            Its ``frame()`` is a data frame.
        """
        from mlbench.audit import Facts, find_threats

        return find_threats(Facts.of_results(self, [metric] if isinstance(metric, str) else metric))

    def figure(
        self,
        kind: str | None = None,
        *,
        metric: str | None = None,
        datasets: str | Sequence[str] = (),
        methods: str | Sequence[str] = (),
        width: FigureWidth = "page",
        titled: bool = True,
        **settings: object,
    ) -> Figure:
        """Draw a figure with matplotlib.

        Parameters
        ----------
        kind : str, optional
            As for ``mlbench figure --kind``; by default the one that suits the experiment.
        metric : str, optional
            By default the experiment's first.
        datasets, methods : str or sequence of str
            Only these; by default all.
        width : {"column", "page"}
        titled : bool
            Whether it includes a title and a note.
        **settings
            Settings of the kind.
        """
        from mlbench.report.figures import FigureRequest
        from mlbench.report.figures.drawing import draw

        refuse_unknown("there is no width", width, FIGURE_WIDTHS)
        some, others = ([each] if isinstance(each, str) else each for each in (datasets, methods))
        request = FigureRequest(self, metric, datasets=some, methods=others)
        return draw(request.plot(kind, **settings), width, titled)

    def to_html(self, path: str | Path) -> None:
        """Write everything as one page."""
        from mlbench.report.html import to_html
        from mlbench.store.atomic import write_output

        target = Path(path)
        write_output(target, to_html(self, target.parent).encode())

    def _view(self, tables: Iterable[Table]) -> TableView:
        from mlbench.report.table_view import TableView
        from mlbench.report.tables.origin import with_origin

        return TableView(tuple(with_origin(tables, self)), self.plan.experiment.name)

    def _frame(self, what: str, names: Sequence[str] = ()) -> pd.DataFrame:
        import pandas as pd

        columns = ["dataset", "method", "split", EXPORT_COLUMNS[what], "value"]
        return pd.DataFrame(list(self.numbers(what, names)), columns=columns)

    def _data(self, metric: str | Sequence[str]) -> ReportData:
        from mlbench.report.tables.report_data import report_data

        return report_data(self, [metric] if isinstance(metric, str) else metric)

    def _comparing(
        self, data: ReportData, method: str, tests: tuple[Test, ...], correction: Correction
    ) -> ReportData:
        from mlbench.config.comparison import Comparison

        check_name("method", method, self.methods)
        for name in tests:
            refuse_unknown("there is no test", name, TESTS)
        refuse_unknown("there is no correction", correction, CORRECTIONS)
        asked = Comparison(
            method=method, against=[*self.methods], test=[*tests], correction=correction
        )
        return replace(data, settings=replace(data.settings, comparisons=(asked,)))
