"""The verdict in words: first over data sets, then on each of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.audit import Threats
from mlbench.comparisons.over_datasets import MeanRanks, is_scored, mean_ranks
from mlbench.comparisons.pairwise_tests import in_words
from mlbench.comparisons.settings import MetricColumn
from mlbench.number_text import counted, listed, p_in_words
from mlbench.report.tables.answer import Answer, answers
from mlbench.report.tables.comparison_notes import levels, notes_on_no_power
from mlbench.report.tables.mean_ranks import ALL_PAIRS
from mlbench.report.tables.own_standing import own_standings
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.table import Table
from mlbench.report.tables.threats import in_brackets, not_judged, numbers_over_datasets, replicated
from mlbench.report.tables.verdict import (
    COULD_HAVE_SHOWN,
    Verdict,
    share_the_best,
    untested,
    verdicts,
)
from mlbench.statistics import ALPHA
from mlbench.statistics.resolution import POWER

BY_RANK = (
    "By mean rank, one's own method is better or worse where Friedman's test finds a difference, "
    "and then a test against each other method does (Holm)."
)

_POWER = f"{COULD_HAVE_SHOWN} (with {100 * POWER:.0f} % power)"

MAX_SENTENCES = 12
"""Of more verdicts, sentences say on which data sets who leads."""

MAX_RANKED = 8
"""Methods that a sentence on mean ranks names."""

MAX_DATASETS = 6
"""Data sets that a sentence names."""


@dataclass(frozen=True)
class VerdictText:
    """What to print."""

    sentences: tuple[str, ...]
    details: tuple[str, ...]
    """One for each data set and metric, where the sentences do not say as much."""
    note_on_details: str
    """What their numbers are for; may be empty."""
    notes: tuple[str, ...]
    ranks: tuple[str, ...] = ()
    """The sentences that are on mean ranks."""


def verdict_table(data: ReportData) -> Table | None:
    """Return the verdict as a table of sentences alone, or None if there is nothing to compare."""
    found = verdicts(data)
    text = verdict_text(data, found)
    if not text.sentences or len(data.methods) < 2:
        return None
    return Table(
        name="verdict",
        title="Verdict",
        corner=(),
        columns=(),
        rows=(),
        notes=(*text.sentences, *text.notes, *data.notes_on_shown),
        records=tuple(each.record() for each in found),
    )


def verdict_text(data: ReportData, found: Sequence[Verdict]) -> VerdictText:
    """Return the verdicts in words, metric by metric."""
    is_long = len(found) > MAX_SENTENCES
    each = _sentences(found, data.settings.metrics, data.hides_methods)
    sentences = [data.unfinished] if data.unfinished else []
    ranks: list[str] = []
    by_rank = False
    answers_all = len(data.datasets) > 1 or is_long
    for metric in data.settings.judged_metrics:
        of = [verdict for verdict in found if verdict.metric == metric.name]
        standings = [*own_standings(data, metric)]
        sentences += standings
        by_rank |= bool(standings) and len(data.datasets) > 1
        found_answers = answers(data, metric)
        asked = [answer.sentence for answer in found_answers]
        if len(data.datasets) > 1 or is_long:
            sentences += asked
        unanswered = [each for each in of if each.tied or not asked]
        if is_long and unanswered:
            sentences.append(f"{metric.title}: {_who_leads(unanswered)}.")
        on_ranks = _on_ranks(data, metric)
        sentences += on_ranks
        ranks += on_ranks
        if not is_long:
            sentences += [each[verdict] for verdict in of if verdict in each]
        if len(data.datasets) == 1 and not is_long:
            untold = [answer.sentence for answer in found_answers if _is_untold(answer, of)]
            sentences += untold
            answers_all |= bool(untold)
    details = [verdict.sentence for verdict in found] if is_long else []
    notes = [
        *_notes_on_no_common_split(data, found),
        *_notes_on_most_failed(data),
        *data.departures,
        *not_judged(data.threats),
        *([BY_RANK] if by_rank else []),
        *_notes(data, found, is_long, answers_all, any("interval" in each for each in sentences)),
    ]
    on_details = f"What splits {_POWER} is for one pair of methods." if _have_power(details) else ""
    return VerdictText(tuple(sentences), tuple(details), on_details, tuple(notes), tuple(ranks))


def _is_untold(answer: Answer, found: Sequence[Verdict]) -> bool:
    """Whether the verdicts on a data set, which are on its leader, leave rivals out."""
    leaders = {verdict.leader for verdict in found}
    return answer.method not in leaders and bool({*answer.rivals} - leaders)


def _sentences(
    found: Sequence[Verdict], metrics: Sequence[MetricColumn], hides_methods: bool
) -> dict[Verdict, str]:
    """Return the sentence of each verdict; untested leads of one method on a data set share one."""
    titles = {metric.name: metric.title for metric in metrics}
    shared: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in found:
        if not verdict.rival:
            shared.setdefault((verdict.dataset, verdict.leader, verdict.tied), []).append(verdict)
    sentences = {verdict: verdict.sentence for verdict in found if verdict.rival}
    for (dataset, leader, tied), alike in shared.items():
        where = listed([titles[verdict.metric] for verdict in alike])
        doubt = in_brackets(sorted({n for verdict in alike for n in verdict.threats}))
        sentences[alike[0]] = f"{dataset}, {where}: {untested(leader, tied, hides_methods)}{doubt}."
    return sentences


def _who_leads(found: Sequence[Verdict]) -> str:
    """Say on which data sets who leads, and where that is open or not tested."""
    leads: dict[str, list[str]] = {}
    best: dict[str, list[str]] = {}
    ties: dict[str, list[str]] = {}
    unclear = []
    for verdict in found:
        dataset = verdict.dataset + in_brackets(sorted(verdict.threats))
        if verdict.tied:
            ties.setdefault(share_the_best(verdict.leader, verdict.tied), []).append(dataset)
        elif verdict.rival and not verdict.is_decided:
            unclear.append(dataset)
        elif verdict.rival and not verdict.n_nearer:
            leads.setdefault(verdict.leader, []).append(dataset)
        else:
            best.setdefault(verdict.leader, []).append(dataset)
    words = [f"{leader} leads on {listed(names, MAX_DATASETS)}" for leader, names in leads.items()]
    words += [
        f"{leader} has the best mean on {listed(names, MAX_DATASETS)}, "
        "where no test compares it with the next"
        for leader, names in best.items()
    ]
    words += [f"{tie} on {listed(names, MAX_DATASETS)}" for tie, names in ties.items()]
    words += [f"who leads on {listed(unclear, MAX_DATASETS)} is open"] if unclear else []
    return "; ".join(words)


def _on_ranks(data: ReportData, metric: MetricColumn) -> list[str]:
    """Return a sentence on mean ranks over data sets, if there are several, and on who has none.

    There is none if methods are not shown, as ranks are among all.
    """
    if data.hides_methods:
        return []
    rule = data.settings.rank_rule
    found = mean_ranks(data.results, data.methods, data.datasets, metric, *rule)
    if found is None:
        return []
    complete, ranks = found.methods, found.test.mean_ranks
    order = np.argsort(ranks, kind="stable")[:MAX_RANKED]
    named = [f"{complete[i]} {ranks[i]:.2f}" for i in order]
    rest = f", {len(complete) - len(named)} more" if len(complete) > len(named) else ""
    where = f"Mean ranks over {counted(found.test.n_datasets, 'data set')}, {metric.title}"
    lacking = [name for name in data.methods if name not in complete]
    out = f" Left out, with no score on some data set: {listed(lacking)}." if lacking else ""
    concludes = found.beaten or any(each.over_datasets for each in data.settings.comparisons)
    invalid, weak = replicated(data.threats) if concludes else ("", "")
    tested = _tested(found, data.threats, metric.name)
    return [f"{invalid}{where}{weak}: {', '.join(named)}{rest}{tested}.{out}"]


def _tested(found: MeanRanks, threats: Threats, metric: str) -> str:
    """Say which methods the first is significantly ahead of, where that can be tested.

    Where a lead on some data set does not show what it seems to show, the two are not comparable.
    """
    if not found.test.is_tested:
        return ""
    if not found.test.significant:
        p = p_in_words(found.test.p_iman_davenport)
        return f"; Friedman's test finds no difference (Iman and Davenport's F, p = {p})"
    beaten, rule = found.beaten, ALL_PAIRS[found.test.all_pairs]
    if found.test.alpha != ALPHA:
        rule += f", {found.test.alpha:g}"
    are = "is" if len(found.first) == 1 else "are"
    if not beaten:
        return f"; {listed(found.first)} {are} significantly ahead of no other ({rule})"
    only = "" if len(beaten) == len(found.methods) - len(found.first) else " only"
    fair, unfair = [], []
    for name in beaten:
        pair = (threats, found.first[0], name, metric)
        if invalid := numbers_over_datasets(*pair, "invalidates"):
            unfair.append(name + in_brackets(invalid))
        else:
            fair.append(name + in_brackets(numbers_over_datasets(*pair, "weakens")))
    parts = [f"significantly ahead of {listed(fair)}{only}"] if fair else []
    parts += [f"not comparable with {listed(unfair)}"] if unfair else []
    return f"; {listed(found.first)} {are} {'; '.join(parts)} ({rule})"


def _notes(
    data: ReportData,
    found: Sequence[Verdict],
    is_long: bool,
    answers_all: bool,
    has_intervals: bool,
) -> list[str]:
    if not found and not answers_all:
        return []
    if not data.settings.comparisons:
        return [
            *_fewer_splits(found),
            "No test of pairs was asked for; `tests:` in the experiment asks for them.",
        ]
    made = [rule for each in found for rule in each.decided_by]
    if answers_all:
        tested = [each for _, findings in data.findings for each in findings if each.is_tested]
        made = [(each.headline, each.alpha) for each in tested]
    tests, alphas = dict.fromkeys(in_words(test) for test, _ in made), [alpha for _, alpha in made]
    if not tests:
        return _fewer_splits(found)
    notes = [
        *_fewer_splits(found),
        f"Decided by the {listed([*tests])} at {levels(sorted(alphas))}. Where methods cannot be "
        "told apart, their difference may be due to chance.",
        *notes_on_no_power(data.findings),
    ]
    if len(data.datasets) > 1 or is_long:
        notes += _within_families(data)
    if is_long:
        notes.append("Differences, intervals, and p-values are in the comparison tables.")
    has_power = not is_long and _have_power([verdict.sentence for verdict in found])
    if (is_long or has_intervals) and any(
        comparison.is_corrected for comparison in data.settings.comparisons
    ):
        what = f"Intervals, and what splits {_POWER}," if has_power else "Intervals"
        notes.append(f"{what} are for one pair of methods, not corrected for their number.")
    elif has_power:
        notes.append(f"What splits {_POWER} is for one pair of methods.")
    return notes


def _notes_on_no_common_split(data: ReportData, found: Sequence[Verdict]) -> Iterator[str]:
    """Say where methods have scores, and no split has those of all."""
    led = {(verdict.dataset, verdict.metric) for verdict in found}
    lacking = [
        dataset
        for dataset in data.datasets
        if any(
            (dataset, metric.name) not in led
            and sum(is_scored(data.results, dataset, m, metric.name) for m in data.methods) > 1
            for metric in data.settings.judged_metrics
        )
    ]
    if lacking:
        yield (
            f"No split of {listed(lacking, MAX_DATASETS)} has scores of all methods, so none is "
            "said to lead there."
        )


def _notes_on_most_failed(data: ReportData) -> Iterator[str]:
    """Name the methods that have scores, too few to compare all others on the same splits."""
    found: dict[str, None] = {}
    for dataset in data.datasets:
        n_splits = data.results.n_splits(dataset)
        for method in data.methods:
            for metric in (each.name for each in data.settings.judged_metrics):
                scores = data.results.scores(dataset, method, metric)
                if scores and not is_scored(data.results, dataset, method, metric):
                    found.setdefault(f"{method} on {dataset} ({len(scores)} of {n_splits})")
    if found:
        yield f"Left out, since most splits have no score: {listed([*found], MAX_DATASETS)}."


def _have_power(sentences: Iterable[str]) -> bool:
    return any(COULD_HAVE_SHOWN in sentence for sentence in sentences)


def _within_families(data: ReportData) -> list[str]:
    """Say that a pair is decided among the comparisons of one method and not of the other."""
    decided: dict[Hashable, set[bool]] = {}
    for comparison, findings in data.findings:
        if comparison.is_corrected:
            for each in findings:
                pair = frozenset({each.method, each.against})
                rule = each.dataset, each.metric, pair, each.headline, each.alpha
                decided.setdefault(rule, set()).add(bool(each.decision()))
    if all(len(found) < 2 for found in decided.values()):
        return []
    return [
        "Holm corrects the p-values of each tested method among its own comparisons, so a pair may "
        "be decided there for one of the two and not for the other."
    ]


def _fewer_splits(found: Sequence[Verdict]) -> list[str]:
    """Say where the best mean is one over fewer splits than the experiment has."""
    fewer = dict.fromkeys(each.shared_splits for each in found if each.shared_splits)
    return (
        [f"The best mean is over the splits that all share: {'; '.join(fewer)}."] if fewer else []
    )
