"""``mlbench compare``."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.number_types import Number
from mlbench.cli.prepare import metric_option, tables_option
from mlbench.options import TESTS_OF_SCORES, TableFormat, Test

if TYPE_CHECKING:
    from mlbench.comparisons.settings import MetricColumn
    from mlbench.report.common_splits import CommonSplits
    from mlbench.results.results import Results


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False, metavar="B")
@click.option(
    "--test",
    type=click.Choice(TESTS_OF_SCORES),
    default="corrected_t",
    show_default=True,
    help="Test of the paired differences.",
)
@click.option(
    "--alpha",
    type=Number(0, 0.5, min_open=True),
    default=0.05,
    show_default=True,
    help="Level of the tests; 1 minus the level is that of the intervals.",
)
@click.option(
    "--map",
    "renamed",
    multiple=True,
    metavar="OLD=NEW",
    help="A data set or method of A that has another name in B (repeatable).",
)
@click.option("--dataset", "datasets", multiple=True, help="Only this data set (repeatable).")
@click.option("--method", "methods", multiple=True, help="Only this method of B (repeatable).")
@metric_option
@tables_option
@click.option("--published", hidden=True)
def compare(
    a: Path,
    b: Path | None,
    test: Test,
    alpha: float,
    renamed: tuple[str, ...],
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    metrics: tuple[str, ...],
    form: TableFormat,
    published: str | None,
) -> None:
    """Compare two results folders, A and B, on the splits that they have in common.

    Cells are matched by the names of data set and method and by the number of the split. For
    each data set, method and metric: the mean in A, the mean in B, the difference with its
    interval, the number of common splits, and a paired test, corrected by Holm's procedure for
    all tests shown. Where the data or the splits are not the same, the table says so and tests
    nothing.

    \b
      mlbench compare runs/before runs/after
      mlbench compare runs/before runs/after --metric macro_auc --test wilcoxon --format markdown
      mlbench compare runs/before runs/after --map "kNN=ML-kNN"
      mlbench compare runs/mine runs/mine --map LP=RAkEL --method RAkEL --dataset emotions
    """
    from mlbench.cli.report import print_each
    from mlbench.cli.results import open_and_warn
    from mlbench.comparisons.settings import report_settings
    from mlbench.errors import MlbenchError
    from mlbench.report.common_splits import common_splits
    from mlbench.report.tables.two_results import TwoResults, two_results_tables

    if b is None or published is not None:
        raise MlbenchError(
            "`mlbench compare` compares two results folders, A and B; the comparison with a "
            f"paper is now `mlbench reproduce {a}`"
        )
    first = open_and_warn(a)
    settings = report_settings(first, metrics)
    second = open_and_warn(b)
    shown = settings.metrics if metrics else _in_both(settings.metrics, second)
    if not shown:
        raise MlbenchError(
            f"the experiments of {a} and {b} show no metric in common; choose with --metric"
        )
    _check_user_metrics(first, second, {each.name for each in shown})
    names = _as_mapping(renamed)
    common = common_splits(first, second, [each.name for each in shown], names)
    common = common.only(datasets, methods)
    asked = TwoResults(
        str(a),
        str(b),
        common,
        shown,
        {**second.test_train_ratios, **first.test_train_ratios},
        test,
        settings.percent,
        settings.decimals,
        alpha,
        [*_renamed(common, names), *_changes(first, second, _of_one_name(common, names))],
    )
    print_each(two_results_tables(asked), form)


def _changes(first: Results, second: Results, places: Container[tuple[str, str]]) -> Iterator[str]:
    """Yield what differs behind the cells of methods that have the same name in both folders."""
    from mlbench.check.compare import change_of_series
    from mlbench.check.report import told_changes
    from mlbench.results.reference import reference_of

    then, now = reference_of(first), reference_of(second)
    before, after = (
        {(each.dataset, each.method): each for each in reference.series}
        for reference in (then, now)
    )
    both = [place for place in before if place in after and place in places]
    changes = [change_of_series(before[place], after[place], then, now) for place in both]
    yield from told_changes(changes, len(both), "differs between A and B")


def _renamed(common: CommonSplits, names: Mapping[str, str]) -> Iterator[str]:
    """Yield which names are others in A."""
    shown = {name for each in common.series for name in each.place}
    yield from (f"{new} is {old} in A." for old, new in names.items() if new in shown)


def _of_one_name(common: CommonSplits, renamed: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return what has the same name in A; two methods may differ in all."""
    new = {*renamed.values()}
    return {each.place for each in common.series if not new & {*each.place}}


def _in_both(metrics: Sequence[MetricColumn], other: Results) -> tuple[MetricColumn, ...]:
    from mlbench.comparisons.settings import report_settings

    names = {metric.name for metric in report_settings(other).metrics}
    return tuple(metric for metric in metrics if metric.name in names)


def _check_user_metrics(first: Results, second: Results, shown: set[str]) -> None:
    """Warn of metrics of the user that have other code in the second folder."""
    from mlbench.errors import MlbenchError

    theirs = {metric.name: metric.as_plain() for metric in second.plan.user_metrics}
    for name, ours in ((metric.name, metric.as_plain()) for metric in first.plan.user_metrics):
        if name not in shown or name not in theirs:
            continue
        for what in ("greater_is_better", "range", "needs"):
            if ours[what] != theirs[name][what]:
                raise MlbenchError(
                    f"{name} is not the same metric in both folders: {what} is {ours[what]} in "
                    f"{first.path}, and {theirs[name][what]} in {second.path}; choose other "
                    "metrics with --metric"
                )
        if _code(first, name) != _code(second, name):
            click.echo(f"warning: {name} was computed by different code in A and B", err=True)


def _code(folder: Results, metric: str) -> set[str]:
    return {row.code[metric] for row in folder.rows.values() if metric in row.code}


def _as_mapping(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for text, (old, _, new) in zip(texts, pairs, strict=True):
        if not old.strip() or not new.strip():
            raise click.BadParameter(f"{text!r}: write OLD=NEW", param_hint="--map")
    olds = [old.strip() for old, _, _ in pairs]
    for old in olds:
        if olds.count(old) > 1:
            raise click.BadParameter(f"{old!r} is given twice", param_hint="--map")
    return {old.strip(): new.strip() for old, _, new in pairs}
