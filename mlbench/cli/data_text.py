"""Output of `mlbench data` and `mlbench data describe`."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlbench.cli.streams import unguarded
from mlbench.escape_controls import escape_controls

if TYPE_CHECKING:
    from mlbench.data.cards import Card
    from mlbench.data.description import Description
    from mlbench.data.fetch import Progress
    from mlbench.data.verify import Verification
    from mlbench.report.figures.label_frequencies import LabelFrequencies


def readable_cards(data_dirs: Sequence[Path]) -> tuple[list[Card], int]:
    """Return all cards, and the number of those that cannot be read, each named on stderr."""
    from mlbench.data.cards import available_cards, load_card
    from mlbench.errors import DataError

    cards, n_unreadable = [], 0
    for name in available_cards(data_dirs):
        try:
            cards.append(load_card(name, data_dirs))
        except DataError as error:
            n_unreadable += 1
            click.echo(f"left out: {error}", err=True)
    return cards, n_unreadable


def print_datasets(rows: list[dict[str, Any]]) -> None:
    """Print a line for each data set."""
    from rich.table import Table

    from mlbench.cli.results import print_rich

    table = Table(box=None, pad_edge=False)
    for heading in ("name", "domain", "n", "d", "labels", "format", "files"):
        table.add_column(
            heading,
            justify="right" if heading in ("n", "d", "labels") else "left",
            no_wrap=True,
        )
    for row in rows:
        labels = f"{row['tasks']} tasks" if row["tasks"] else _count(row["labels"])
        table.add_row(
            row["name"],
            row["domain"],
            _count(row["samples"]),
            _count(row["features"]),
            labels,
            row["format"],
            row["files"],
        )
    print_rich(table)


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def print_facts(card: Card, facts: dict[str, Any]) -> None:
    """Print the facts about one data set."""
    used, *others = facts["cards"]
    click.echo(f"{card.name}: {card.title}\n")
    counts = card.expect.model_dump(exclude_none=True)
    lines = {
        "domain": card.domain,
        "format": card.format,
        "expected": ", ".join(f"{value} {key}" for key, value in counts.items()),
        "tasks" if card.expect.tasks else "labels": first_names(facts.get("labels", ())),
        "text": facts.get("text"),
        "left out": facts.get("left_out"),
        "fingerprint": facts["fingerprint"] or "(not loaded)",
        "citation": card.citation,
        "terms": card.terms,
        "home": card.home,
        "card": used + "".join(f"\noverrides {other}" for other in others),
    }
    for key, value in lines.items():
        if value:
            click.echo(_hanging(f"{key:<13}", value))
    if card.files:
        click.echo("\nfiles")
    for role, file in card.files.items():
        click.echo(f"  {role:<11}{facts['found'][role] or f'{file.path}  (not found)'}")
    if "load_error" in facts:
        click.echo(f"\ncannot be loaded: {facts['load_error']}")
    if card.files and facts["fingerprint"] is None and "load_error" not in facts:
        click.echo("\n" + "\n".join(_hanging("", line) for line in card.remedy.splitlines()))
    if facts["notes"]:
        click.echo("\nnotes")
    for note in facts["notes"]:
        click.echo(_hanging("  - ", note))


def first_names(names: Sequence[str], most: int = 6) -> str:
    """Return the first of some names, and how many more there are."""
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _hanging(lead: str, text: str) -> str:
    lines = [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, 84, break_long_words=False, break_on_hyphens=False)
    ]
    return lead + ("\n" + " " * len(lead)).join(lines)


def print_verification(verification: Verification) -> None:
    """Print the state of the files and the counts of one data set."""
    click.echo(f"{verification.name}: {verification.status}")
    for file in verification.files:
        where = file.found or f"{file.path} not found"
        note = "" if file.state != "missing" or file.needed else " (not needed)"
        click.echo(f"  {file.state:<8} {where}{note}")
        if file.state == "differs":
            click.echo(f"           expected {file.expected}\n           got      {file.got}")
    for count in verification.counts:
        state = "ok" if count.agrees else "differs"
        compared = f"{count.got:.10g}" + (
            "" if count.agrees else f", the card says {count.expected:.10g}"
        )
        click.echo(f"  {state:<8} {count.quantity}: {compared}")
    if verification.load_error:
        click.echo(textwrap.indent(f"cannot be loaded: {verification.load_error}", "  "))


def plain_verification(verification: Verification) -> dict[str, Any]:
    """Return an outcome as JSON, with `agrees` for each count."""
    facts = json.loads(json.dumps(asdict(verification), default=str))
    for fact, count in zip(facts["counts"], verification.counts, strict=True):
        fact["agrees"] = count.agrees
    return {"name": verification.name, "status": verification.status, **facts}


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """Yield a function that shows progress on stderr, or None if stderr is no terminal."""
    stream = unguarded(sys.stderr)
    if not stream.isatty():
        yield None
        return

    def tell(path: str, done: int, total: int | None) -> None:
        share = f" {done / total:4.0%}" if total else ""
        stream.write(f"\r\033[K{escape_controls(path)}  {done / 1e6:.1f} MB{share}")
        stream.flush()

    try:
        yield tell
    finally:
        stream.write("\r\033[K")
        stream.flush()


_PAIRS = 5


def described(text: str, data_dirs: Sequence[Path]) -> Description:
    """Measure a data set named on the command line; ``{use: corel5k, labels: 35}`` is YAML.

    Missing values are kept unless it says otherwise, because they are counted.
    """
    from mlbench.config.datasets import DatasetReference
    from mlbench.data.description import describe
    from mlbench.data.load import load_dataset
    from mlbench.yaml_loader import parse_yaml

    given = parse_yaml(text, Path("NAME")).value if text.startswith("{") else {"use": text}
    description = describe(load_dataset({"missing": "keep", **given}, data_dirs))
    return replace(description, name=DatasetReference.model_validate(given).display)


def print_descriptions(descriptions: Sequence[Description]) -> None:
    """Print a column for each data set, then its most common pairs of labels."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for each in descriptions:
        table.add_column(Text(each.name), justify="right", no_wrap=True)
    for cells in zip(*map(_rows, descriptions), strict=True):
        if any(value for _, value in cells):
            table.add_row(cells[0][0], *(Text(value or "-") for _, value in cells))
    Console(highlight=False, width=200).print(table)
    for each in descriptions:
        if each.pairs:
            click.echo(f"\nmost common pairs of labels in {each.name}")
        for pair in each.pairs[:_PAIRS]:
            click.echo(f"  {pair.rows:>7}  {pair.labels[0]} and {pair.labels[1]}")


def _rows(of: Description) -> list[tuple[str, str]]:
    by_frequency = _sorted(of)
    return [
        ("rows", str(of.rows)),
        ("features", str(of.features)),
        ("text columns", str(of.text_columns or "")),
        ("missing cells", f"{of.missing:.2%}" if of.missing else ""),
        ("labels", str(of.labels)),
        ("known labels", f"{of.known:.2%}" if of.known < 1 else ""),
        ("cardinality", f"{of.cardinality:.3f}"),
        ("density", f"{of.density:.3f}"),
        ("rows without label", str(of.unlabeled)),
        ("distinct labelsets", str(of.labelsets)),
        ("distinct labelsets per row", f"{of.distinct:.3f}"),
        ("labels without positives", str(of.without_positives) if of.without_positives else ""),
        ("imbalance ratio, mean", _number(of.mean_imbalance)),
        ("imbalance ratio, largest", _number(of.largest_imbalance)),
        ("SCUMBLE", _number(of.scumble)),
        ("most frequent label", f"{by_frequency[0][0]} ({by_frequency[0][1]:.1%})"),
        ("least frequent label", f"{by_frequency[-1][0]} ({by_frequency[-1][1]:.1%})"),
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _sorted(of: Description) -> list[tuple[str, float]]:
    pairs = [(each.label, each.frequency or 0.0) for each in of.frequencies]
    return sorted(pairs, key=lambda pair: -pair[1])


def frequencies_plot(descriptions: Sequence[Description]) -> LabelFrequencies:
    """Return the figure of label frequencies."""
    from mlbench.report.figures.label_frequencies import LabelFrequencies

    each_sorted = [_sorted(each) for each in descriptions]
    return LabelFrequencies(
        "Label frequencies",
        tuple(each.name for each in descriptions),
        tuple(tuple(label for label, _ in pairs) for pairs in each_sorted),
        tuple(tuple(frequency for _, frequency in pairs) for pairs in each_sorted),
    )
