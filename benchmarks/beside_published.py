"""Print our figures beside those of a paper's table, as Markdown.

    python benchmarks/beside_published.py runs/ke-table-4-flags ke "Table IV"
    python benchmarks/beside_published.py results/nam-enron nam "Section 6.2" --metric f1=micro_f1
    python benchmarks/beside_published.py runs/ke-table-9 ke "Table IX"

The results are a folder that `mlbench run` filled, or one with the CSV files of `mlbench export`.
Data sets are matched by their names in tables, without regard to case. A method belongs to the
printed row whose name it has, or begins with: "LSPC raw features" stands beside "LSPC". Where a
table is one of times, ours are medians over splits.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median, stdev

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.published import PAPERS, published
from mlbench.report.folder import ResultsFolder
from mlbench.report.frames import result_frames

NOTES = Path(__file__).with_suffix(".csv")
Ours = dict[tuple[str, str, str], list[float]]
Lines = Sequence[Mapping[str, str]]
Row = Callable[[Mapping[str, str], list[float]], str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results folder, or one with exported CSV files")
    parser.add_argument("paper", choices=sorted(PAPERS))
    parser.add_argument("table", help="as the paper calls it: 'Table IV'")
    parser.add_argument(
        "--metric",
        action="append",
        type=pair,
        default=[("auc", "macro_auc")],
        metavar="PRINTED=OURS",
        help="which of our metrics a printed one is, where names differ (repeatable)",
    )
    parser.add_argument("--step", default="fit", help="whose seconds to compare (default: fit)")
    options = parser.parse_args()
    notes = [line for line in read(NOTES) if line["paper"] == options.paper]
    scores, times = (
        [line for line in published(options.paper, name) if line["table"] == options.table]
        for name in ("scores", "times")
    )
    if not scores and not times:
        parser.error(f"{options.paper} has no table {options.table!r}; see mlbench/published/*.csv")
    try:
        if scores:
            wanted = named(scores, dict(options.metric))
            ours = measured(options.results, "scores")
            print_all(wanted, ours, notes, score_row, "paper | ours | difference")
        if times:
            wanted = [{**line, "metric": "seconds", "ours": options.step} for line in times]
            ours = measured(options.results, "seconds")
            print_all(wanted, ours, notes, time_row, "paper | ours | paper / ours")
    except MlbenchError as problem:
        parser.error(str(problem))


def pair(text: str) -> tuple[str, str]:
    printed, equals, ours = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: write PRINTED=OURS, such as f1=micro_f1")
    return printed, ours


def named(scores: Lines, names: Mapping[str, str]) -> list[dict[str, str]]:
    """Add to each printed line the name of our metric."""
    return [
        {**line, "ours": get_metric(names.get(line["metric"], line["metric"])).name}
        for line in scores
    ]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measured(folder: Path, what: str) -> Ours:
    """Return the values over splits by data set (in lower case), method, and metric or step."""
    values: Ours = defaultdict(list)
    for dataset, method, name, value in exported(folder / f"{what}.csv") or stored(folder, what):
        values[dataset.casefold(), method, name].append(value)
    return values


def exported(path: Path) -> list[tuple[str, str, str, float]]:
    if not path.is_file():
        return []
    return [
        (line["dataset"], line["method"], line.get("metric") or line["step"], float(line["value"]))
        for line in read(path)
        if line["value"]
    ]


def stored(folder: Path, what: str) -> Iterator[tuple[str, str, str, float]]:
    opened = ResultsFolder.open(folder)
    frame, _ = result_frames(opened.cells, opened.scan.rows)
    for line in frame.dropna().itertuples():
        name = line.metric.removeprefix("seconds_")
        if (what == "seconds") == (name != line.metric):
            yield line.dataset, line.method, name, line.value


def print_all(wanted: Lines, ours: Ours, notes: Lines, row: Row, head: str) -> None:
    """Print one Markdown table per data set and metric, and what has no counterpart."""
    methods = list(dict.fromkeys(method for _, method, _ in ours))
    printed = list(dict.fromkeys(line["method"] for line in wanted))
    family = {method: belongs_to(method, printed) for method in methods}
    for dataset, metric in dict.fromkeys((line["dataset"], line["metric"]) for line in wanted):
        rows = []
        for line in wanted:
            if (line["dataset"], line["metric"]) != (dataset, metric):
                continue
            for method in methods:
                values = ours.get((dataset.casefold(), method, line["ours"]))
                if values and family[method] == line["method"]:
                    rows.append(f"| {method} | {row(line, values)} | {note(line, notes)} |")
        if rows:
            print(f"**{dataset}, {metric}** ({heading(wanted, ours, dataset, metric)})\n")
            print(f"| method | {head} | note |\n| --- | ---: | ---: | ---: | --- |")
            print("\n".join(rows), end="\n\n")
    absent = [name for name in printed if name not in family.values()]
    alone = [name for name in methods if family[name] is None]
    for words, names in (("Printed, not run", absent), ("Run, not printed", alone)):
        if names:
            print(f"{words}: {', '.join(names)}.\n")


def belongs_to(method: str, printed: Iterable[str]) -> str | None:
    """Return the printed row a method belongs to: its own name, or the longest it begins with."""
    fitting = [
        name for name in printed if method == name or method.startswith((f"{name} ", f"{name},"))
    ]
    return max(fitting, key=len, default=None)


def heading(wanted: Lines, ours: Ours, dataset: str, metric: str) -> str:
    names = {
        line["ours"] for line in wanted if (line["dataset"], line["metric"]) == (dataset, metric)
    }
    counts = {
        len(values)
        for (where, _, name), values in ours.items()
        if where == dataset.casefold() and name in names
    }
    low, high = min(counts), max(counts)
    return (
        f"ours {', '.join(names)}; {low} splits"
        if low == high
        else f"ours {', '.join(names)}; {low} to {high} splits"
    )


def score_row(line: Mapping[str, str], values: list[float]) -> str:
    scale = 100.0 if line["unit"] == "percent" else 1.0
    digits = len(line["mean"].partition(".")[2])
    ours = scale * mean(values)
    spread = f" ± {scale * stdev(values):.{digits}f}" if len(values) > 1 else ""
    printed = f"{line['mean']} ± {line['std']}" if line["std"] else line["mean"]
    return f"{printed} | {ours:.{digits}f}{spread} | {ours - float(line['mean']):+.{digits}f}"


def time_row(line: Mapping[str, str], values: list[float]) -> str:
    ours = median(values)
    return f"{line['seconds']} s | {ours:.3g} s | {float(line['seconds']) / ours:.3g}"


def note(line: Mapping[str, str], notes: Lines) -> str:
    """Return what is to be said of a printed figure; an empty field of a note fits everything."""
    keys = ("table", "dataset", "method", "metric")
    return "; ".join(
        each["note"] for each in notes if all(each[key] in ("", line[key]) for key in keys)
    )


if __name__ == "__main__":
    main()
