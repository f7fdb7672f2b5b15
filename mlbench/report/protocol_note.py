"""The protocol of an experiment in one sentence, for the notes of a table."""

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from pathlib import Path
from typing import Any

from mlbench import plugins
from mlbench.config import splits as schemes
from mlbench.config.datasets import DatasetReference
from mlbench.config.fields import EACH, ForF1
from mlbench.config.schema import ExperimentConfig
from mlbench.dataset_facts import DatasetFacts
from mlbench.number_text import counted, listed
from mlbench.options import Threshold
from mlbench.store import Summary

PREPARATION = {
    "impute": "missing values imputed",
    "standardize": "features standardized",
    "minmax": "features scaled to [0, 1]",
    "tfidf": "counts weighted by log(n / document frequency)",
    "tfidf-smooth": "counts weighted by 1 + log((1 + n) / (1 + document frequency))",
    "unit-norm": "rows scaled to unit length",
    "dense": "sparse features made dense",
}
THRESHOLDS = {
    "default": "each method's own threshold",
    "train_f1_global": "one threshold for all labels, best for F1 on the training part",
    "train_f1_label": "a threshold per label, best for F1 on the training part",
    "cv_f1_label": (
        "a threshold per label, best for F1 on scores of models that did not see the row"
    ),
}


def protocol_note(
    experiment: ExperimentConfig,
    datasets: Mapping[str, DatasetFacts],
    rows: Iterable[Summary] = (),
) -> str:
    """Return the protocol of an experiment in words.

    Parameters
    ----------
    experiment : ExperimentConfig
    datasets : mapping of str to DatasetFacts
    rows : iterable of Summary
        The rows of the experiment, from which early stops of searches are counted.
    """
    protocol, methods = experiment.protocol, experiment.methods
    parts = [_splits(protocol.splits, experiment.datasets), *_imbalance(experiment.datasets)]
    steps = {name: method.preprocess for name, method in methods.items()}
    prepared = {name: _steps(own) for name, own in steps.items() if own is not None}
    if protocol.preprocess or any(steps.values()):
        parts.append(_steps(protocol.preprocess) + _exceptions(prepared))
    if any(facts.text for facts in datasets.values()):
        parts.append("text turned into features by a vectorizer, fitted on training parts")
    if any(method.tune for method in methods.values()):
        tuning = protocol.tuning
        read = f"parameters read from {Path(tuning.params).name}, " if tuning.params else ""
        once = tuning.scope == "first-split"
        where = "the first split only" if once else "every split"
        early = _early_stops(tuning.patience, rows)
        in_time = " in time order" if isinstance(protocol.splits, schemes.TimeSplits) else ""
        folds = f"{tuning.folds} folds{_stratified(tuning.stratify)}{in_time}"
        drawn = f" over {tuning.draws.number} random candidates" if tuning.draws else ""
        halved = f" by successive halving ({tuning.halving})" if tuning.halving else ""
        own = {
            name: _scoring(metric)
            for name, method in methods.items()
            if method.tune and (metric := method.scoring)
        }
        by = _scoring(tuning.scoring) + _exceptions(own)
        parts.append(f"{read}tuned in {folds} by {by} on {where}{drawn}{halved}{early}")
        several = [name for name, method in methods.items() if _is_several(method.scoring)]
        if several or _is_several(tuning.scoring):
            of = "" if _is_several(tuning.scoring) else f"of {listed(several)}, "
            parts.append(f"{of}each metric shows the model tuned by it")
    if framed := [name for name, method in methods.items() if method.input == "frame"]:
        parts.append(f"columns as they are to {listed(framed)}")
    cut = {
        name: _threshold(policy).replace("each method's own", "its own")
        for name, method in methods.items()
        if (policy := method.threshold)
    }
    parts.append(_threshold(protocol.threshold) + _exceptions(cut))
    left_out = [f"{name} on {listed(each.not_on)}" for name, each in methods.items() if each.not_on]
    parts += [f"not run: {', '.join(left_out)}"] if left_out else []
    return f"Protocol: {'; '.join(parts)}."


def _exceptions(settings: Mapping[str, str]) -> str:
    """Return in brackets which methods have which settings of their own."""
    names: dict[str, list[str]] = {}
    for name, setting in settings.items():
        names.setdefault(setting, []).append(name)
    own = "; ".join(f"{listed(of)}: {setting}" for setting, of in names.items())
    return f" ({own})" if own else ""


def _steps(steps: Sequence[str]) -> str:
    if not steps:
        return "features as they are"
    return f"{', '.join(PREPARATION[step] for step in steps)}, fitted on training parts"


def _is_several(scoring: str | Sequence[str] | None) -> bool:
    return scoring == EACH or isinstance(scoring, tuple)


def _scoring(scoring: str | Sequence[str]) -> str:
    if scoring == EACH:
        return "each metric shown"
    return scoring if isinstance(scoring, str) else listed(scoring)


def _threshold(threshold: Threshold | ForF1) -> str:
    if not isinstance(threshold, ForF1):
        return THRESHOLDS[threshold]
    policy, own = THRESHOLDS[threshold.f1], THRESHOLDS["default"]
    return f"for F1, Jaccard, precision, recall and cut ratio {policy}, for other metrics {own}"


def notes_on_unknown_labels(
    experiment: ExperimentConfig, datasets: Mapping[str, DatasetFacts]
) -> list[str]:
    """Say which data sets have unknown labels, unless the splits say it."""
    names = [name for name, facts in datasets.items() if facts.fewest_known is not None]
    splitter = _installed(experiment.protocol.splits)
    if not names or (splitter is not None and splitter.expects_unknown_labels):
        return []
    return [
        f"{', '.join(names)}: unknown labels are neither learned nor scored; metrics of whole "
        "rows, such as Example F1, are undefined."
    ]


def notes_on_divisions(datasets: Mapping[str, DatasetFacts]) -> list[str]:
    """Say for each data set which rows its splits keep together, and at what cost."""
    return [f"{name}: {facts.division}." for name, facts in datasets.items() if facts.division]


def notes_on_files(datasets: Mapping[str, DatasetFacts]) -> list[str]:
    """Name the files of data that are not those of their card."""
    return [f"{name}: {note}." for name, facts in datasets.items() for note in facts.unlike_card]


def _imbalance(references: Iterable[DatasetReference]) -> list[str]:
    ratios = [each.imbalance.ratio for each in references if each.imbalance is not None]
    if not ratios:
        return []
    listed = ", ".join(f"1:{ratio:g}" for ratio in dict.fromkeys(ratios))
    return [
        "every task's training and test samples drawn with replacement from its rows there, "
        f"positives to negatives {listed}"
    ]


def _early_stops(patience: int | None, rows: Iterable[Summary]) -> str:
    """Say how many searches stopped early; a search that cells share counts once."""
    if patience is None:
        return ""
    searches = {
        row.search: row.tuning.stopped is not None for row in rows if row.tuning is not None
    }
    found = f": {sum(searches.values())} of {len(searches)} did" if searches else ""
    row = "1 candidate" if patience == 1 else f"{patience} candidates in a row"
    return f", a search stopping after {row} without gain{found}"


@singledispatch
def _splits(splits: schemes.Splits, references: Sequence[DatasetReference]) -> str:
    """Return how data is divided; data sets may state their own training part."""
    raise TypeError(f"splits without words: {type(splits).__name__}")


@_splits.register
def _random(splits: schemes.RandomSplits, references: Sequence[DatasetReference]) -> str:
    test = f" and {_part(splits.test)} to test" if splits.test is not None else ""
    train = dict.fromkeys(each.train or splits.train for each in references)
    listed = ", ".join(map(_part, train))
    number = counted(splits.repeats, "random split")
    kind = f"{number}{_stratified(splits.stratify)}"
    return f"{kind}, {listed} to train{test} (seed {splits.seed})"


@_splits.register
def _kfold(splits: schemes.KFoldSplits, _: Sequence[DatasetReference]) -> str:
    times = f", {splits.repeats} times" if splits.repeats > 1 else ""
    by = _stratified(splits.stratify)
    return f"{splits.folds}-fold cross-validation{by}{times} (seed {splits.seed})"


@_splits.register
def _published(splits: schemes.PublishedSplit, _: Sequence[DatasetReference]) -> str:
    return "the published training and test part"


@_splits.register
def _time(splits: schemes.TimeSplits, references: Sequence[DatasetReference]) -> str:
    train = dict.fromkeys(each.train or splits.train for each in references)
    first = ", ".join(_part(each) for each in train if each is not None)
    parts = [
        *([f"by {splits.by}"] if splits.by else []),
        *([f"the first trained on {first}"] if first else []),
        *([f"{_part(splits.test)} to test in each"] if splits.test is not None else []),
        *([f"{counted(splits.gap, 'row')} before each left out"] if splits.gap else []),
    ]
    number = counted(splits.folds, f"{splits.windows} window")
    return f"{number} in time order{''.join(f', {part}' for part in parts)} (seed {splits.seed})"


@_splits.register
def _file(splits: schemes.FileSplits, _: Sequence[DatasetReference]) -> str:
    number = counted(splits.n_splits, "split")
    return f"{number} read from {Path(splits.file).name} (seed {splits.seed})"


@_splits.register
def _plugin(splits: schemes.PluginSplits, _: Sequence[DatasetReference]) -> str:
    splitter = _installed(splits)
    words = splitter(**splits.parameters).describe(splits.repeats) if splitter else ""
    given = ", ".join(f"{name} {value}" for name, value in splits.parameters.items())
    return words or f"{counted(splits.n_splits, 'split')} of the kind {splits.kind} ({given})"


def _installed(splits: schemes.Splits) -> Any:
    """Return the splitter of an installed kind; None for others, whose code a report never runs."""
    is_installed = splits.kind in plugins.names(plugins.SPLITTERS)
    return plugins.load(plugins.SPLITTERS, splits.kind) if is_installed else None


def _stratified(by: str | None) -> str:
    return "" if by is None else f" stratified by {by.replace('_', ' ')}"


def _part(part: float) -> str:
    return f"{part} samples" if isinstance(part, int) else f"{100 * part:g} %"
