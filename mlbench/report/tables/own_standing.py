"""Where one's own methods stand among those of published results, in one sentence each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from mlbench.comparisons.over_datasets import best_first, mean_ranks
from mlbench.comparisons.settings import MetricColumn
from mlbench.number_text import counted
from mlbench.report.tables.answer import State, answers
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.threats import in_brackets, numbers_over_datasets, replicated
from mlbench.statistics import ALPHA

_WORDS: dict[State, str] = {
    "better": "better than",
    "worse": "worse than",
    "undecided": "not told apart from",
    "not comparable": "not comparable with",
}


def own_standings(data: ReportData, metric: MetricColumn) -> Iterator[str]:
    """Yield the sentence of each own method; none where there are no methods of others.

    Places and corrections are among all methods, shown or not.
    """
    own = [name for name in data.methods if data.origins.get(name) is None]
    if all(data.origins.get(name) is None for name in data.known_methods):
        return
    several = len(data.datasets) > 1
    for name in own:
        found = _over_datasets(data, metric, name) if several else _on_one(data, metric, name)
        if found:
            yield found


def _over_datasets(data: ReportData, metric: MetricColumn, own: str) -> str:
    """Say which mean rank a method has, and which others its mean rank differs from (Holm)."""
    alphas = [each.alpha for each in data.settings.comparisons if each.method == own]
    alpha = alphas[0] if alphas else ALPHA
    every = mean_ranks(data.results, data.known_methods, data.datasets, metric, alpha)
    if every is None or own not in every.methods:
        return ""
    scored, found = every.methods, every.test
    ranks, at = found.mean_ranks, scored.index(own)
    place = f"{_place(ranks[at], ranks)} in {metric.title} by mean rank"
    if len(data.datasets) < len(data.known_datasets):
        place += f" over {len(data.datasets)} of {counted(len(data.known_datasets), 'data set')}"
    lacking = len(data.known_methods) - len(scored)
    rest = f"; {counted(lacking, 'method')} without a score on some data set" if lacking else ""
    first, weak = replicated(data.threats)
    rest += weak
    if not found.is_tested:
        return f"{first}{own}: {place}{rest}."
    if not found.significant:
        told = "not told apart from any (Friedman's test finds no difference)"
        return f"{first}{own}: {place}; {told}{rest}."
    unlike = every.unlike(own)
    states: list[tuple[State, list[int]]] = []
    for i, name in enumerate(scored):
        if i == at or name not in data.methods:
            continue
        if name not in unlike:
            states.append(("undecided", []))
            continue
        is_better = ranks[at] < ranks[i]
        pair = (data.threats, *((own, name) if is_better else (name, own)), metric.name)
        invalid = numbers_over_datasets(*pair, "invalidates")
        if invalid:
            states.append(("not comparable", invalid))
        else:
            weakening = numbers_over_datasets(*pair, "weakens")
            states.append(("better" if is_better else "worse", weakening))
    return f"{first}{own}: {place}{_told(data, states)}{rest}."


def _on_one(data: ReportData, metric: MetricColumn, own: str) -> str:
    """Say which mean a method has on the only data set, and what its tests say."""
    (dataset,) = data.datasets
    by_mean, _ = best_first(data.results, data.known_methods, dataset, metric)
    if own not in by_mean or len(by_mean) < 2:
        return ""
    sign = -1 if metric.greater_is_better else 1
    values = [sign * value for value in by_mean.values()]
    place = f"{_place(sign * by_mean[own], values)} in {metric.title} on {dataset}"
    answer = next((each for each in answers(data, metric) if each.method == own), None)
    if answer is None:
        return f"{own}: {place}."
    states = [(state, answer.threats.get(of, ())) for of, state in answer.states.items()]
    return f"{own}: {place}{_told(data, states)}."


def _told(data: ReportData, states: Sequence[tuple[State, Iterable[int]]]) -> str:
    """Return what the tests say of the other methods that are shown, if there are any."""
    if not states:
        return ""
    return f"; {'of those shown, ' * data.hides_methods}{_counted(states)}"


def _counted(found: Iterable[tuple[State, Iterable[int]]]) -> str:
    """Return how many others a method is better than, worse than, and so on.

    Parameters
    ----------
    found : iterable of (State, iterable of int)
        For each other method, and the numbers of the threats to that.
    """
    number: Counter[State] = Counter()
    threats: defaultdict[State, set[int]] = defaultdict(set)
    for state, numbers in found:
        number[state] += 1
        threats[state].update(numbers)
    return ", ".join(
        f"{words} {number[each]}{in_brackets(sorted(threats[each]))}"
        for each, words in _WORDS.items()
        if each in number
    )


def _place(value: float, every: Sequence[float]) -> str:
    """Return ``9th of 13``: how many are smaller, plus one."""
    shared = sum(other == value for other in every) > 1
    return f"{'shared ' * shared}{ordinal(1 + sum(o < value for o in every))} of {len(every)}"


def ordinal(number: int) -> str:
    """Return ``1st``, ``2nd``, ``11th``."""
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else last}"
