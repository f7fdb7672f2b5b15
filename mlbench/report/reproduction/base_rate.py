"""How often "reproduced" would be said of another method's number.

For the printed number of method i and our number of method j on the same data set in the same
metric, R[i, j] says whether the pair would be reproduced. The diagonal counts what is reproduced;
the rest of R is what the word is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlbench.number_text import counted, listed
from mlbench.report.reproduction.comparison import ComparedValue
from mlbench.report.reproduction.verdict import PrintVerdict, judge_score
from mlbench.statistics import Sample

MIN_METHODS = 3
"""A block of fewer methods says nothing."""
N_SHUFFLES = 4000
LEVEL = 0.05


@dataclass(frozen=True)
class BaseRate:
    """Of printed scores: how many our number of the same method reproduces, and those of others."""

    n: int
    """Printed scores."""
    n_reproduced: int
    others: float
    """The share of pairs of a printed score and our number of another method that would be."""
    p: float
    """The share of shuffles of our methods within each data set that reproduce as many."""

    @property
    def share(self) -> float:
        """The share of printed scores that are reproduced."""
        return self.n_reproduced / self.n

    @property
    def tells_apart(self) -> bool:
        """Whether the word tells the methods apart."""
        return self.p <= LEVEL


def base_rate(lines: Iterable[ComparedValue]) -> BaseRate | None:
    """Return the base rate of some scores, or None where no block has three methods.

    Parameters
    ----------
    lines : iterable of ComparedValue
        One for each printed number. Times, and numbers without a verdict, do not count.

    Notes
    -----
    A block holds the methods of a table, a data set and a metric. Shuffles are of the methods of a
    table and a data set, the same in all its metrics. They are drawn with a fixed seed.
    """
    groups: dict[tuple[str, str], dict[str, list[ComparedValue]]] = {}
    for line in lines:
        if line.verdict in (
            PrintVerdict.REPRODUCED,
            PrintVerdict.CLOSE,
            PrintVerdict.DIFFERS,
        ) and not (line.printed.is_time):
            metrics = groups.setdefault((line.printed.table, line.dataset), {})
            metrics.setdefault(line.printed.metric, []).append(line)
    generator = np.random.default_rng(0)
    right = wrong = pairs = n = 0
    shuffled = np.zeros(N_SHUFFLES, int)
    for metrics in groups.values():
        blocks = [block for block in metrics.values() if len(block) >= MIN_METHODS]
        names = list(dict.fromkeys(line.printed.method for block in blocks for line in block))
        if not names:
            continue
        counts = np.zeros((len(names), len(names)), int)
        for block in blocks:
            at = [names.index(line.printed.method) for line in block]
            found = would_be_reproduced(block)
            counts[np.ix_(at, at)] += found
            n += len(block)
            right += int(found.trace())
            wrong += int(found.sum() - found.trace())
            pairs += len(block) * (len(block) - 1)
        orders = generator.permuted(np.tile(np.arange(len(names)), (N_SHUFFLES, 1)), axis=1)
        shuffled += counts[np.arange(len(names)), orders].sum(axis=1)
    if not n:
        return None
    as_many = int((shuffled >= right).sum())
    return BaseRate(n, right, wrong / pairs, (1 + as_many) / (1 + N_SHUFFLES))


def would_be_reproduced(block: Sequence[ComparedValue]) -> NDArray[np.bool_]:
    """Return for each printed score and each of our numbers whether they agree.

    Parameters
    ----------
    block : sequence of ComparedValue
        Of a table, a data set and a metric, each of another method.

    Returns
    -------
    array of shape (n_methods, n_methods)
        Printed methods in rows, ours in columns.
    """
    return np.array([[_agree(printed, ours) for ours in block] for printed in block], bool)


def _agree(line: ComparedValue, other: ComparedValue) -> bool:
    ours = Sample(other.mean, other.std, other.n)
    return judge_score(ours, line.printed)[1] is PrintVerdict.REPRODUCED


def base_rate_notes(lines: Sequence[ComparedValue]) -> list[str]:
    """Say what "reproduced" is worth over all, and on which data sets it says nothing."""
    rate = base_rate(lines)
    if rate is None:
        return []
    rates = base_rates(lines)
    tables = Counter(dataset for _, dataset in rates)
    weak = [
        f"{dataset if tables[dataset] == 1 else f'{dataset} in {table}'} "
        f"({_percent(each.share)} and {_percent(each.others)}, p = {each.p:.2g})"
        for (table, dataset), each in rates.items()
        if each.n_reproduced and not each.tells_apart
    ]
    be = "is" if rate.n_reproduced == 1 else "are"
    often = f"{_percent(rate.p)} reproduce as many"
    told = (
        f"Where a column has scores of three methods or more: {rate.n_reproduced} of "
        f"{counted(rate.n, 'score')} {be} reproduced ({_percent(rate.share)}). "
        "Numbers of our other methods in their place (same data set and metric) "
        f"would reproduce {_percent(rate.others)}; of "
        f"{N_SHUFFLES:,} shuffles of our methods' names, "
        f"{often if rate.p > 1 / N_SHUFFLES else 'none reproduces as many'}."
    )
    rest = f'"Reproduced" does not tell the methods apart on {listed(weak)}.'
    return [told, rest] if weak else [told]


def base_rates(lines: Iterable[ComparedValue]) -> dict[tuple[str, str], BaseRate]:
    """Return the base rate of each table and data set with three methods or more."""
    lines = list(lines)
    keys = dict.fromkeys((line.printed.table, line.dataset) for line in lines)
    found = {
        key: base_rate(line for line in lines if (line.printed.table, line.dataset) == key)
        for key in keys
    }
    return {key: rate for key, rate in found.items() if rate is not None}


def first_readings(lines: Iterable[ComparedValue]) -> list[ComparedValue]:
    """Return one line for each printed number: of its own name, or of the first variant."""
    found: dict[object, ComparedValue] = {}
    for line in lines:
        if line.method:
            found.setdefault((line.printed, line.dataset), line)
    return list(found.values())


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.0f} %" if percent >= 1 or not percent else f"{percent:.2g} %"
