"""Output of `mlbench data describe`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.data.description import Description, describe

if TYPE_CHECKING:
    from mlbench.report.figures.label_frequencies import LabelFrequencies

_PAIRS = 5


def described(text: str, data_dirs: Sequence[Path]) -> Description:
    """Measure a data set named on the command line; ``{use: corel5k, labels: 35}`` is YAML.

    Missing values are kept unless it says otherwise, because they are counted.
    """
    from mlbench.config.datasets import DatasetReference
    from mlbench.data.load import load_dataset
    from mlbench.yaml_loader import parse_yaml

    given = parse_yaml(text, Path("NAME")).value if text.startswith("{") else {"use": text}
    description = describe(load_dataset({"missing": "keep", **given}, data_dirs))
    return replace(description, name=DatasetReference.model_validate(given).display)


def print_descriptions(descriptions: Sequence[Description]) -> None:
    """Print a column for each data set, then its most common pairs of labels."""
    import click
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
