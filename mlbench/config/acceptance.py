"""The experiment's ``audit:``: threats to its comparisons that are accepted, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from pydantic import Field, field_validator

from mlbench.config.fields import OneOrMore
from mlbench.config.strict_model import StrictModel
from mlbench.spelling import did_you_mean, is_in_words


class Acceptance(StrictModel):
    """Threats that are accepted."""

    check: str = Field(min_length=1, description="name of a check, as `mlbench audit` prints it")
    methods: OneOrMore[str] | None = Field(
        None, description="only comparisons with one of these methods; * stands for any text"
    )
    without: OneOrMore[str] | None = Field(
        None,
        description="not comparisons with one of these methods; likewise. `--set` of a method that "
        "the file does not have adds it here",
    )
    datasets: OneOrMore[str] | None = Field(None, description="only on these data sets; likewise")
    metrics: OneOrMore[str] | None = Field(None, description="only in these metrics; likewise")
    parameters: OneOrMore[str] | None = Field(
        None, description="only grids of these parameters; likewise"
    )
    because: str = Field(min_length=1, description="the reason, which reports print")

    @field_validator("because")
    @classmethod
    def _in_words(cls, reason: str) -> str:
        if not is_in_words(reason):
            raise ValueError(f"{reason!r} is no reason; say in words why the threat is accepted")
        return reason

    def in_words(self) -> str:
        """Return what the rule is for."""
        keys = ("methods", "without", "datasets", "metrics", "parameters")
        words = [f"{key} {', '.join(found)}" for key in keys if (found := getattr(self, key))]
        return "; ".join(words) or "any comparison"


class Audit(StrictModel):
    """What reports say of threats to comparisons."""

    accept: list[Acceptance] = Field(default_factory=list)
    """Threats that are accepted; no part of any key."""

    def unknown_names(
        self, methods: Iterable[str], datasets: Iterable[str], metrics: Iterable[str]
    ) -> Iterator[tuple[int, str, str]]:
        """Yield the rule, its key, and a sentence, for each name that is of nothing here."""
        known = {
            "methods": ("method", [*methods]),
            "without": ("method", [*methods]),
            "datasets": ("data set", [*datasets]),
            "metrics": ("metric", [*metrics]),
        }
        for i, rule in enumerate(self.accept):
            for key, (kind, names) in known.items():
                for pattern in getattr(rule, key) or ():
                    if not any(fnmatchcase(name, pattern) for name in names):
                        hint = did_you_mean(pattern, names)
                        yield i, key, f"this experiment has no {kind} {pattern!r}{hint}"


def accept_nothing_of_added(value: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Keep the rules of a file from methods that other settings added to it.

    Parameters
    ----------
    value : dict
        The content of the experiment, whose rules are changed.
    before : mapping
        The same without these settings.
    """
    methods, rules, given = value.get("methods"), _rules(value), _rules(before)
    if not isinstance(methods, dict) or not rules:
        return
    added = [name for name in methods if name not in (before.get("methods") or ())]
    for i, rule in enumerate(rules):
        if added and rule in given and isinstance(rule, dict):
            rules[i] = {**rule, "without": [*_listed(rule.get("without")), *added]}


def _rules(experiment: Mapping[str, Any]) -> list[Any]:
    """Return the rules of an experiment that may be wrong in any part."""
    audit = experiment.get("audit")
    rules = audit.get("accept") if isinstance(audit, dict) else None
    return rules if isinstance(rules, list) else []


def _listed(value: object) -> list[object]:
    return [] if value is None else value if isinstance(value, list) else [value]
