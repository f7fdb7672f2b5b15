"""``mlbench check``."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from mlbench.cli.number_types import Number
from mlbench.cli.prepare import format_option, part_options, results_argument

_FILE = click.Path(dir_okay=False, path_type=Path)


def _in_folder(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Return the reference of an exported folder in place of the folder."""
    if path is None or not path.is_dir():
        return path
    if (there := path / "reference.json").is_file():
        return there
    raise click.BadParameter(f"{path} is a folder without a reference.json")


@click.command()
@results_argument
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    callback=_in_folder,
    metavar="FILE",
    help="Compare with this reference, or that of an exported folder.",
)
@click.option("--write", type=_FILE, metavar="FILE", help="Write a reference to a new file.")
@click.option("--update", is_flag=True, help="Replace the reference; needs --reason.")
@click.option("--reason", metavar="TEXT", help="Why its numbers may change; kept in the file.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="With --write or --update: these metrics from now on (repeatable). [default: those of "
    "the tables, or of the reference]",
)
@click.option(
    "--tolerance",
    type=Number(min=0),
    default=0.01,
    show_default=True,
    help="On the same data and splits, and where nothing can be tested, as of a single split, a "
    "mean that differs by more has moved, significant or not. "
    "Differences of at most 0.0001 are drift, whatever is given.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="A number has moved, too, if anything that it depends on has changed: data, splits, "
    "parameters, grid, code of a file; new numbers fail, and so do rows of other code than a file "
    "has now.",
)
@click.option(
    "--strict-data",
    is_flag=True,
    help="A number has moved, too, if its data or its splits have changed, whatever its value.",
)
@part_options("Check")
@format_option("text", "markdown", "json")
@click.option("--junit", type=_FILE, metavar="FILE", help="Also write JUnit XML for a CI system.")
def check(
    results: Path,
    against: Path | None,
    write: Path | None,
    update: bool,
    reason: str | None,
    metrics: tuple[str, ...],
    tolerance: float,
    strict: bool,
    strict_data: bool,
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    form: str,
    junit: Path | None,
) -> None:
    """Check results against a reference: which numbers differ, by how much, and since when.

    The same cell in the same environment must give the same bits, or, if its code has changed, the
    same scores but for rounding. In another environment, or after a change of settings, a mean has
    moved if it differs by more than 0.0001 and significantly (paired t-test over splits, 0.05,
    Holm), or by more than the tolerance; it has drifted if it differs by less. Cells that have a
    result in the reference alone are lost. Where data or splits differ, only a significant
    difference (Welch's t-test) has moved, however large others are, unless there are too few
    splits to test: then the tolerance decides. With --strict-data or --strict, all have.

    With --method or --dataset, as after a run of a part, only these are checked.

    Exit codes: 0 nothing moved or was lost, 1 cells were lost, 2 wrong usage or a damaged file,
    3 numbers moved. New numbers are listed and do not fail; with --strict they end with 3.

    \b
      mlbench check runs/quickstart --write results/quickstart.json
      mlbench check runs/quickstart --against results/quickstart.json --junit check.xml
      mlbench check runs/quickstart --against results/quickstart.json --update --reason "new solver"
    """
    _refuse_contradictions(against, write, update, reason, metrics, junit)
    if (datasets or methods) and (write is not None or update):
        raise click.UsageError(
            "--method and --dataset go with --against alone; a reference is of all cells"
        )
    from mlbench.bundle import EXPORT, REFERENCE
    from mlbench.check import (
        compare_with_reference,
        reference_of,
        to_junit,
        updated,
        write_reference,
    )
    from mlbench.check.report import check_table, plain_check
    from mlbench.cli.changed_code import computed_by_other_code, methods_of_other_code
    from mlbench.cli.results import as_text, open_and_warn
    from mlbench.errors import MlbenchError
    from mlbench.number_text import counted, listed, were
    from mlbench.report.render import to_markdown
    from mlbench.results import open_results
    from mlbench.results.reference import reference_metrics
    from mlbench.results.reference_file import parse_reference, reference_file_text
    from mlbench.results.verify import check_keys
    from mlbench.store.atomic import write_output

    folder = open_and_warn(results)
    if write is not None:
        if n_missing := folder.counts.get("missing", 0):
            raise MlbenchError(
                f"{results}: {counted(n_missing, 'cell')} {were(n_missing)} not run; a reference "
                "without them would never ask for them: finish with `mlbench run`"
            )
        if folder.source == "run" and (
            stale := methods_of_other_code(results, folder.plan, folder.own_rows)
        ):
            raise MlbenchError(
                f"no reference is made while rows are of other code: {listed(stale)}; run the "
                "experiment first"
            )
        new = reference_of(folder, metrics)
        write_reference(new, write)
        n_numbers = sum(bool(each.scores(name)) for each in new.series for name in new.metrics)
        click.echo(f"{write}: {counted(n_numbers, 'number')} of {', '.join(new.metrics)}", err=True)
        if n_failed := sum(not row.is_ok for row in folder.rows.values()):
            click.echo(
                f"warning: {counted(n_failed, 'cell')} failed, and no check will ask for "
                f"{'it' if n_failed == 1 else 'them'}: see mlbench status {results}",
                err=True,
            )
        return
    assert against is not None
    if metrics:
        reference_metrics(folder, metrics)  # refuses an unknown one before anything is printed
    is_run = folder.source == "run"
    checked = {cell.key for cell in folder.shown_cells(datasets, methods)}
    own = {key: row for key, row in folder.own_rows.items() if key in checked}
    warnings = [*(computed_by_other_code(results, folder.plan, own) if is_run else ())]
    warnings += [
        f"{counted(origin.n_cells, 'cell')} {were(origin.n_cells)} taken over from {origin.title}, "
        "not run here, so their numbers check nothing"
        for origin in folder.plan.taken_over
        if not origin.is_base
    ]
    stale = methods_of_other_code(results, folder.plan, own) if is_run else []
    text = reference_file_text(against, follow=True)
    old = parse_reference(against, text)
    check_keys(old, against, text, "restore the file")
    if against.name == REFERENCE and (against.parent / EXPORT).is_file():
        open_results(against.parent)  # verified as a whole
    found = compare_with_reference(old, folder, tolerance, strict, strict_data, datasets, methods)
    unchecked = tuple(name for name in found.unchecked if name not in metrics)
    found = replace(found, warnings=tuple(warnings), stale=tuple(stale), unchecked=unchecked)
    if form == "json":
        click.echo(json.dumps(plain_check(found), indent=1, allow_nan=False))
    else:
        render = to_markdown if form == "markdown" else as_text
        click.echo(render(check_table(found)), nl=False)
    if junit is not None:
        write_output(junit, to_junit(found))
    if update:
        assert reason is not None
        if stale:
            raise MlbenchError(
                f"the reference is not updated while rows are of other code: {listed(stale)}; "
                "run the experiment first"
            )
        new = reference_of(folder, metrics or old.metrics)
        if found.is_all_the_same and new.metrics == old.metrics:
            click.echo(f"{against}: nothing differs, so it stays as it is", err=True)
            return
        write_reference(updated(old, new, found, reason), against)
        click.echo(f"{against}: updated", err=True)
        if dropped := [name for name in old.metrics if name not in new.metrics]:
            click.echo(f"no longer checked: {', '.join(dropped)}", err=True)
        if against.name == REFERENCE and (against.parent / EXPORT).is_file():
            click.echo(
                f"warning: the other files of {against.parent} have the numbers of before, and "
                "no command reads the folder until they agree: "
                f"mlbench export {results} --folder {against.parent} writes them anew",
                err=True,
            )
        return
    sys.exit(found.exit_code)


def _refuse_contradictions(
    against: Path | None,
    write: Path | None,
    update: bool,
    reason: str | None,
    metrics: tuple[str, ...],
    junit: Path | None,
) -> None:
    if against is not None and write is not None:
        raise click.UsageError("give --against FILE to check, or --write FILE, not both")
    if against is None and write is None:
        raise click.UsageError("give --against FILE to check, or --write FILE to make a reference")
    if write is not None and (update or junit is not None):
        raise click.UsageError("--update and --junit go with --against, not with --write")
    context = click.get_current_context()
    options = {
        "strict": "--strict",
        "strict_data": "--strict-data",
        "tolerance": "--tolerance",
        "form": "--format",
    }
    for name, option in options.items():
        if write is not None and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} goes with --against; --write compares nothing")
    if write is not None and os.path.lexists(write):
        raise click.UsageError(
            f'{write} exists already; --against {write} --update --reason "..." replaces it'
        )
    if against is not None and metrics and not update:
        raise click.UsageError(
            "--metric goes with --write or --update; the reference names its metrics"
        )
    if junit is not None and against is not None and junit.resolve() == against.resolve():
        raise click.UsageError("--junit names the reference, and would replace it")
    if update and not (reason or "").strip():
        raise click.UsageError('--update needs --reason "why the numbers may change"')
    if reason is not None and not update:
        raise click.UsageError("--reason goes with --update")
