"""Output of `mlbench data`."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlbench.cli.streams import unguarded
from mlbench.escape_controls import escape_controls

if TYPE_CHECKING:
    from mlbench.data.cards import Card
    from mlbench.data.fetch import Progress
    from mlbench.data.verify import Verification


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
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("name", "n", "d", "labels", "format", "files"):
        table.add_column(
            heading,
            justify="right" if heading in ("n", "d", "labels") else "left",
            no_wrap=True,
        )
    for row in rows:
        labels = f"{row['tasks']} tasks" if row["tasks"] else _count(row["labels"])
        table.add_row(
            row["name"],
            _count(row["samples"]),
            _count(row["features"]),
            labels,
            row["format"],
            row["files"],
        )
    console = Console(highlight=False)
    console.print(table, width=None if console.is_terminal else 200, crop=console.is_terminal)


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)


def print_facts(card: Card, facts: dict[str, Any]) -> None:
    """Print the facts about one data set."""
    used, *others = facts["cards"]
    click.echo(f"{card.name}: {card.title}\n")
    counts = card.expect.model_dump(exclude_none=True)
    lines = {
        "format": card.format,
        "expected": ", ".join(f"{value} {key}" for key, value in counts.items()),
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
        beside = f"{count.got:.10g}" + (
            "" if count.agrees else f", the card says {count.expected:.10g}"
        )
        click.echo(f"  {state:<8} {count.quantity}: {beside}")
    if verification.load_error:
        click.echo(textwrap.indent(f"cannot be loaded: {verification.load_error}", "  "))


def as_plain(verification: Verification) -> dict[str, Any]:
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
