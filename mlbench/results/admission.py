"""Whether a series may stand beside those of a published folder, and why not.

Data, splits and protocol are the same, and the method is treated like the others: nobody's
threshold, preprocessing, search metric or limits are its own. A method that the folder has must be
the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlbench.config.schema import ExperimentConfig, Method
from mlbench.results.plan import beyond_limit
from mlbench.results.reference import OF_DATA
from mlbench.results.results import Results
from mlbench.results.scores import SeriesKey
from mlbench.store.plain_values import differing_values, value_text

_OF_ALL = ("revision", "metrics")
"""Parts of an identity that all series share."""
_OWN = ("threshold", "preprocess", "input", "scoring", "draws", "limits")
"""Keys of a method by which it departs from the protocol."""
_NAMED = 3
"""Differences that a reason tells."""

Identities = Mapping[SeriesKey, Mapping[str, Any]]
"""What each series depends on."""


def disagreements(there: ExperimentConfig, new: ExperimentConfig) -> Iterator[str]:
    """Yield in what the protocols of two experiments differ."""
    for key in ("protocol", "limits", "threads"):
        old, own = (_plain(getattr(each, key)) for each in (there, new))
        if key == "protocol":
            for plain, of in ((old, there), (own, new)):
                plain["tuning"]["scoring"] = _scoring(of, of.protocol.tuning.scoring)
        for name, before, after in differing_values(old, own, key):
            if name != "protocol.splits.repeats":  # splits are numbered: fewer are a part of more
                yield _told(name, before, after)


def other_rules(known: Identities, own: Identities) -> list[str]:
    """Say in what all series of the two differ."""
    first = next(iter(known.values()))
    pairs = [
        [{key: each.get(key) for key in _OF_ALL} for each in (first, one)] for one in own.values()
    ]
    return sorted(
        {_told(*found) for before, after in pairs for found in differing_values(before, after)}
    )


def taken_over(method: str, there: Results, new: Results) -> str:
    """Say where a method was taken over from that the folder does not have; empty if it was not."""
    origin = new.origins.get(method)
    if origin is None or method in there.methods:
        return ""
    return f"taken over from {origin}, not run here; add the results of those who ran it"


def other_data(dataset: str, known: Identities, identity: Mapping[str, Any]) -> str:
    """Say how data or splits differ from those of the folder; empty if they do not."""
    for (name, _), there in known.items():
        if name == dataset:
            parts = [{key: each.get(key) for key in OF_DATA} for each in (there, identity)]
            told = _first_differences(*parts)
            return f"other data or splits: {told}" if told else ""
    return ""


def other_method(
    method: str,
    there: Results,
    new: Results,
    known: Identities,
    identity: Mapping[str, Any],
    whole: ExperimentConfig | None,
) -> str:
    """Say how a method differs from the folder's, or departs from its protocol."""
    settings = new.plan.experiment.methods[method]
    if method in there.methods:
        told = differing_settings(there.plan.experiment.methods[method], settings)
        for (_, name), other in known.items():
            if name == method and not told:
                pair = [
                    {key: value for key, value in each.items() if key not in OF_DATA}
                    for each in (other, identity)
                ]
                told = _first_differences(*pair)
        if not told:
            return ""
        departs = "; ".join(_departures(method, new.plan.experiment, there.plan.experiment))
        too = f"; it departs from the folder's protocol, too: {departs}" if departs else ""
        return f"another method of this name is there: {told}; call it otherwise{too}"
    if whole is not None and method in whole.methods:
        told = differing_settings(whole.methods[method], settings)
        return f"the whole experiment has another method of this name: {told}" if told else ""
    if own := [*_departures(method, new.plan.experiment, there.plan.experiment)]:
        return f"departs from the folder's protocol: {'; '.join(own)}"
    for (_, name), other in known.items():
        if not any(getattr(there.plan.experiment.methods[name], key) is not None for key in _OWN):
            keys = ("threshold", "preprocess")
            told = _first_differences(
                *({key: each.get(key) for key in keys} for each in (other, identity))
            )
            return f"departs from the folder's protocol: {told}" if told else ""
    return ""


def differing_settings(there: Method, new: Method) -> str:
    """Say in what two methods differ, but for the data sets that they are not on."""
    both = [each.model_copy(update={"not_on": []}) for each in (there, new)]
    return _first_differences(*map(_plain, both))


def _departures(method: str, new: ExperimentConfig, there: ExperimentConfig) -> Iterator[str]:
    """Yield what a method has of its own, where the experiment of a folder has something else."""
    protocol = there.protocol
    common = {
        "threshold": protocol.threshold,
        "preprocess": protocol.preprocess,
        "input": "features",
        "scoring": _scoring(there, protocol.tuning.scoring),
        "draws": protocol.tuning.draws,
        "limits": there.limits,
    }
    for key in _OWN:
        own = getattr(new.methods[method], key)
        if key == "scoring" and own is not None:
            own = _scoring(new, own)
        if own is not None and own != common[key]:
            yield _told(key, _plain(common[key]), _plain(own))


def unscored(new: Results, keys: Mapping[int, str], metrics: Sequence[str]) -> str:
    """Say which metric of the folder a series lacks; empty if it has all."""
    for split, key in keys.items():
        row = new.rows.get(key)
        if row is not None and row.is_ok:
            lacking = [name for name in metrics if name not in row.metrics]
            if lacking:
                return f"split {split} has no {', '.join(lacking)}"
    return ""


def beyond_limits(method: str, new: Results, keys: Mapping[int, str]) -> str:
    """Say which result took more than the limits allow; empty if none did."""
    limits = new.plan.limits[method]
    for split, key in keys.items():
        row = new.rows.get(key)
        if row is not None and (told := beyond_limit(row, limits)):
            return f"split {split} {told}: it ran under a higher limit, or in several tries"
    return ""


def _first_differences(before: object, after: object) -> str:
    found = [_told(*each) for each in differing_values(before, after)]
    more = f" (and {len(found) - _NAMED} more)" if len(found) > _NAMED else ""
    return "; ".join(found[:_NAMED]) + more


def _told(name: str, before: object, after: object) -> str:
    return f"{name}: {value_text(after)} here, {value_text(before)} there"


def _scoring(experiment: ExperimentConfig, stated: str | tuple[str, ...]) -> str | list[str]:
    """Return the metric of a search, or several (with `each` filled in)."""
    names = experiment.metrics_of(stated)
    return names[0] if len(names) == 1 else [*names]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [*value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value
