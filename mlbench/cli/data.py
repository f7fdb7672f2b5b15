"""``mlbench data``: list data sets, show, describe, add, fetch and verify them."""

import json
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

import click

from mlbench.cli.number_types import Number
from mlbench.cli.prepare import data_option, end_by_sigterm, json_option
from mlbench.cli.settings import joined


@click.group()
def data() -> None:
    """List, show, describe, fetch, add and verify data sets.

    mlbench looks for files in the folders given with --data, then in those of the environment
    variable MLBENCH_DATA, in ./datasets, in the user's data folder
    (~/.local/share/mlbench/datasets), and in the cache of fetched files
    (~/.cache/mlbench/datasets).

    \b
      mlbench data list
    """


@data.command("list")
@data_option
@json_option
def list_(data_dirs: tuple[Path, ...], form: str) -> None:
    """List data sets, and whether their files are here.

    \b
      mlbench data list --data ~/datasets
    """
    from mlbench.cli.data_text import print_datasets, readable_cards
    from mlbench.data.verify import presence

    rows = []
    for card in readable_cards(data_dirs)[0]:
        counts = card.expect.model_dump(include={"samples", "features", "labels", "tasks"})
        here = presence(card, data_dirs)
        rows.append(
            {
                "name": card.name,
                "title": card.title,
                "domain": card.domain,
                **counts,
                "format": card.format,
                "files": here,
            }
        )
    if form == "json":
        click.echo(json.dumps(rows, indent=1))
    else:
        print_datasets(rows)


@data.command()
@click.argument("name")
@data_option
@json_option
def show(name: str, data_dirs: tuple[Path, ...], form: str) -> None:
    """Show one data set: its card, files, fingerprint and notes, and how to get it.

    \b
      mlbench data show emotions
    """
    from mlbench.cli.data_text import print_facts
    from mlbench.data.cards import card_places, load_card
    from mlbench.data.load import load_dataset
    from mlbench.data.search_path import locate
    from mlbench.data.verify import presence
    from mlbench.errors import DataError

    card = load_card(name, data_dirs)
    facts: dict[str, Any] = card.model_dump(mode="json", exclude_none=True)
    facts["cards"] = [str(path) for path in card_places(data_dirs)[card.name]]
    facts["found"] = {
        role: str(found) if (found := locate(file.path, data_dirs)) else None
        for role, file in card.files.items()
    }
    facts["fingerprint"] = None
    if presence(card, data_dirs) in ("here", "generated"):
        try:
            dataset = load_dataset(name, data_dirs)
            facts["fingerprint"], facts["left_out"] = dataset.fingerprint, dataset.left_out
            if dataset.texts is not None:
                facts["text"] = str(dataset.texts)
            facts["notes"] = dataset.notes
            facts["labels"] = dataset.task_names or dataset.label_names
        except DataError as error:
            facts["load_error"] = str(error)
    if form == "json":
        click.echo(json.dumps(facts, indent=1))
    else:
        print_facts(card, facts)


@data.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--figure",
    "figure_path",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the label frequencies: .svg, .png or .pdf. Needs matplotlib.",
)
@data_option
@json_option
def describe(
    names: tuple[str, ...], figure_path: Path | None, data_dirs: tuple[Path, ...], form: str
) -> None:
    """Measure data sets, side by side.

    Sizes, cardinality and density, distinct labelsets, imbalance of the labels, and which occur
    together. NAME is a name, a path, or a subset as in an experiment.

    \b
      mlbench data describe emotions yeast
      mlbench data describe '{use: corel5k, labels: 35}' --figure frequencies.pdf
    """
    from mlbench.cli.data_text import described, frequencies_plot, print_descriptions

    descriptions = [described(name, data_dirs) for name in names]
    if form == "json":
        click.echo(json.dumps([asdict(each) for each in descriptions], indent=1))
    else:
        print_descriptions(descriptions)
    if figure_path is not None:
        from mlbench.report.figures.drawing import save

        save(frequencies_plot(descriptions), figure_path, "page")
        click.echo(f"wrote {figure_path}", err=True)


@data.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--name", help="Name of the data set. [default: the file's name]")
@click.option(
    "--labels",
    metavar="COLUMNS|FILE",
    multiple=True,
    callback=joined,
    help="The columns that are labels (repeatable), as the option label_columns of an experiment: "
    "a,b or 'prefix: y_' or 'last: 6'. Or the XML file that names the labels, or the CSV file of "
    "them.",
)
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="A key that the data set has in an experiment (repeatable): class_column=last.",
)
@click.option(
    "--to",
    "target_dir",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Put the card and files here, not into the user's data folder.",
)
@click.option("--link", is_flag=True, help="Link to the files instead of copying them.")
@click.option(
    "--force",
    is_flag=True,
    help="Replace a data set of this name; the title, citation, terms and home of its card stay, "
    "options are those that are given.",
)
@data_option
def add(
    path: Path,
    name: str | None,
    labels: str | None,
    settings: tuple[str, ...],
    target_dir: Path | None,
    link: bool,
    force: bool,
    data_dirs: tuple[Path, ...],
) -> None:
    """Add your files as a data set.

    Reads them, writes a card with counts and hashes, and keeps a copy of both.

    Takes an ARFF file with its XML file in the same folder, a MEKA ARFF file, an svmlight file, a
    CSV, TSV or Parquet file with the labels in some columns (--labels) or a class in one (--set
    class_column=last), or a CSV file of features with one of labels (X.csv and Y.csv) or a folder
    of both. Of x-train and x-test, naming one takes both.

    \b
      mlbench data add ~/songs/songs-train.arff --name songs
      mlbench data add finches.csv --labels 'prefix: y_'
    """
    from mlbench.cli.data_text import first_names
    from mlbench.cli.settings import asks_for_labels, parse_columns, parse_settings
    from mlbench.data.add import add as add_files
    from mlbench.data.add import detect_files, replaced_card
    from mlbench.data.encoding import TEXT
    from mlbench.data.load import load_dataset
    from mlbench.data.search_path import own_data_dir
    from mlbench.store.plain_values import value_text

    end_by_sigterm()
    target = target_dir or own_data_dir()
    given = parse_settings(settings)
    labels_file = None if labels is None or not Path(labels).is_file() else Path(labels)
    if labels is not None and labels_file is None:
        given["label_columns"] = parse_columns(labels)
    with asks_for_labels(str(path)):
        name = name or detect_files(path, labels_file, given).name
        before = replaced_card(target / f"{name}.yaml")
        card = add_files(
            path,
            target,
            name=name,
            labels=labels_file,
            settings=given,
            link=link,
            force=force,
            data_dirs=data_dirs,
        )
    counts = ", ".join(
        f"{value:g} {key.removesuffix('s') if value == 1 else key}"
        for key, value in card.expect
        if value is not None
    )
    click.echo(f"{card.name}: {counts} ({card.format})")
    dataset = load_dataset(card.name, [target])
    click.echo(f"labels: {first_names(dataset.label_names)}")
    if dataset.texts is not None:
        click.echo(str(dataset.texts))
    if dataset.groups is not None:
        click.echo(f"groups: {dataset.groups.max() + 1}")
    if dataset.left_out:
        click.echo(f"left out {dataset.left_out}")
        if TEXT in dataset.left_out:
            click.echo("to keep such columns: --set 'nominal=[NAME]' or --set 'text=[NAME]'")
    options = {} if before is None else before.options
    if gone := {key: value for key, value in options.items() if key not in card.options}:
        again = " ".join(
            f"--set {quote(f'{key}={value_text(each)}')}" for key, each in gone.items()
        )
        click.echo(f"no longer on the card: {', '.join(gone)}; to keep: {again}, and --force")
    lacks = "" if card.citation and card.terms else "; fill in its title, citation and terms"
    click.echo(f"card: {target / card.name}.yaml{lacks}")


@data.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--base",
    metavar="NAME",
    help="The data sets of published results: a name, or a folder of `mlbench export --folder`.",
)
@click.option(
    "--to",
    "target_dir",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Put the files here, not into the cache (~/.cache/mlbench/datasets).",
)
@click.option(
    "--timeout",
    "stall_seconds",
    metavar="SECONDS",
    type=Number(min=0.1),
    default=30.0,
    show_default=True,
    help="Give up on a server that sends almost nothing for this long.",
)
@data_option
def fetch(
    names: tuple[str, ...],
    base: str | None,
    target_dir: Path | None,
    stall_seconds: float,
    data_dirs: tuple[Path, ...],
) -> None:
    """Download data sets.

    Each file is checked by its SHA-256 and put where mlbench finds it. The same command resumes
    an interrupted download. A data set of OpenML is openml:NUMBER, and gets a card.

    \b
      mlbench data fetch emotions yeast openml:40589
      mlbench data fetch --base strong-baselines
    """
    end_by_sigterm()
    if not names and base is None:
        raise click.UsageError("name the data sets to fetch, or give --base")
    from mlbench.cli.data_text import progress_line
    from mlbench.data.cards import load_card, openml_number
    from mlbench.data.fetch import fetch as fetch_files

    places = [*data_dirs, *([target_dir] if target_dir else [])]
    names = tuple(dict.fromkeys((*names, *(_data_of(base) if base else ()))))
    for name in names:
        if openml_number(name) is None:
            load_card(name, places)
    for name in names:
        with progress_line() as progress:
            fetched = fetch_files(
                name, target_dir, progress, data_dirs=data_dirs, stall_seconds=stall_seconds
            )
        new = sum(file.url is not None for file in fetched)
        old = len(fetched) - new
        parts = [f"downloaded: {new}" * (new > 0), f"already here: {old}" * (old > 0)]
        folders = sorted({str(file.path.parent) for file in fetched})
        what = ", ".join(filter(None, parts)) or "needs no files"
        click.echo(f"{name}: {what}" + (f", in {', '.join(folders)}" if folders else ""))


def _data_of(base: str) -> list[str]:
    """Return the names of the data sets of published results; files are told of."""
    from mlbench.data.dataset_reference import is_path
    from mlbench.results import open_results

    uses = [each.use for each in open_results(base).plan.experiment.datasets]
    for use in filter(is_path, uses):
        click.echo(f"{use}: is a file of whoever published {base}, and cannot be fetched", err=True)
    return [use for use in uses if not is_path(use)]


@data.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="Verify every data set with files here.")
@data_option
@json_option
@click.pass_context
def verify(
    context: click.Context,
    names: tuple[str, ...],
    everything: bool,
    data_dirs: tuple[Path, ...],
    form: str,
) -> None:
    """Check files against their cards.

    First their SHA-256, then the counts of samples, features and labels. Exits with 1 if
    something is damaged, or if the files of a named data set are missing. --all skips data sets
    without files, and exits with 2 if it cannot read a card.

    \b
      mlbench data verify emotions yeast
    """
    from mlbench.cli.data_text import plain_verification, print_verification, readable_cards
    from mlbench.data.verify import presence
    from mlbench.data.verify import verify as verify_files

    if everything == bool(names):
        raise click.UsageError("name the data sets to verify, or give --all")
    n_unreadable = 0
    if everything:
        cards, n_unreadable = readable_cards(data_dirs)
        names = tuple(card.name for card in cards if presence(card, data_dirs) != "absent")
    outcomes = []
    for name in names:
        outcomes.append(verify_files(name, data_dirs))
        if form == "text":
            print_verification(outcomes[-1])
    if form == "json":
        click.echo(json.dumps([plain_verification(outcome) for outcome in outcomes], indent=1))
    if n_unreadable:
        context.exit(2)
    context.exit(0 if all(outcome.status == "ok" for outcome in outcomes) else 1)
