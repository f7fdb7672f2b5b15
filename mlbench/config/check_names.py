"""Checks that the names in an experiment exist: data sets, metrics, methods under test."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mlbench.config.check_methods import check_methods
from mlbench.config.datasets import DATASET_WORDS
from mlbench.config.fields import EACH, as_metrics
from mlbench.config.grids import KINDS
from mlbench.config.not_on import check_not_on, name_in_tables
from mlbench.config.schema import DEFAULT_METRICS, MAX_METHODS
from mlbench.data.cards import available_cards, card_name, load_card, no_such_card
from mlbench.data.dataset_reference import DataReference, check_path_keys, is_path
from mlbench.data.synthetic import generator_parameters
from mlbench.data.texts import text_choice
from mlbench.errors import DataError, MlbenchError
from mlbench.metrics import METRIC_SETS, get_metric
from mlbench.metrics.user_metrics import load_metric
from mlbench.options import is_published_file, published_path
from mlbench.spelling import did_you_mean
from mlbench.yaml_loader import Location, Problem


def check_names(
    value: dict[str, Any],
    folder: Path,
    data_dirs: Sequence[Path] = (),
    others: Sequence[str] = (),
) -> Iterator[Problem]:
    """Yield each unknown name and each wrong parameter, with its location.

    Values of a wrong type are skipped: the schema reports those.

    Parameters
    ----------
    value
        Content of the experiment file.
    folder
        Folder that relative paths are relative to.
    data_dirs
        Folders to look for data in before the usual ones.
    others
        Methods of the experiment's base.
    """
    yield from _check_datasets(value.get("datasets"), data_dirs)
    yield from _check_metrics(value, folder)
    yield from _check_each(value)
    yield from _check_reported(value)
    yield from _check_published(value.get("published"), folder)
    claims = value.get("claims")
    if isinstance(claims, str) and not (folder / claims).is_file():
        yield ("claims",), f"{claims}: there is no such file"
    methods = value.get("methods")
    if isinstance(methods, dict) and len(methods) <= MAX_METHODS:
        yield from check_methods(methods, folder)
        yield from _check_patience(value.get("protocol"), methods)
        yield from _check_draws(value.get("protocol"), methods)
        yield from check_not_on(value.get("datasets"), methods)
        yield from _check_comparisons(value.get("tests"), [*others, *methods])


def _check_patience(protocol: Any, methods: dict[str, Any]) -> Iterator[Problem]:
    """Yield the methods that tune several parameters although `patience` is set."""
    tuning = protocol.get("tuning") if isinstance(protocol, dict) else None
    if not isinstance(tuning, dict) or tuning.get("patience") is None:
        return
    for name, method in methods.items():
        tuned = method.get("tune") if isinstance(method, dict) else None
        if isinstance(tuned, dict) and len(tuned) > 1:
            yield (
                ("methods", name, "tune"),
                f"{len(tuned)} parameters ({', '.join(map(str, tuned))}) cannot be tuned with "
                "`patience`, which needs a grid in one parameter; fix all but one of them, or "
                "remove protocol.tuning.patience",
            )


def _check_draws(protocol: object, methods: dict[str, object]) -> Iterator[Problem]:
    """Yield the distributions from which nothing is drawn."""
    tuning = protocol.get("tuning") if isinstance(protocol, dict) else None
    if isinstance(tuning, dict) and tuning.get("draws") is not None:
        return
    for name, method in methods.items():
        if not isinstance(method, dict) or method.get("draws") is not None:
            continue
        tuned = method.get("tune")
        for parameter, grid in tuned.items() if isinstance(tuned, dict) else ():
            if isinstance(grid, dict) and {*grid} & {*KINDS}:
                yield (
                    ("methods", name, "tune", parameter),
                    "values are drawn from a distribution only in a random search; state how many "
                    "candidates: protocol.tuning.draws: 30",
                )


def _check_datasets(datasets: Any, data_dirs: Sequence[Path]) -> Iterator[Problem]:
    if not isinstance(datasets, list):
        return
    cards = available_cards(data_dirs)
    shown: dict[str, int] = {}
    for i, dataset in enumerate(datasets):
        inside: Location = ("datasets", i)
        if isinstance(dataset, dict):
            name, inside = dataset.get("use"), ("datasets", i, "use")
        else:
            name = dataset
        if not isinstance(name, str) or not name:
            continue
        if not is_path(name) and card_name(name) not in cards:
            yield inside, no_such_card(name, cards)
        elif isinstance(dataset, dict):
            yield from _check_subset(("datasets", i), dataset, data_dirs)
        label = name_in_tables(dataset)
        if label in shown:
            yield (
                ("datasets", i),
                f"{label!r} occurs twice (first as datasets.{shown[label]}); "
                "if they differ, rename one with `as:`",
            )
        shown.setdefault(label, i)


def _check_subset(
    at: Location, dataset: dict[str, Any], data_dirs: Sequence[Path]
) -> Iterator[Problem]:
    use = dataset["use"]
    generator = None
    if not is_path(use):
        try:
            card = load_card(use, data_dirs)
        except DataError as error:
            yield (*at, "use"), str(error)
            return
        generator = card.options.get("generator") if card.format == "generated" else None
    parameters = generator_parameters(str(generator)) if generator else ()
    more = (*parameters, *DATASET_WORDS[1:])
    for key in dataset:
        if key not in DATASET_WORDS:
            one = DataReference(use, {k: dataset[k] for k in ("format", key) if k in dataset})
            try:
                if is_path(use):
                    check_path_keys(one, more)
                else:
                    one.check_keys(more, has_attributes=generator is None)
                one.subset()
                one.encoding({})
                one.row_values({})
                if key == "text" and key not in parameters:
                    text_choice(dataset[key], use)
            except DataError as error:
                yield (*at, key), str(error)


def named_metrics(value: dict[str, Any]) -> list[tuple[Location, Any]]:
    """Return the metrics that an experiment names, to show and to tune by, with their locations."""
    given: list[tuple[Location, Any]] = []
    shown = value.get("metrics")
    if isinstance(shown, list):
        given += [(("metrics", i), metric) for i, metric in enumerate(shown)]
    elif shown is not None:
        given.append((("metrics",), shown))
    protocol = value.get("protocol")
    if isinstance(protocol, dict) and isinstance(protocol.get("tuning"), dict):
        given += _scoring(("protocol", "tuning"), protocol["tuning"])
    if isinstance(value.get("methods"), dict):
        for name, method in value["methods"].items():
            given += _scoring(("methods", name), method) if isinstance(method, dict) else ()
    return given


def _scoring(at: Location, stated: dict[str, Any]) -> Iterator[tuple[Location, Any]]:
    """Yield the metrics of a key `scoring`, which may be a list of them."""
    scoring = stated.get("scoring")
    if isinstance(scoring, list):
        for i, metric in enumerate(scoring):
            if metric != EACH:
                yield (*at, "scoring", i), metric
    elif scoring is not None and scoring != EACH:
        yield (*at, "scoring"), scoring


def _check_metrics(value: dict[str, Any], folder: Path) -> Iterator[Problem]:
    shown: dict[tuple[Location, str], int] = {}
    for location, name in named_metrics(value):
        is_shown = location[0] == "metrics"
        if isinstance(name, str):
            try:
                is_set = is_shown and name in METRIC_SETS
                known = name if is_set else load_metric(name, folder).name
            except MlbenchError as error:
                hint = did_you_mean(name, METRIC_SETS if is_shown else [EACH])
                yield location, f"{error}{hint}"
                continue
            *inside, place = location
            if isinstance(place, int):
                first = shown.setdefault((tuple(inside), known), place)
                if first != place:
                    at = ".".join(map(str, (*inside, first)))
                    yield location, f"{known!r} occurs twice (first as {at})"


def _check_each(value: dict[str, Any]) -> Iterator[Problem]:
    """Yield each `scoring: each` of an experiment that shows no metric to tune by."""
    shown = as_metrics(value.get("metrics"))
    if not isinstance(shown, list) or not all(map(_only_describes, shown)):
        return
    protocol, methods = value.get("protocol"), value.get("methods")
    stated: list[tuple[Location, Any]] = []
    if isinstance(protocol, dict):
        stated.append((("protocol", "tuning"), protocol.get("tuning")))
    if isinstance(methods, dict):
        stated += [(("methods", name), method) for name, method in methods.items()]
    for at, part in stated:
        if isinstance(part, dict) and part.get("scoring") in (EACH, [EACH]):
            yield (
                (*at, "scoring"),
                f"{EACH} tunes by the metrics that the experiment shows, and none of them judges "
                f"methods ({', '.join(shown)}); name a metric, such as {DEFAULT_METRICS[0]}",
            )


def _only_describes(metric: object) -> bool:
    try:
        return not get_metric(str(metric)).is_quality
    except MlbenchError:  # a user's metric, or none, which is reported elsewhere
        return False


def _check_reported(value: dict[str, Any]) -> Iterator[Problem]:
    """Yield the metrics of the tables that the experiment does not compute."""
    report = value.get("report")
    known = as_metrics(value.get("metrics", DEFAULT_METRICS))
    shown = report.get("metrics") if isinstance(report, dict) else None
    if isinstance(shown, list) and isinstance(known, list):
        for i, name in enumerate(shown):
            if isinstance(name, str) and name not in known and name not in METRIC_SETS:
                yield (
                    ("report", "metrics", i),
                    f"{name!r} is not among the experiment's metrics; add it to `metrics:`",
                )


def _check_published(published: Any, folder: Path) -> Iterator[Problem]:
    is_file = isinstance(published, str) and is_published_file(published)
    if is_file and not published_path(published, folder).is_file():
        yield ("published",), f"{published}: there is no such file"


def _check_comparisons(comparisons: Any, methods: list[str]) -> Iterator[Problem]:
    entries: list[tuple[Location, Any]] = [(("tests",), comparisons)]
    if isinstance(comparisons, list):
        entries = [(("tests", i), entry) for i, entry in enumerate(comparisons)]
    for at, comparison in entries:
        if not isinstance(comparison, dict):
            continue
        against = comparison.get("against")
        named: list[tuple[Location, Any]] = [((*at, "method"), comparison.get("method"))]
        if isinstance(against, list):
            for j, name in enumerate(against):
                if name == comparison.get("method"):
                    yield (*at, "against", j), f"{name!r} is the tested method itself"
            named += [((*at, "against", j), name) for j, name in enumerate(against)]
        for location, name in named:
            if isinstance(name, str) and name not in methods:
                yield (
                    location,
                    f"this experiment has no method {name!r}{did_you_mean(name, methods)}; "
                    f"it has {', '.join(methods)}",
                )
