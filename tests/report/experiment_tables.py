"""The tables of an experiment from plain values, as a report prints them."""

from __future__ import annotations

from mlbench.report.tables import tables_of
from mlbench.report.tables.report_data import ReportData
from mlbench.results.scores import Scores


def experiment_tables(values, statuses, settings, notes=()):
    """Return the tables of scores, then those of each comparison."""
    results = Scores(values, statuses, settings.n_splits)
    return tables_of(ReportData(results, settings, tuple(notes)))
