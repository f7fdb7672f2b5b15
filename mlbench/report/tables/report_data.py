"""The input of tables: the results, what to show, and the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from mlbench.audit import Facts, Threats, find_threats
from mlbench.comparisons.pairwise_tests import Findings, find_all
from mlbench.comparisons.settings import ReportSettings, report_settings
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.number_text import ScoreFormat, counted, listed
from mlbench.report.protocol_note import (
    notes_on_divisions,
    notes_on_files,
    notes_on_unknown_labels,
    protocol_note,
)
from mlbench.report.tables.origin import notes_on_cells, notes_on_departures, parts_of_bases
from mlbench.report.tables.row_notes import (
    notes_on_labels,
    notes_on_models,
    notes_on_rounding,
    notes_on_undefined_tuning,
    notes_on_unscored,
    notes_on_versions,
)
from mlbench.results.results import Results
from mlbench.results.scores import Scores
from mlbench.spelling import chosen, did_you_mean


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
    """How much of a base there is, and where own methods depart from its protocol."""
    unfinished: str = ""
    """How many cells have not run; empty if all have."""

    def __post_init__(self) -> None:
        for comparison in self.settings.comparisons:
            for name in (comparison.method, *comparison.others):
                if name not in self.known_methods:
                    hint = did_you_mean(name, self.known_methods)
                    raise MlbenchError(
                        f"a comparison names the method {name!r}, which is not in the results{hint}"
                    )

    @property
    def known_methods(self) -> tuple[str, ...]:
        """All methods, shown or not."""
        return self.settings.methods or self.results.methods

    @property
    def known_datasets(self) -> tuple[str, ...]:
        """All data sets, shown or not."""
        return self.settings.datasets or self.results.datasets

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods to show, in order."""
        return self.settings.shown_methods or self.known_methods

    @property
    def datasets(self) -> tuple[str, ...]:
        """Data sets to show, in order."""
        return self.settings.shown_datasets or self.known_datasets

    @property
    def formats(self) -> Mapping[str, ScoreFormat]:
        """How the scores of each metric are printed."""
        return self.settings.formats

    @cached_property
    def findings(self) -> Findings:
        """The findings of each comparison, by metric and data set.

        Corrections are for all methods of a comparison, shown or not.
        """
        return [
            (
                comparison,
                [each for each in found if {each.method, each.against} <= {*self.methods}],
            )
            for comparison, found in find_all(self.results, self.settings, self.datasets)
            if comparison.method in self.methods
        ]

    @property
    def notes_on_shown(self) -> list[str]:
        """Say what is not shown, and what it still counts for."""
        every = {"method": self.known_methods, "data set": self.known_datasets}
        shown = {"method": self.methods, "data set": self.datasets}
        parts = [
            f"{len(shown[kind])} of {counted(len(names), kind)}"
            for kind, names in every.items()
            if len(shown[kind]) < len(names)
        ]
        if not parts:
            return []
        among = (
            "; corrections and ranks are among all that have scores" if self.hides_methods else ""
        )
        return [f"Shown: {listed(parts)}{among}."]

    @property
    def hides_methods(self) -> bool:
        """Whether there are methods that are not shown."""
        return len(self.methods) < len(self.known_methods)


def report_data(
    results: Results,
    metrics: Sequence[str] = (),
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    transpose: bool = False,
) -> ReportData:
    """Return what the tables and the verdict are made from.

    Parameters
    ----------
    results : Results
    metrics : sequence of str
        Shown instead of the experiment's own.
    datasets, methods : sequence of str
        Those to show, by default all, in the order of the experiment.
    transpose : bool
        Whether to exchange the rows and columns of tables of scores.

    Raises
    ------
    MlbenchError
        If a data set or method is not in the results.
    """
    shown_datasets = tuple(chosen("data set", datasets, results.datasets))
    shown_methods = tuple(chosen("method", methods, results.methods))
    settings = replace(
        report_settings(results, metrics),
        shown_datasets=shown_datasets,
        shown_methods=shown_methods,
        transpose=transpose,
    )
    cells = results.shown_cells(datasets, methods)
    shown = [metric.name for metric in settings.metrics]
    plan, rows = results.plan, results.rows
    own = {m: each for m, each in plan.experiment.methods.items() if m in shown_methods}
    experiment = plan.experiment.model_copy(update={"methods": own})
    facts_of = {name: each for name, each in plan.datasets.items() if name in shown_datasets}
    notes = (
        *notes_on_labels(shown, cells, rows),
        *notes_on_rounding(shown, cells, rows),
        *notes_on_unscored(
            list(map(get_metric, shown)), cells, rows, exported=results.source != "run"
        ),
        *notes_on_undefined_tuning(list(map(get_metric, shown)), cells, rows),
        *notes_on_models(list(map(get_metric, shown)), cells, rows),
        *notes_on_versions(cells, rows),
        protocol_note(experiment, facts_of, [rows[c[-1]] for c in cells if c[-1] in rows]),
        *notes_on_cells(results),
        *notes_on_unknown_labels(experiment, facts_of),
        *notes_on_divisions(facts_of),
        *notes_on_files(facts_of),
    )
    scores = results.scores_of(shown, seconds=False)
    facts = Facts(results, settings, find_all(scores, settings, results.datasets))
    return ReportData(
        scores,
        settings,
        notes,
        find_threats(facts),
        results.origins,
        (*parts_of_bases(results).values(), *notes_on_departures(results)),
        unfinished([cell[-1] in rows for cell in cells]),
    )


def unfinished(have_run: Sequence[bool]) -> str:
    """Say how many cells have not run; empty if all have."""
    missing = have_run.count(False)
    have = "has" if missing == 1 else "have"
    return f"Unfinished: {missing} of {len(have_run)} cells {have} not run." if missing else ""
