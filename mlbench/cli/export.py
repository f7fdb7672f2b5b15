"""``mlbench export``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import results_argument
from mlbench.options import EXPORT_COLUMNS

if TYPE_CHECKING:
    from mlbench.results.results import Results

_CELLS_NAMED = 3


@click.command()
@results_argument
@click.option(
    "--what",
    type=click.Choice(list(EXPORT_COLUMNS)),
    default="scores",
    show_default=True,
    help="Scores; chosen parameters; times and peak memory; counts of samples and undefined "
    "labels; reports of the fits (iterations, gaps).",
)
@click.option(
    "--per-label",
    is_flag=True,
    help="Scores of each label, in the columns dataset,method,split,label,metric,value.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="Only this metric (repeatable). With --folder: this one, too, beside those of the "
    "experiment.",
)
@click.option(
    "--folder",
    "target",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write all of it into a folder to commit or to archive: the experiment, tables, these CSV "
    "files for the metrics of the experiment, a reference for `mlbench check`, and, if the "
    "experiment names a paper, the comparison with it.",
)
@click.option(
    "--add-to",
    "grown",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Add the series that an exported FOLDER lacks, by data set and method, if data, splits "
    "and protocol are the same; and the splits that its series lack.",
)
@click.option("--dry-run", is_flag=True, help="With --add-to: only say what would be added.")
@click.option(
    "--replace-failed",
    is_flag=True,
    help="With --add-to: take results for cells that failed in FOLDER.",
)
@click.option(
    "--replace",
    "replaced",
    metavar="METHOD",
    multiple=True,
    help="With --add-to and --experiment: the series of this method give way to those of RESULTS, "
    "which have other settings or a later revision (repeatable).",
)
@click.option(
    "--experiment",
    "whole",
    metavar="EXPERIMENT",
    help="With --add-to: the whole experiment, of which FOLDER and RESULTS are parts. FOLDER gets "
    "its order and its comments.",
)
def export(
    results: Path,
    what: str,
    per_label: bool,
    metrics: tuple[str, ...],
    target: Path | None,
    grown: Path | None,
    dry_run: bool,
    replace_failed: bool,
    replaced: tuple[str, ...],
    whole: str | None,
) -> None:
    """Print the numbers of a results folder as CSV: dataset,method,split,metric,value.

    All metrics under all conventions, in full precision and in the order of the experiment. The
    value is empty where a metric is undefined. With --what the fourth column is called param,
    step, count or entry.

    \b
      mlbench export runs/quickstart > quickstart-scores.csv
      mlbench export runs/quickstart --metric macro_f1
      mlbench export runs/quickstart --what params
      mlbench export runs/quickstart --per-label --metric macro_f1
      mlbench export runs/quickstart --folder results/quickstart
      mlbench export runs/quickstart --folder results/quickstart --metric hamming_loss
      mlbench export runs/mine --add-to results/quickstart --dry-run
    """
    from mlbench.cli.changed_code import warn_of_other_code
    from mlbench.cli.export_code import code_not_in, files_of_several, told_of_several
    from mlbench.cli.export_folder import write_folder
    from mlbench.cli.results import open_and_warn
    from mlbench.data.dataset_reference import is_path
    from mlbench.errors import MlbenchError
    from mlbench.metrics import get_metric
    from mlbench.number_text import counted, listed
    from mlbench.results.long_csv import write_csv
    from mlbench.store.label_scores import LABEL_METRICS

    if metrics and what != "scores":
        raise click.UsageError(f"--metric chooses among scores; it does not go with --what {what}")
    if grown is None and (dry_run or replace_failed or replaced or whole is not None):
        raise click.UsageError(
            "--dry-run, --replace-failed, --replace and --experiment go with --add-to"
        )
    if replaced and whole is None:
        raise click.UsageError("--replace goes with --experiment, which has the new settings")
    if grown is not None:
        from mlbench.cli.export_add import add_to_folder

        if target is not None or per_label or metrics or what != "scores":
            raise click.UsageError(
                "--add-to adds what the folder holds: leave the other options out"
            )
        added = open_and_warn(results)
        warn_of_other_code(results, added)
        all_added = add_to_folder(added, grown, whole, replace_failed, dry_run, replaced)
        sys.exit(0 if all_added else 1)
    if target is not None and (per_label or what != "scores"):
        raise click.UsageError("--folder writes everything: leave the other options out")
    folder = open_and_warn(results, whole=per_label)
    warn_of_other_code(results, folder)
    wanted = {get_metric(name).name for name in metrics}
    if target is not None:
        written = write_folder(folder, target, metrics, lambda line: click.echo(line, err=True))
        click.echo(f"{target}: {', '.join(written)}")
        shared = files_of_several(folder.plan, folder.rows)
        for file, users in shared.items():
            click.echo(f"warning: {told_of_several(file, users)}", err=True)
        absent = code_not_in(target, folder.path, folder.plan, folder.rows.values())
        if absent := [file for file in absent if file not in shared]:
            click.echo(
                f"to run {target / 'experiment.yaml'} again, copy {listed(absent)} next to it",
                err=True,
            )
        datasets = [each.use for each in folder.plan.experiment.datasets if is_path(each.use)]
        if datasets:
            click.echo(
                f"{listed([Path(each).name for each in datasets], 4)}: your own data; others run "
                "the experiment with a copy at the path written there, or once they have a card "
                "(mlbench data add)",
                err=True,
            )
    elif per_label:
        if what != "scores" or (other := wanted - {*LABEL_METRICS}):
            what_else = f"--what {what}" if what != "scores" else ", ".join(sorted(other))
            raise MlbenchError(
                f"--per-label goes with {', '.join(LABEL_METRICS)}, not with {what_else}"
            )
        parts = {LABEL_METRICS[name] for name in wanted}
        write_csv(sys.stdout, ("label", "metric"), folder.label_numbers(parts))
        rows = folder.whole_rows.values()
        if older := sum(row.is_ok and row.by_label is None for row in rows):
            what_else = f"{counted(older, 'row')} of an older version, without scores of labels"
            click.echo(f"not exported: {what_else}", err=True)
    else:
        write_csv(sys.stdout, (EXPORT_COLUMNS[what],), folder.numbers(what, wanted))
        reports = any(row.fit for row in folder.rows.values())
        if what == "fit" and folder.counts.get("ok") and not reports:
            click.echo("no method reports on its fits", err=True)
    if target is not None:
        _say_what_has_not_run(folder, target)
        return
    lacking = {status: n for status, n in folder.counts.items() if status != "ok"}
    if lacking:
        words = ", ".join(f"{n} {status}" for status, n in lacking.items())
        click.echo(f"not exported: {words}; see mlbench status {results}", err=True)


def _say_what_has_not_run(folder: Results, target: Path) -> None:
    from mlbench.number_text import counted, listed, were

    names = [
        f"{each.dataset}/{each.method}/{each.split}"
        for each in folder.cells
        if each.key not in folder.rows
    ]
    if names:
        click.echo(
            f"{target} lacks {counted(len(names), 'cell')} that {were(len(names))} not run: "
            f"{listed(names, _CELLS_NAMED)}; its reference does not ask for them. Finish with "
            "`mlbench run`, and export again",
            err=True,
        )
