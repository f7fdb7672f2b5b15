"""Match two results folders by data set, method and split."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlbench.errors import MlbenchError
from mlbench.results.results import Results
from mlbench.results.scores import SeriesKey, row_values
from mlbench.spelling import did_you_mean
from mlbench.store.plain_values import value_text


@dataclass(frozen=True)
class PairedSeries:
    """The scores of one method on one data set in one metric, in two results folders."""

    dataset: str
    method: str
    metric: str
    a: Mapping[int, float]
    b: Mapping[int, float]
    """Score by split; splits without a score are not there."""
    differing: str = ""
    """Why the splits of A are not those of B, in words; empty where they are the same."""
    same_cells: bool = False
    """Whether all cells of common splits have the same key in A and B."""

    @property
    def place(self) -> SeriesKey:
        """Data set and method."""
        return self.dataset, self.method

    @property
    def common(self) -> list[int]:
        """Splits with a score in both folders; none where the splits are not the same."""
        return [] if self.differing else sorted(self.a.keys() & self.b.keys())

    @property
    def is_same_result(self) -> bool:
        """Whether A and B hold the same cells with the same scores, so that nothing can differ."""
        same = all(self.a[split] == self.b[split] for split in self.common)
        return self.same_cells and bool(self.common) and same


@dataclass(frozen=True)
class CommonSplits:
    """What two results folders have in common."""

    series: tuple[PairedSeries, ...]
    """One for each data set, method and metric with a cell in both, in the order of A."""
    only_a: tuple[SeriesKey, ...] = field(default=())
    only_b: tuple[SeriesKey, ...] = field(default=())
    """Cells of one folder alone."""

    def only(self, datasets: Collection[str], methods: Collection[str]) -> CommonSplits:
        """Return what concerns some data sets and methods, by their names in B; all where none.

        Raises
        ------
        MlbenchError
            If a name is in no series, or no series is left.
        """
        there = dict.fromkeys(each.place for each in self.series)
        names = {name for place in there for name in place}
        for name in (*datasets, *methods):
            if name not in names:
                raise MlbenchError(
                    f"{name!r} is not in both folders{did_you_mean(name, names)}; in both are "
                    f"{_named(there)}"
                )

        def is_chosen(place: SeriesKey) -> bool:
            return (not datasets or place[0] in datasets) and (not methods or place[1] in methods)

        series = tuple(each for each in self.series if is_chosen(each.place))
        if not series:
            raise MlbenchError("no method that was chosen is in both folders on a chosen data set")
        return CommonSplits(
            series, tuple(filter(is_chosen, self.only_a)), tuple(filter(is_chosen, self.only_b))
        )


def common_splits(
    a: Results,
    b: Results,
    metrics: Sequence[str],
    renamed: Mapping[str, str] | None = None,
) -> CommonSplits:
    """Match the cells of two results folders by the names in their tables.

    Parameters
    ----------
    a, b : Results
    metrics : sequence of str
        Metrics to read.
    renamed : mapping of str to str, optional
        Names in B of data sets and methods that have other names in A. What has such a name in A
        itself has no counterpart in B.

    Raises
    ------
    MlbenchError
        If a renamed data set or method is not in A, or its new name not in B; if two get the same
        name; or if the folders have no cell in common.
    """
    renamed = renamed or {}
    if len({*renamed.values()}) < len(renamed):
        raise MlbenchError("--map gives two names the same new name")
    _check_names(a, renamed)
    _check_names(b, renamed.values())
    taken = {new: f"{new} (A)" for new in renamed.values()}
    renamed = {**taken, **renamed}
    scores_a, scores_b = _scores(a, metrics, renamed), _scores(b, metrics, {})
    splits_a, splits_b = _splits(a, renamed), _splits(b, {})
    keys_a, keys_b = _keys(a, renamed), _keys(b, {})
    both = [place for place in splits_a if place in splits_b]
    if not both:
        raise MlbenchError(
            f"{a.path} and {b.path} have no cell in common. Data sets and methods are matched by "
            f"their names in tables; --map OLD=NEW gives a name of {a.path} its name in {b.path}.\n"
            f"  {a.path}: {_named(splits_a)}\n  {b.path}: {_named(splits_b)}"
        )
    series = tuple(
        PairedSeries(
            *place,
            metric,
            scores_a.get((*place, metric), {}),
            scores_b.get((*place, metric), {}),
            _difference(splits_a[place], splits_b[place]),
            all(keys_b[place].get(split, key) == key for split, key in keys_a[place].items()),
        )
        for place in both
        for metric in metrics
    )
    return CommonSplits(
        series,
        tuple(place for place in splits_a if place not in splits_b),
        tuple(place for place in splits_b if place not in splits_a),
    )


def _check_names(folder: Results, wanted: Iterable[str]) -> None:
    places = dict.fromkeys((dataset, method) for dataset, method, *_ in folder.cells)
    names = {name for place in places for name in place}
    for name in wanted:
        if name not in names:
            raise MlbenchError(
                f"{folder.path} has no data set or method {name!r}{did_you_mean(name, names)}; "
                f"it has {_named(places)}"
            )


def _scores(
    folder: Results, metrics: Sequence[str], renamed: Mapping[str, str]
) -> dict[tuple[str, str, str], dict[int, float]]:
    """Return the scores by split of every data set, method and metric."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    ok = {key: row for key, row in folder.rows.items() if row.is_ok}
    for dataset, method, split, metric, value in row_values(folder.cells, ok, metrics):
        if metric in metrics and value == value:
            place = (renamed.get(dataset, dataset), renamed.get(method, method), metric)
            found.setdefault(place, {})[split] = value
    return found


def _splits(
    folder: Results, renamed: Mapping[str, str]
) -> dict[SeriesKey, dict[int, dict[str, Any]]]:
    """Return what each split of every data set and method depends on, as far as it was run."""
    found: dict[SeriesKey, dict[int, dict[str, Any]]] = {}
    for dataset, method, split, key in folder.cells:
        here = found.setdefault((renamed.get(dataset, dataset), renamed.get(method, method)), {})
        if (row := folder.rows.get(key)) is not None:
            identity = row.identity
            here[split] = {
                "data": identity["dataset"],
                "splits": identity["split"],
                "imbalance": identity.get("imbalance"),
            }
    return found


def _keys(folder: Results, renamed: Mapping[str, str]) -> dict[SeriesKey, dict[int, str]]:
    """Return the key of each cell of every data set and method, by split."""
    found: dict[SeriesKey, dict[int, str]] = {}
    for dataset, method, split, key in folder.cells:
        place = renamed.get(dataset, dataset), renamed.get(method, method)
        found.setdefault(place, {})[split] = key
    return found


def _difference(a: Mapping[int, dict[str, Any]], b: Mapping[int, dict[str, Any]]) -> str:
    """Return why splits of the same number differ; empty if they do not."""
    for split in sorted(a.keys() & b.keys()):
        if a[split] != b[split]:
            return "; ".join(_differing_values(a[split], b[split]))
    return ""


def _differing_values(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    if a["data"]["fingerprint"] != b["data"]["fingerprint"]:
        yield "other data (the fingerprints differ)"
    elif a["data"] != b["data"]:
        yield f"data set {a['data']['name']!r} in A, {b['data']['name']!r} in B"
    for part in ("splits", "imbalance"):
        old, new = a[part] or {}, b[part] or {}
        for key in dict.fromkeys((*old, *new)):
            if old.get(key) != new.get(key):
                there, here = (value_text(each.get(key)) for each in (old, new))
                yield f"{part}: {key} {there} in A, {here} in B"


def _named(places: Mapping[SeriesKey, Any]) -> str:
    datasets = ", ".join(dict.fromkeys(dataset for dataset, _ in places))
    methods = ", ".join(dict.fromkeys(method for _, method in places))
    return f"data sets {datasets}; methods {methods}"
