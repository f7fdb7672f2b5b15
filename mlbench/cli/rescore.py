"""``mlbench rescore``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import (
    allow_import_option,
    data_option,
    metric_option,
    per_label_option,
    results_argument,
    tables_option,
)
from mlbench.options import TableFormat

if TYPE_CHECKING:
    from mlbench.data import Dataset
    from mlbench.metrics import Metric
    from mlbench.rescoring import Rescored
    from mlbench.results.results import Results

_CELLS_NAMED = 3


@click.command()
@results_argument
@click.option("--convention", metavar="NAME", help="Value of 0/0: mulan, sklearn, meka, ...")
@metric_option
@tables_option
@per_label_option
@click.option(
    "--relative-to",
    "start",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Folder of the experiment file, if it names data or metrics by relative paths. "
    "[default: .]",
)
@data_option
@allow_import_option
def rescore(
    results: Path,
    convention: str | None,
    metrics: tuple[str, ...],
    form: TableFormat,
    per_label: bool,
    start: Path,
    data_dirs: tuple[Path, ...],
) -> None:
    """Print tables of other metrics or conventions from kept predictions, without a refit.

    Needs the predictions that `keep_predictions: true` in an experiment keeps, and the data for
    the true labels. Rows do not change: the values are computed each time. A metric that
    does not have the convention keeps its own. Your own metrics are computed with today's code;
    where it may not be imported, they keep the values of the run. The test jackknife_t is made
    here, because it needs predictions.

    \b
      mlbench rescore runs/mine --convention mulan
      mlbench rescore runs/mine --metric my.py:gain --allow-import
      mlbench rescore runs/mine --metric example_f1 --metric macro_auc@sklearn --format csv
    """
    from mlbench.cli.report import print_tables
    from mlbench.cli.results import open_and_warn
    from mlbench.metrics import get_metric
    from mlbench.metrics.catalogue import is_in_every_row
    from mlbench.metrics.user_metrics import canonical_name, is_user_metric
    from mlbench.report.selection import Selection
    from mlbench.rescoring import rescore as rescored
    from mlbench.rescoring import under
    from mlbench.store import Store

    folder = open_and_warn(results, whole=True)
    folder.require_run("predictions")
    user_metrics = _user_metrics(folder, metrics, start)
    shown = [get_metric(canonical_name(name, start)).name for name in metrics]
    if convention is not None:
        shown = under(shown or folder.plan.experiment.metrics, convention)
    compared = shown or folder.plan.experiment.report.metrics or folder.plan.experiment.metrics
    user_metrics += [
        get_metric(name) for name in compared if not (is_in_every_row(name) or is_user_metric(name))
    ]
    load = _data_loader(folder, start, data_dirs)
    asks = any("jackknife_t" in each.test for each in folder.plan.experiment.tests)
    jackknifed = [get_metric(name).name for name in compared] if asks else []
    found = rescored(
        Store(results), folder.cells, folder.whole_rows, load, user_metrics, jackknifed
    )
    _warn(found, shown or folder.plan.experiment.metrics)
    if not any(row.is_ok for row in found.rows.values()):
        if not found.without:
            click.echo(f"no cell has a result; see mlbench status {results}", err=True)
        sys.exit(1)
    rows = {key: folder.rows[key] for key in folder.elsewhere} | found.rows  # others' stay
    lacking = print_tables(
        replace(folder, rows=rows, without_blocks=found.without_blocks),
        form,
        Selection(metrics=tuple(shown), per_label=per_label),
    )
    sys.exit(1 if lacking else 0)


def _data_loader(
    folder: Results, start: Path, data_dirs: Sequence[Path]
) -> Callable[[str], Dataset]:
    """Return what loads a data set by its name in tables, and says where relative paths start."""
    from mlbench.cli.results import data_loader
    from mlbench.data.dataset_reference import is_path
    from mlbench.errors import DataError

    load = data_loader(folder, start, data_dirs)
    of_name = {each.display: each.use for each in folder.plan.experiment.datasets}

    def loaded(name: str) -> Dataset:
        try:
            return load(name)
        except DataError as error:
            if not is_path(of_name[name]):
                raise
            raise DataError(
                f"{error} (relative paths start from {start}; --relative-to gives the folder of "
                "the experiment file)"
            ) from None

    return loaded


def _user_metrics(folder: Results, wanted: Sequence[str], start: Path) -> list[Metric]:
    """Import the user's metrics, and warn of those in the results that cannot be imported."""
    from mlbench.errors import MlbenchError
    from mlbench.metrics.user_metrics import canonical_name, is_user_metric, load_metric

    recorded = [metric.name for metric in folder.plan.user_metrics]
    asked = [canonical_name(name, start) for name in wanted if is_user_metric(name)]
    found = []
    for name in dict.fromkeys([*recorded, *asked]):
        try:
            found.append(load_metric(name, start))
        except MlbenchError as error:
            if name not in recorded:
                raise
            click.echo(f"warning: {name} keeps the values of the run: {error}", err=True)
    return found


def _warn(found: Rescored, shown: Sequence[str]) -> None:
    """Warn of cells that cannot be rescored, and of values that differ from the rows."""
    from mlbench.number_text import counted

    for reason, cells in found.without.items():
        named = ", ".join(cells[:_CELLS_NAMED]) + (", ..." if len(cells) > _CELLS_NAMED else "")
        click.echo(
            f"warning: {counted(len(cells), 'cell')} not scored ({named}): {reason}", err=True
        )
    if needing := [name for name in shown if name in found.needing_all]:
        click.echo(
            "warning: only the best scores of each row were kept, and all are needed for "
            f"{', '.join(needing)}: values of the run stay, where there are some",
            err=True,
        )
    if found.differing:
        words = ", ".join(f"{name} by {size:.1e}" for name, size in found.differing.items())
        click.echo(
            f"warning: the rows have other values ({words}): they were scored by other code, or on "
            "a machine that rounds differently",
            err=True,
        )
