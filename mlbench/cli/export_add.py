"""Add the series of results to a published folder that lacks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from os.path import lexists
from pathlib import Path

import click

from mlbench.bundle import is_bundle, published_path
from mlbench.check import reference_of
from mlbench.cli.export_code import code_not_in, files_of_several, told_of_several
from mlbench.cli.export_folder import finish_export, given_texts, write_files
from mlbench.config.entries import with_entries
from mlbench.config.load import experiment_as_written, find_config
from mlbench.config.parameter_keys import has_typed_keys
from mlbench.config.relocate import relocated
from mlbench.config.schema import ExperimentConfig
from mlbench.environment import behind_scores
from mlbench.errors import ConfigError, MlbenchError
from mlbench.metrics import get_metric
from mlbench.number_text import counted, listed
from mlbench.results import open_results
from mlbench.results.addition import AddedSeries, Addition, plan_addition, without_methods
from mlbench.results.admission import differing_settings, disagreements
from mlbench.results.exported import EXPORT, folder_texts
from mlbench.results.reference import Change, Reference
from mlbench.results.results import Results
from mlbench.results.same_scores import cells_of, have_same_scores
from mlbench.results.verify import verify
from mlbench.store.paths import read_text
from mlbench.yaml_loader import dump_yaml, load_yaml

EXPERIMENT = "experiment.yaml"
_NAMED = 12
"""Data sets, or methods, that a line names."""


def add_to_folder(
    new: Results,
    target: Path,
    whole: str | None,
    replace_failed: bool = False,
    dry_run: bool = False,
    replaced: Sequence[str] = (),
) -> bool:
    """Add series to an exported folder, and say which; return whether all could be added.

    Parameters
    ----------
    new : Results
    target : Path
    whole : str, optional
        The experiment file of which the folder and the results are parts. It gives the order, and
        its text is that of the folder's ``experiment.yaml``.
    replace_failed : bool
        Whether cells that failed in the folder give way to those with a result.
    dry_run : bool
        Whether to say what would be added, and write nothing.
    replaced : sequence of str
        Methods whose series in the folder give way to those of the results.

    Raises
    ------
    MlbenchError
        If the target is no exported folder, follows another protocol, or cannot be written; or
        all that it lacks is refused.
    """
    if not lexists(target):
        published = published_path(target) != target
        hint = f"; `mlbench export {target} --folder {target}` writes these published results there"
        raise MlbenchError(f"{target}: there is no such folder{hint if published else ''}")
    finish_export(target)
    if lexists(target / "plan.json") or not lexists(target / EXPORT):
        raise MlbenchError(
            f"{target}: is no exported folder; `mlbench export RESULTS --folder {target}` makes one"
        )
    if not lexists(target / EXPERIMENT):
        raise MlbenchError(f"{target}: has no {EXPERIMENT}, to which methods are added; restore it")
    there, old = open_results(target), verify(target, folder_texts(target)).reference
    if replaced:
        there = without_methods(there, replaced, new)
    text, experiment = (None, None) if whole is None else _whole(whole, there, old, target)
    addition = plan_addition(there, new, old.metrics, replace_failed, experiment)
    merged = addition.merged
    added = {part.method for part in addition.taken}
    for file, methods in files_of_several(merged.plan, merged.rows).items():
        if any(added.intersection(each) for each in methods):
            raise MlbenchError(f"{target}: {told_of_several(file, methods)}")
    for line in _report(addition):
        click.echo(f"would be {line}" if dry_run and line.startswith("added: ") else line)
    if replaced:
        click.echo(f"in place of the series there: {listed(replaced, _NAMED)}")
    for line in _duplicates(addition):
        click.echo(f"warning: {line}", err=True)
    refused = [f"  {line}" for line in _refusals(addition.parts)]
    if refused:
        click.echo("\n".join([f"not added to {target}:", *refused]), err=True)
    if refused and not addition.taken:
        raise MlbenchError(f"{target}: nothing of {new.path} can be added")
    if unknown := {each.method for each in merged.plan.experiment.tests} - {*merged.methods}:
        raise MlbenchError(f"{whole}: tests: {min(unknown)} is not among the folder's methods yet")
    if dry_run:
        click.echo(f"{target} stays as it is: this was a dry run")
    elif addition.taken or whole is not None:
        write_files(
            merged,
            target,
            _reference(merged, old, addition, replaced),
            _given(addition, merged, text),
        )
        click.echo(
            f"{target}: {counted(len(merged.datasets), 'data set')}, "
            f"{counted(len(merged.methods), 'method')}, {_counts(merged)}"
        )
        if absent := code_not_in(target, new.path, merged.plan, merged.rows.values(), added):
            click.echo(f"copy {listed(absent)} into {target}, too", err=True)
    return not refused


def _duplicates(addition: Addition) -> Iterator[str]:
    """Say which new methods have the scores of one that is there."""
    there, new = cells_of(addition.there), cells_of(addition.new)
    added = dict.fromkeys(part.method for part in addition.taken if part.method not in there)
    for method in added:
        for other, cells in there.items():
            if method in new and have_same_scores(cells, new[method]):
                yield (
                    f"{method} has the scores of {other} on all cells of both; ranks would count "
                    "one model twice"
                )


def _whole(name: str, there: Results, old: Reference, target: Path) -> tuple[str, ExperimentConfig]:
    """Read the experiment of which a folder is a part."""
    path = find_config(name)
    source = load_yaml(path, has_typed_keys)
    experiment = experiment_as_written(source)
    found = there.plan.experiment
    problems = [*disagreements(found, experiment)]
    if experiment.name != found.name:
        problems.insert(0, f"name: {experiment.name} here, {found.name} there")
    if experiment.protocol.splits.n_splits != (n := there.plan.n_splits):
        problems.append(f"protocol.splits: {experiment.protocol.splits.n_splits} here, {n} there")
    for method, settings in found.methods.items():
        if told := differing_settings(settings, experiment.methods.get(method, settings)):
            problems.append(f"methods.{method}: {told}")
    for metric in experiment.metrics:
        if get_metric(metric).name not in old.metrics:
            problems.append(f"metrics: {target} has no {metric}")
    if problems:
        lines = "\n".join(f"  {each}" for each in problems)
        raise ConfigError(f"{path}: is not the experiment of {target}:\n{lines}")
    return relocated(source.text, path.resolve().parent, target), experiment


def _given(addition: Addition, merged: Results, text: str | None) -> dict[str, str]:
    """Return the folder's own files, and its experiment with the new entries."""
    target = addition.there.path
    given = given_texts(addition.there, target)
    texts = [] if text is None else [text]
    texts += [given[EXPERIMENT], _as_written(addition.new, target)]
    texts.append(_planned(merged.plan.experiment))
    methods = {name: each.not_on for name, each in merged.plan.experiment.methods.items()}
    return given | {EXPERIMENT: with_entries(texts[0], texts[1:], merged.datasets, methods)}


def _as_written(new: Results, target: Path) -> str:
    """Return the experiment of results, which may have a base, with its comments."""
    if is_bundle(new.path):
        return given_texts(new, target)[EXPERIMENT]
    return relocated(read_text(new.path / EXPERIMENT), new.path, target)


def _planned(experiment: ExperimentConfig) -> str:
    """Return data sets and methods as they were planned; experiments with a base name fewer."""
    plain = experiment.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return dump_yaml({key: plain[key] for key in ("datasets", "methods")})


def _reference(
    merged: Results, old: Reference, addition: Addition, replaced: Sequence[str]
) -> Reference:
    """Return the reference of the grown folder, whose history says what was added."""
    reference = reference_of(merged, old.metrics)
    if not addition.taken:
        return reference.model_copy(update={"history": old.history})
    methods = dict.fromkeys(part.method for part in addition.taken)
    before = f", in place of the series of {listed(replaced, _NAMED)}" if replaced else ""
    change = Change(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        reason=f"added {_cells(addition.taken)} of {listed([*methods], _NAMED)}{before}",
        versions=behind_scores(_environment(addition)),
        moved=[*_report(addition, every=True)],
    )
    return reference.model_copy(update={"history": [*old.history, change]})


def _environment(addition: Addition) -> dict[str, str]:
    """Return what computed the first of the added cells."""
    part = addition.taken[0]
    keys = {cell[:3]: cell.key for cell in addition.new.cells}
    return addition.new.rows[keys[part.dataset, part.method, part.taken[0]]].environment


def _report(addition: Addition, every: bool = False) -> Iterator[str]:
    """Yield what is added, a line for each method; without `every`, also what is not."""
    splits = addition.there.plan.n_splits
    most = len(addition.parts) if every else _NAMED
    added = [(part, _splits(part.added, splits)) for part in addition.parts if part.added]
    yield from _grouped(added, "added: {method}, {what} of {datasets}", most)
    replaced = [(part, _splits(part.replaced, splits)) for part in addition.parts if part.replaced]
    yield from _grouped(replaced, "in place of failed ones: {method}, {what} of {datasets}", most)
    if every:
        return
    left = [(part, _splits(part.left, splits)) for part in addition.parts if part.left]
    told = "failed there, and stays: {method}, {what} of {datasets}; --replace-failed replaces it"
    yield from _grouped(left, told, most)
    beyond = [(part, _splits(part.beyond, 0)) for part in addition.parts if part.beyond]
    told = f"more than the {counted(splits, 'split')} there: {{method}}, {{what}} of {{datasets}}"
    yield from _grouped(beyond, told, most)
    if same := [part for part in addition.parts if not part.taken and not part.refused]:
        yield f"already there: {len(same)} series"


def _refusals(parts: Sequence[AddedSeries]) -> Iterator[str]:
    refused = [(part, part.refused) for part in parts if part.refused]
    yield from _grouped(refused, "{method} on {datasets}: {what}", _NAMED)


def _grouped(parts: Iterable[tuple[AddedSeries, str]], line: str, most: int) -> Iterator[str]:
    found: dict[tuple[str, str], list[str]] = {}
    for part, what in parts:
        found.setdefault((part.method, what), []).append(part.dataset)
    for (method, what), datasets in found.items():
        yield line.format(method=method, what=what, datasets=listed(datasets, most))


def _splits(splits: Sequence[int], of: int) -> str:
    if len(splits) == of:
        return f"all {of} splits" if of > 1 else "the split"
    return f"split{'s' * (len(splits) > 1)} {', '.join(map(str, splits))}"


def _cells(parts: Iterable[AddedSeries]) -> str:
    return counted(sum(len(part.taken) for part in parts), "cell")


def _counts(results: Results) -> str:
    return ", ".join(f"{n} {status}" for status, n in results.counts.items())
