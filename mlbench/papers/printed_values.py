"""Numbers as the five papers print them, in the CSV files of the folder ``printed``.

``scores.csv``, ``times.csv`` and ``pvalues.csv`` contain tables, ``protocols.csv`` and
``datasets.csv`` the papers' descriptions of their experiments. ``conventions.csv`` maps a printed
quantity to ours and states its number of splits. ``caveats.csv`` lists values that need care:
``not comparable`` ones are no targets, others have a ``note``; an empty field matches everything.

:func:`printed_values` returns the scores and times of a paper with all of this attached, and
:func:`printed_p_values` the p-values, of which none is a target.
"""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from mlbench.published.values import SECONDS, PrintedValue, PublishedPaper

PAPERS: dict[str, str] = {
    "ke": "Ke, Pan, Yin, Huang: structured multi-task learning (SMTL)",
    "han2010": "Han et al., AAAI 2010: multi-task sparse discriminant analysis (MtSDA)",
    "ji2009": "Ji, Ye, IJCAI 2009: joint dimensionality reduction and classification",
    "nam": "Nam, Hachiya, Sugiyama: multi-label least-squares probabilistic classifiers",
    "yu2005": "Yu, Yu, Tresp, SIGIR 2005: multi-output regularized projection (MORP)",
}

NOT_COMPARABLE = "not comparable"
PrintedRow = Mapping[str, str]


def published_table(paper: str, table: str = "scores") -> list[dict[str, str]]:
    """Return the lines of a file that belong to one paper.

    Parameters
    ----------
    paper : str
        One of :data:`PAPERS`.
    table : str
        ``scores``, ``times``, ``pvalues``, ``protocols``, ``datasets``, ``conventions`` or
        ``caveats``.
    """
    text = (files(__package__) / "printed" / f"{table}.csv").read_text(encoding="utf-8")
    return [line for line in csv.DictReader(text.splitlines()) if line["paper"] == paper]


def known_paper(name: str) -> PublishedPaper:
    """Return one of the papers that come with mlbench."""
    return PublishedPaper(name, values=printed_values(name), title=PAPERS[name])


@dataclass(frozen=True)
class Caveat:
    """A remark on some printed values; its empty fields match all of them."""

    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    kind: str
    """``note`` or ``not comparable``."""
    reason: str

    def applies_to(self, line: PrintedRow) -> bool:
        """Return whether it is about a line of a table."""
        return all(
            getattr(self, key) in ("", line[key])
            for key in ("table", "dataset", "method", "metric")
        )


def printed_values(paper: str) -> tuple[PrintedValue, ...]:
    """Return the scores and times that a paper prints, in its order."""
    caveats = [Caveat(**line) for line in published_table(paper, "caveats")]
    conventions = {
        (line["table"], line["metric"]): line for line in published_table(paper, "conventions")
    }
    return tuple(
        _value(line, conventions[line["table"], line["metric"]], caveats) for line in _values(paper)
    )


def printed_p_values(paper: str) -> tuple[PrintedValue, ...]:
    """Return the p-values that a paper prints, in its order."""
    caveats = [Caveat(**line) for line in published_table(paper, "caveats")]
    found = []
    for line in published_table(paper, "pvalues"):
        place = {
            "table": line["table"],
            "dataset": line["dataset"],
            "method": f"{line['method_a']} against {line['method_b']}",
            "metric": f"{line['test']} {line['metric']}",
        }
        found.append(
            PrintedValue(
                paper=paper,
                table=place["table"],
                dataset=place["dataset"],
                setting="",
                method=place["method"],
                metric=place["metric"],
                mean=float(line["p"]),
                std=math.nan,
                unit="p",
                decimals=0,
                text=line["p"],
                ours="",
                n_splits=None,
                objections=tuple(
                    each.reason
                    for each in caveats
                    if each.kind == NOT_COMPARABLE and each.applies_to(place)
                ),
            )
        )
    return tuple(found)


def _values(paper: str) -> Iterator[dict[str, str]]:
    yield from published_table(paper, "scores")
    for line in published_table(paper, "times"):
        time = {"setting": "", "metric": SECONDS, "mean": line["seconds"], "std": ""}
        yield {**line, **time, "unit": SECONDS}


def _value(line: PrintedRow, convention: PrintedRow, caveats: Sequence[Caveat]) -> PrintedValue:
    here = [each for each in caveats if each.applies_to(line)]
    objections = [each for each in here if each.kind == NOT_COMPARABLE]
    notes = [convention["note"], *(each.reason for each in here if each not in objections)]
    return PrintedValue(
        paper=line["paper"],
        table=line["table"],
        dataset=line["dataset"],
        setting=line["setting"],
        method=line["method"],
        metric=line["metric"],
        mean=float(line["mean"]),
        std=float(line["std"]) if line["std"] else math.nan,
        unit=line["unit"],
        decimals=len(line["mean"].partition(".")[2]),
        text=f"{line['mean']} ± {line['std']}" if line["std"] else line["mean"],
        ours=convention["ours"],
        n_splits=int(convention["n_splits"]) if convention["n_splits"] else None,
        notes=tuple(filter(None, notes)),
        objections=tuple(each.reason for each in objections),
        keeps_order=not any(each.method for each in objections),
    )
