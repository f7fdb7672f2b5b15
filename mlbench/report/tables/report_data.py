"""The input of tables: the results, what to show, and the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mlbench.audit import Facts, Threats, find_threats
from mlbench.comparisons.pairwise_tests import Findings, find_all
from mlbench.comparisons.settings import ReportSettings, report_settings
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.number_text import ScoreFormat
from mlbench.report.protocol_note import (
    notes_on_divisions,
    notes_on_unknown_labels,
    protocol_note,
)
from mlbench.report.tables.origin import notes_on_cells, notes_on_departures
from mlbench.report.tables.row_notes import (
    notes_on_labels,
    notes_on_models,
    notes_on_undefined_tuning,
    notes_on_unscored,
    notes_on_versions,
)
from mlbench.results.results import Results
from mlbench.results.scores import Scores
from mlbench.spelling import did_you_mean


@dataclass(frozen=True, eq=False)
class ReportData:
    """The results of an experiment, and what to show.

    Raises
    ------
    mlbench.errors.MlbenchError
        When the settings name a method that is not in the results.
    """

    results: Scores
    settings: ReportSettings
    notes: tuple[str, ...] = ()
    """More notes for the tables of scores."""
    threats: Threats = field(default_factory=Threats)
    """What could be wrong with the comparisons, the worst first."""
    origins: Mapping[str, str | None] = field(default_factory=dict)
    """By method: what it was taken over from, if it was; see `mlbench.results.Results.origins`."""
    departures: tuple[str, ...] = ()
    """Where own methods depart from the protocol of those that were taken over."""

    def __post_init__(self) -> None:
        for comparison in self.settings.comparisons:
            for name in (comparison.method, *comparison.others):
                if name not in self.methods:
                    hint = did_you_mean(name, self.methods)
                    raise MlbenchError(
                        f"a comparison names the method {name!r}, which is not in the results{hint}"
                    )

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods to show, in order."""
        return self.settings.methods or self.results.methods

    @property
    def datasets(self) -> tuple[str, ...]:
        """Data sets to show, in order."""
        return self.settings.datasets or self.results.datasets

    @property
    def formats(self) -> Mapping[str, ScoreFormat]:
        """How the scores of each metric are printed."""
        return self.settings.formats

    @cached_property
    def findings(self) -> Findings:
        """The findings of each comparison, by metric and data set."""
        return find_all(self.results, self.settings, self.datasets)


def report_data(results: Results, metrics: Sequence[str] = ()) -> ReportData:
    """Return what the tables and the verdict are made from.

    Parameters
    ----------
    results : Results
    metrics : sequence of str
        Shown instead of the experiment's own.
    """
    settings = report_settings(results, metrics)
    shown = [metric.name for metric in settings.metrics]
    plan, rows = results.plan, results.rows
    notes = (
        *notes_on_labels(shown, results.cells, rows),
        *notes_on_unscored(
            list(map(get_metric, shown)), results.cells, rows, exported=results.source != "run"
        ),
        *notes_on_undefined_tuning(results.cells, rows),
        *notes_on_models(list(map(get_metric, shown)), results.cells, rows),
        *notes_on_versions(results.cells, rows),
        protocol_note(plan.experiment, rows.values()),
        *notes_on_cells(results),
        *notes_on_unknown_labels(plan.experiment, plan.datasets),
        *notes_on_divisions(plan.datasets),
    )
    scores = results.scores_of(shown, seconds=False)
    facts = Facts(results, settings, find_all(scores, settings, results.datasets))
    return ReportData(
        scores,
        settings,
        notes,
        find_threats(facts),
        results.origins,
        tuple(notes_on_departures(results)),
    )
