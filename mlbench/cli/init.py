"""``mlbench init``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import data_option
from mlbench.cli.settings import joined
from mlbench.yaml_loader import dump_flow

if TYPE_CHECKING:
    from mlbench.data import Dataset
    from mlbench.data.proposed_columns import ProposedColumns

_RARE = 10
"""Positives below which a label may be missing from a random part."""

_RAKEL = """\
  # an ensemble of classifiers for small random sets of labels
  RAkEL:  {use: rakel, base: logistic, scores: marginal, tune: {C: {log10: [-3, 3, 4]}}}
"""

_KNN = """\
  ML-kNN: {use: mlknn, tune: {k: [1, 3, 5, 10, 20, 40]}}
"""
_KNN_OF_WORDS = """\
  # without its own scaling to 0..1, which would make rare words outweigh all else
  ML-kNN: {use: mlknn, normalize: null, tune: {k: [1, 3, 5, 10, 20, 40]}}
"""

_METHODS = f"""\
methods:
  # one classifier for each label: the baseline
  BR:     {{use: br, base: logistic, tune: {{C: {{log10: [-3, 3, 7]}}}}}}
  # an ensemble of classifier chains
  ECC:    {{use: ecc, base: logistic, tune: {{C: {{log10: [-3, 3, 4]}}}}}}
{_RAKEL}\
{_KNN}  forest:
    use: sklearn.ensemble.RandomForestClassifier
    n_estimators: 100
    tune: {{min_samples_leaf: [1, 3, 10]}}
"""

_METHODS_FOR_UNKNOWN_LABELS = """\
methods:  # those that learn from the known labels of each sample
  # one classifier for each label: the baseline
  BR:     {use: br, base: logistic, tune: {C: {log10: [-3, 3, 7]}}}
  forest: {use: br, base: forest, n_estimators: 100, tune: {min_samples_leaf: [1, 3, 10]}}
  SVM:    {use: svm_ovr, tune: {C: {log10: [-3, 3, 7]}}}
"""


_OWN = """\
  # your own; to tune it as the others are: tune: {PARAMETER: [0.1, 1, 10]}
"""


@click.command()
@click.argument("dataset", metavar="[DATA]", required=False)
@click.option(
    "--base",
    metavar="NAME",
    help="In place of DATA: published results (a name, or a folder of `mlbench export --folder`) "
    "whose methods yours are compared with, on their data, under their protocol.",
)
@click.option(
    "--method",
    "methods",
    metavar="USE",
    multiple=True,
    help="A method of yours, mine.py:Mine (repeatable).",
)
@click.option(
    "--labels",
    metavar="COLUMNS",
    multiple=True,
    callback=joined,
    help="The columns of a table that are labels (repeatable): a,b or 'prefix: y_' or 'last: 6'.",
)
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Another key of the data set in the experiment (repeatable): missing=keep.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The experiment file to write; the experiment has its name. [default: NAME.yaml, NAME "
    "being the data set's or the method's]",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
@data_option
def init(
    dataset: str | None,
    base: str | None,
    methods: tuple[str, ...],
    labels: str | None,
    settings: tuple[str, ...],
    out: Path | None,
    force: bool,
    data_dirs: tuple[Path, ...],
) -> None:
    """Write a first experiment: for a data file, or for a method beside published results.

    DATA is a file (CSV, TSV, Parquet, ARFF, svmlight, ...) or the name of a data set. What is found
    in it decides how it is prepared: ten splits and up to five methods. Columns of a table that are
    no numbers become categories (nominal) if they have few values, and text if they have long ones;
    others are left out, and named. Missing values are kept, and imputed. With --base, only your own
    methods run; beside DATA, they run with the others. Every line may be changed.

    \b
      mlbench init finches.csv --labels sings,flies
      mlbench run finches.yaml
      mlbench init --base strong-baselines --method mine.py:Mine
      mlbench run mine.yaml --allow-import
    """
    if base is not None:
        if dataset is not None or labels is not None or settings:
            raise click.UsageError("--base brings its data: leave DATA, --labels and --set out")
        if not methods:
            raise click.UsageError("--base needs a method of yours: --method mine.py:Mine")
        _init_on_base(base, methods, out, force)
        return
    if dataset is None:
        raise click.UsageError("name DATA, or --base and --method")
    from mlbench.cli.init_base import experiment_name
    from mlbench.cli.settings import (
        asks_for_labels,
        in_words_of_options,
        parse_columns,
        parse_settings,
    )
    from mlbench.data import load_dataset
    from mlbench.data.dataset_reference import DataReference, with_lists
    from mlbench.data.description import refuse_labels_without_values
    from mlbench.data.proposed_columns import proposed_columns
    from mlbench.errors import MlbenchError

    options = with_lists(parse_settings(settings))
    if labels is not None:
        options["label_columns"] = parse_columns(labels)
    with in_words_of_options(), asks_for_labels(dataset):
        proposed = proposed_columns(DataReference(dataset, options))
        if proposed.nominal:
            options["nominal"] = [*options.get("nominal", ()), *proposed.nominal]
        if proposed.text:
            options.setdefault("text", [*proposed.text])
        if proposed.empty:
            options["ignore"] = [*options.get("ignore", ()), *proposed.empty]
        data = load_dataset({"use": dataset, "missing": "keep", **options}, data_dirs)
        refuse_labels_without_values(data, dataset)
        if data.has_missing:
            options["missing"] = "keep"
    if data.task_names:
        raise MlbenchError(
            f"{dataset}: its tasks have separate samples; start from a bundled experiment for "
            "such data: mlbench plan ji2009/figure-2"
        )
    if data.groups is not None and data.times is not None:
        raise MlbenchError(
            f"{dataset}: splits keep groups together or follow the order of time, not both: give "
            "one of `--set groups=` and `--set time=`, and the other column to `--set ignore=`"
        )
    name = experiment_name(data.name)
    path = out or Path(f"{name}.yaml")
    reference = _reference(dataset, options, name, path)
    seen = [_seen_from(path.absolute().parent, use) for use in methods]
    _write(path, _experiment(experiment_name(path.stem), data, reference, seen), force)
    click.echo(f"wrote {path}: {_size(data)}")
    told = [*_columns(data, proposed)]
    for line in told:
        click.echo(line)
    if any("--set " in line for line in told):
        click.echo("for one of these, give the command again with the --set and with --force")
    _say_what_is_next(path, methods)


def _columns(data: Dataset, proposed: ProposedColumns) -> Iterator[str]:
    """Say what has become of columns that are no numbers, and what is left out and why."""
    from mlbench.data.description import one_valued_labels
    from mlbench.data.proposed_columns import columns_like_groups
    from mlbench.number_text import counted, listed

    if data.groups is not None:
        yield f"groups: {data.groups.max() + 1}, the rows of each in one part of every split"
    yield from _groups(data, proposed)
    few = [f"{name} ({counted(number, 'value')})" for name, number in proposed.nominal.items()]
    if few:
        yield f"categories: {', '.join(few)}"
    texts = () if data.texts is None else data.texts.names
    lengths = {name: words for name, words in proposed.text.items() if name in texts}
    long = [f"{name} ({words:.0f} words on average)" for name, words in lengths.items()]
    if long:
        yield f"text: {', '.join(long)}; `tfidf` turns it into features"
    if data.has_missing:
        yield "missing values: kept, and imputed by means of training parts"
    if proposed.like_labels:
        names = listed([*map(repr, proposed.like_labels)], 3)
        yield f"features of 0 and 1 alone: {names}; if one is a label, name it in --labels"
    if data.left_out:
        empty = f"; no row has a value of {listed([*map(repr, proposed.empty)], 3)}"
        yield f"left out {data.left_out}{empty if proposed.empty else ''}"
    like_groups = columns_like_groups(data, proposed)
    others = [name for name in proposed.others if name not in like_groups]
    if others:
        name = others[0]
        use = _as_feature(name, data, can_be_nominal=proposed.others[name] < len(data.Y))
        yield f"  {name!r} has many short values; to use it: {use}"
    if proposed.decimal_commas:
        yield (
            f"  numbers with a decimal comma are read as text, so write them with a point: "
            f"{listed([*map(repr, proposed.decimal_commas)], 3)}"
        )
    if constant := one_valued_labels(data):
        yield f"one value in all rows, so nothing to learn: label {listed(constant, 3)}"
    if proposed.dates:
        name = proposed.dates[0]
        yield f"  {name!r} holds dates; for splits in time order: --set {quote(f'time={name}')}"


def _as_feature(name: str, data: Dataset, can_be_nominal: bool = True) -> str:
    """Return the options that make features of a column; `text` names all columns of text."""
    texts = [*(() if data.texts is None else data.texts.names), name]
    as_nominal = f"--set {quote(f'nominal={dump_flow([name])}')} or " if can_be_nominal else ""
    return f"{as_nominal}--set {quote(f'text={dump_flow(texts)}')}"


def _groups(data: Dataset, proposed: ProposedColumns) -> Iterator[str]:
    """Name the columns whose values may name groups of rows that belong together."""
    from mlbench.data.proposed_columns import columns_like_groups

    for name, n_values in columns_like_groups(data, proposed).items():
        is_left_out = name in proposed.others
        what = (
            f"to use it as a feature: {_as_feature(name, data)}"
            if is_left_out
            else "as it stands, it is a feature"
        )
        yield (
            f"groups? {name} has {n_values} values, which repeat: --set {quote(f'groups={name}')} "
            f"keeps the rows of each in one part of every split; {what}"
        )


def _init_on_base(base: str, methods: tuple[str, ...], out: Path | None, force: bool) -> None:
    from mlbench.cli.init_base import experiment_name, experiment_on, name_of_method

    path = out or Path(f"{experiment_name(name_of_method(methods[0]).lower())}.yaml")
    seen = [_seen_from(path.absolute().parent, use) for use in methods]
    _write(path, experiment_on(base, seen, path), force)
    click.echo(f"wrote {path}")
    _say_what_is_next(path, methods, base)


def _say_what_is_next(path: Path, methods: Sequence[str], base: str = "") -> None:
    """Name the files of methods that are not there yet, the data of a base, and the run."""
    from mlbench.registry.loading import is_file_target

    files = [use.rpartition(":") for use in methods if is_file_target(use)]
    for file, _, kind in files:
        if not Path(file).expanduser().exists():
            where = "" if file == f"{kind.lower()}.py" else f" --out {quote(file)}"
            click.echo(f"{file} is not there yet: `mlbench methods new {kind}{where}` writes one")
    if base:
        click.echo(f"data: mlbench data fetch --base {quote(base)}")
    allow = " --allow-import" if any("." in use for use in methods) else ""
    click.echo(f"next: mlbench run {path}{allow}")


def _seen_from(folder: Path, use: str) -> str:
    """Return a method as an experiment in a folder names it, given as seen from here."""
    from mlbench.cli.init_base import refuse_missing_class
    from mlbench.config.relocate import relative_path
    from mlbench.registry.loading import is_file_target

    refuse_missing_class(use)
    file, _, kind = use.rpartition(":")
    if not is_file_target(use) or Path(file).is_absolute() or file.startswith("~"):
        return use
    return f"{relative_path(Path(file).absolute(), folder) or file}:{kind}"


def _write(path: Path, text: str, force: bool) -> None:
    from mlbench.errors import MlbenchError
    from mlbench.store.atomic import write_output

    if path.exists() and not force:
        raise MlbenchError(f"{path}: exists; choose another file with --out, or add --force")
    write_output(path, text.encode())


def _reference(
    dataset: str, options: dict[str, object], name: str, path: Path
) -> dict[str, object]:
    """Return the data set as the experiment names it: a path starts where the file is."""
    from mlbench.data.dataset_reference import is_path

    if is_path(dataset):
        where, home = Path(dataset).expanduser().absolute(), path.absolute().parent
        dataset = str(where.relative_to(home) if where.is_relative_to(home) else where)
    return {"use": dataset, **options, "as": name} if options else {"use": dataset}


def _size(data: Dataset) -> str:
    from mlbench.number_text import counted

    text = "" if data.texts is None else f" and {counted(len(data.texts.names), 'text column')}"
    return (
        f"{counted(data.n_samples, 'sample')}, {counted(data.n_features, 'feature')}{text}, "
        f"{counted(data.n_labels, 'label')}"
    )


def _texts(data: Dataset) -> str:
    if data.texts is None:
        return ""
    return (
        "# Text: tfidf features of words. To change them:\n"
        f"# text: {{columns: {dump_flow([*data.texts.names])}, ngram_range: [1, 2], min_df: 2}}\n"
    )


def _methods(data: Dataset) -> str:
    if data.known is not None:
        return _METHODS_FOR_UNKNOWN_LABELS
    # one of RAkEL's labelsets would hold all of three labels
    methods = _METHODS if data.n_labels > 3 else _METHODS.replace(_RAKEL, "")
    if data.texts is None:
        return methods
    return methods.replace(_KNN, _KNN_OF_WORDS)


def _own_methods(methods: Sequence[str], others: str) -> dict[str, str]:
    """Return the lines of methods of one's own, by names that the others do not have."""
    from mlbench.cli.init_base import names_of_methods
    from mlbench.yaml_loader import dump_flow, parse_yaml

    taken = parse_yaml(others, Path("methods")).value["methods"]
    found = names_of_methods(methods, taken)
    return {name: f"  {dump_flow({name: {'use': use}})[1:-1]}\n" for name, use in found.items()}


def _experiment(
    name: str, data: Dataset, reference: dict[str, object], methods: Sequence[str]
) -> str:
    from scipy.sparse import issparse

    from mlbench.yaml_loader import dump_flow, dump_yaml

    others = _methods(data)
    own = _own_methods(methods, others)
    compared = dump_flow(next(iter(own), "BR")).splitlines()[0]

    positives, cardinality = data.Y.sum(axis=0), data.Y.sum(axis=1).mean()
    rarest = data.label_names[int(positives.argmin())]
    steps = ["impute"] if data.has_missing else []
    if data.n_features:
        steps.append("unit-norm" if issparse(data.X) else "standardize")
    splits = "kind: random, train: 0.6, repeats: 10, seed: 1"
    if data.times is not None:
        splits = "kind: time, folds: 5"
    elif positives.min() < _RARE:
        splits += ", stratify: labels"
    tests = f"  - {{method: {compared}, test: corrected_t}}"
    if data.times is not None:
        tests = (
            "  # No t-test is right for windows in time order; this one describes.\n"
            f"  - {{method: {compared}, test: t}}"
        )
    left_out = f"# Left out: {data.left_out}.\n" if data.left_out else ""
    return f"""\
# {_size(data)}; {cardinality:.2f} labels on each sample.
# The rarest label is {rarest}, with {positives.min()} positives.
{left_out}{_texts(data)}{dump_yaml({"name": name, "datasets": [reference]})}\
protocol:
  # All methods see the same splits; tuning and preparation see training parts alone.
  splits: {{{splits}}}
  # Each metric shows the model that was tuned by it.
  tuning: {{folds: 3, scoring: each}}
  preprocess: {f"[{', '.join(steps)}]" if steps else "none"}
  # F1 has the same rule for all: thresholds that are best on training rows which were held out.
  threshold: {{f1: cv_f1_label}}
{others}{_OWN if own else ""}{"".join(own.values())}\
metrics: [macro_f1, micro_f1, macro_auc]
tests:
{tests}
# Figures of errors, and which rows are hard, need predictions:
# keep_predictions: true
"""
