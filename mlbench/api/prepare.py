"""From an experiment to a plan: load its data, and list its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import numpy as np
from scipy.sparse import issparse

from mlbench.api.base import take_over_base
from mlbench.api.shared_plan import SharedPlan
from mlbench.api.take_over import Again, cells_of_exports
from mlbench.audit.checks import checks_named
from mlbench.config.datasets import DatasetReference
from mlbench.config.load import LoadedExperiment, format_problems
from mlbench.config.relocate import relative_path, relocated
from mlbench.config.schema import ExperimentConfig
from mlbench.data import Dataset, load_dataset
from mlbench.data.dataset_reference import as_reference, is_path
from mlbench.data.description import one_valued_labels, refuse_labels_without_values
from mlbench.data.proposed_columns import groups_in_words
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError, DataError, MissingFileError, MlbenchError
from mlbench.number_text import counted, listed
from mlbench.options import is_published_file, published_path
from mlbench.plain_files import read_plain_text
from mlbench.plan import ImpossiblePlan, Plan, make_plan
from mlbench.plan.chosen_parameters import ChosenParameters, read_chosen_parameters
from mlbench.plan.make_splitter import splitter_of
from mlbench.protocol.splitters import Division
from mlbench.published.csv_file import read_published_file
from mlbench.results.taken_over import TakenOver, sealed
from mlbench.store import Store
from mlbench.yaml_loader import Location


@dataclass(frozen=True)
class Prepared:
    """An experiment that is ready to run."""

    loaded: LoadedExperiment
    plan: Plan
    out: Path
    published_text: str | None = None
    """The file of printed values that the experiment names, if it does."""
    taken_over: tuple[TakenOver, ...] = ()
    """Cells of exports, which are not in the plan."""
    notes: tuple[str, ...] = ()
    """What to tell of them."""
    data_dirs: tuple[Path, ...] = ()
    """Where data were looked for, before the usual folders."""

    def write_plan(self, store: Store) -> None:
        """Keep the plan and the experiment in a results folder.

        The experiment runs from there: the paths of its data lead to the same files.
        """
        loaded = self.loaded
        plan = self.plan.as_plain() | {"folder": relative_path(loaded.folder, store.root)}
        text = self.relocated_text(store.root)
        taken_over = None
        if self.taken_over:
            plan["taken_over"] = [each.origin.model_dump(mode="json") for each in self.taken_over]
            taken_over = sealed(self.taken_over)
        store.write_plan(plan, text, self.published_text, taken_over)

    def relocated_text(self, folder: Path) -> str:
        """Return the text of the experiment for another folder, where its paths lead alike."""
        return relocated(self.loaded.source.text, self.loaded.folder, folder)

    def described_data(self) -> Iterator[str]:
        """Yield a line about each data set."""
        for reference in self.plan.experiment.datasets:
            facts = self.plan.facts[reference.display]
            columns = counted(facts.n_columns, "task" if facts.n_tasks else "label")
            line = f"{reference.display}: {facts.n_samples} x {facts.n_features}, {columns}"
            if facts.constant_labels:
                line += f" (constant in all rows: {facts.constant_labels})"
            if facts.text:
                line += f"; {facts.text}"
            if facts.division:
                line += f"; {facts.division}"
            if facts.left_out:
                line += f"; left out {facts.left_out}"
            train = reference.train or getattr(self.plan.experiment.protocol.splits, "train", None)
            if isinstance(train, int) and train < min(100, facts.n_samples):
                line += f"; train: {train} is {train} rows, and {train} % would be {train / 100:g}"
            is_file = is_path(reference.use)
            notes = [note for note in facts.notes if note not in facts.unlike_card]
            if notes and is_file:
                line += f"; {' '.join(notes).removesuffix('.')}"
            elif notes:
                options = "".join(f" --data {quote(str(each))}" for each in self.data_dirs)
                show = f"mlbench data show {reference.use}{options}"
                line += f"; {counted(len(notes), 'note')}: {show}"
            yield line
            for note in facts.unlike_card:
                yield f"warning: {reference.display}: {note}"


def prepare(
    loaded: LoadedExperiment,
    data_dirs: Sequence[Path] = (),
    out: Path | None = None,
    exports: Sequence[Path] = (),
    again: Again | None = None,
    shared: SharedPlan | None = None,
) -> Prepared:
    """Load the data of an experiment, and list its cells.

    Parameters
    ----------
    loaded : LoadedExperiment
    data_dirs : sequence of Path
        Folders to look for data in before the usual ones.
    out : Path, optional
        The results folder; by default ``runs/NAME``.
    exports : sequence of Path
        Folders that `mlbench export --folder` wrote. Their finished cells need not run.
    again : Again, optional
        Which of these are to run all the same.
    shared : SharedPlan, optional
        The plan of a submission, which has the facts about the data.

    Raises
    ------
    MlbenchError
        If the cells are not those of the shared plan.
    StoreError
        If an export is damaged or was altered.
    DataError
        If data sets cannot be loaded; one line for each.
    ConfigError
        If the plan is impossible, with one line for each reason, or the file of printed values
        or of chosen parameters cannot be read.
    """
    published_text = _published_text(loaded)
    chosen = _chosen(loaded)
    check_acceptance(loaded)
    facts = _facts(loaded, data_dirs) if shared is None else shared.facts(loaded.experiment)
    base, on_base = (None, []) if loaded.base is None else take_over_base(loaded, facts)
    plan = _plan(loaded, facts, chosen)
    if shared is not None:
        shared.refuse_changes(plan)
    out = out or Path("runs") / loaded.experiment.name
    plan, taken_over, notes = cells_of_exports(plan, out, exports, again or Again())
    taken_over = [*([base] if base else []), *taken_over]
    notes = [*notes_on_rules(loaded, plan.experiment, plan.facts), *on_base, *notes]
    return Prepared(
        loaded, plan, out, published_text, tuple(taken_over), tuple(notes), tuple(data_dirs)
    )


def _chosen(loaded: LoadedExperiment) -> ChosenParameters | None:
    name = loaded.experiment.protocol.tuning.params
    if name is None:
        return None
    try:
        return read_chosen_parameters(loaded.folder / name)
    except MlbenchError as error:
        raise _problem_at(loaded, ("protocol", "tuning", "params"), error) from None


def _published_text(loaded: LoadedExperiment) -> str | None:
    published = loaded.experiment.published
    if published is None or not is_published_file(published):
        return None
    path, here = published_path(published, loaded.folder), Path.cwd()
    path = path.relative_to(here) if path.is_relative_to(here) else path  # shorter in messages
    try:
        read_published_file(path)
    except MlbenchError as error:
        raise _problem_at(loaded, ("published",), error) from None
    return read_plain_text(path, follow=True, encoding="utf-8-sig")


def _problem_at(loaded: LoadedExperiment, key: Location, error: MlbenchError) -> ConfigError:
    return ConfigError(format_problems(loaded.source, [(key, str(error))]))


def check_acceptance(loaded: LoadedExperiment) -> None:
    """Refuse to accept threats of a check that there is not.

    Raises
    ------
    ConfigError
        It names the line.
    """
    for index, rule in enumerate(loaded.experiment.audit.accept):
        try:
            checks_named([rule.check])
        except MlbenchError as error:
            raise _problem_at(loaded, ("audit", "accept", index, "check"), error) from None


def _facts(loaded: LoadedExperiment, data_dirs: Sequence[Path]) -> dict[str, DatasetFacts]:
    facts, problems = {}, []
    missing: list[str] = []
    for index, reference in enumerate(loaded.experiment.datasets):
        try:
            dataset = load_dataset(reference.resolved(loaded.folder), data_dirs)
            refuse_labels_without_values(dataset, reference.display)
        except MissingFileError as error:
            told = str(error) if not missing else f"cannot find {error.file} there, either"
            problems.append(f"{loaded.source.at('datasets', index, error.key)}: {told}")
            missing.append(reference.use)
            continue
        except DataError as error:
            problems.append(f"{loaded.source.at('datasets', index, error.key)}: {error}")
            continue
        try:
            words = 0 if dataset.texts is None else dataset.texts.n_features()
        except DataError as error:
            at = loaded.source.at("datasets", index, "text")
            problems.append(f"{at}: {reference.display}: {error}")
            continue
        try:
            division = _examined(loaded, reference, dataset)
        except DataError as error:
            shown = str(error).replace(reference.canonical, reference.display)
            key = error.key or "splits"
            problems.append(f"{loaded.source.at('protocol', key)}: protocol.{key}: {shown}")
            continue
        like_groups = groups_in_words(as_reference(reference.resolved(loaded.folder)), dataset)
        facts[reference.display] = DatasetFacts(
            fingerprint=dataset.fingerprint,
            n_samples=dataset.n_samples,
            n_features=dataset.n_features + words,
            n_labels=dataset.n_labels,
            n_tasks=len(dataset.task_names),
            has_published_split=dataset.published_train is not None,
            notes=(*dataset.notes, *like_groups),
            fewest_known=None if dataset.known is None else int(dataset.known.sum(axis=0).min()),
            left_out=dataset.left_out,
            has_missing=dataset.has_missing,
            is_sparse=issparse(dataset.X) or dataset.texts is not None,
            n_labelsets=len(np.unique(np.packbits(dataset.Y == 1, axis=1), axis=0)),
            constant_labels=listed(one_valued_labels(dataset), 3),
            text=""
            if dataset.texts is None
            else f"{dataset.texts}, up to {counted(words, 'feature')}: each split makes "
            "those of its training part",
            min_df=0 if dataset.texts is None else dataset.texts.min_df,
            division=division.note,
            uncorrected=division.uncorrected,
        )
    if len(missing) > 1:
        problems.append(f"Try `mlbench data fetch {' '.join(dict.fromkeys(missing))}`.")
    base = loaded.experiment.base
    if problems and base is not None and facts:
        here = ", ".join(facts)
        problems.append(f"or choose some: base: {{use: {base.use}, datasets: [{here}]}}")
    if problems:
        raise DataError("\n".join(problems))
    return facts


def notes_on_rules(
    loaded: LoadedExperiment, experiment: ExperimentConfig, datasets: Iterable[str]
) -> Iterator[str]:
    """Warn of names in rules of the audit that are of nothing here; a first try may have fewer.

    Parameters
    ----------
    loaded : LoadedExperiment
    experiment : ExperimentConfig
        With the methods of the base, if it has one.
    datasets : iterable of str
        The names of its data sets in tables.
    """
    if loaded.experiment.is_quick:
        return
    shown = [*experiment.metrics, *(experiment.report.metrics or ())]
    names = experiment.audit.unknown_names(experiment.methods, datasets, shown)
    for i, key, words in names:
        yield f"warning: {loaded.source.at('audit', 'accept', i, key)}: {words}"


def _examined(loaded: LoadedExperiment, reference: DatasetReference, dataset: Dataset) -> Division:
    """Divide a data set on trial."""
    experiment = loaded.experiment
    splitter = splitter_of(experiment, reference, loaded.folder)
    named = dataset.described(reference.canonical, dataset.notes)
    tuning = experiment.protocol.tuning
    needs_folds = any(experiment.settings_of(name).needs_folds for name in experiment.methods)
    return splitter.examine(
        named,
        experiment.protocol.splits.n_splits,
        tuning.folds if needs_folds else 0,
        tuning.stratify,
    )


def _plan(
    loaded: LoadedExperiment,
    facts: dict[str, DatasetFacts],
    chosen: ChosenParameters | None,
) -> Plan:
    try:
        return make_plan(loaded.experiment, loaded.folder, facts, chosen)
    except ImpossiblePlan as error:
        raise ConfigError(format_problems(loaded.source, error.problems)) from None
