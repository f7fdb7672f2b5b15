"""What a paper claims: which method is better than which others, in what, and where it says so.

A YAML file lists the claims; those of five papers come with mlbench.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from mlbench.config.fields import OneOrMore
from mlbench.config.load import validated
from mlbench.config.strict_model import StrictModel
from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.number_text import listed
from mlbench.papers.printed_values import PAPERS
from mlbench.results.results import Results
from mlbench.spelling import is_in_words
from mlbench.yaml_loader import load_yaml

_PLACE = re.compile(r"\{(\w+)\}")


class Claim(StrictModel):
    """A claim. Methods and data sets are called as in our tables; ``*`` stands for any text."""

    claim: str = Field(min_length=1, description="what the paper says, in a sentence")
    where: str = Field(min_length=1, description="where it says so: section, paragraph, table")
    method: str = Field("", description="the method that is said to be better: SMTL({r}+F1)")
    against: OneOrMore[str] = Field([], description="its rivals: MTL-CLS({r}), or [BR*, LP*]")
    each: dict[str, Annotated[list[str], Field(min_length=1)]] = Field(
        {}, description="what stands for {r} in turn, in method and rivals alike; claim lists all"
    )
    metric: str = Field("", description="our metric: macro_f1")
    datasets: OneOrMore[str] = Field(["*"], min_length=1, description="default: all")
    on: Literal["all", "most"] = Field("most", description="of the comparisons")
    equal_within: float | None = Field(
        None, gt=0, lt=1, description="the claim is that both are equal within this difference"
    )
    other_data: str = Field("", description="in what our data are other than the paper's")
    not_judged: str = Field("", description="why no comparison here can judge it")

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if self.not_judged and not is_in_words(self.not_judged):
            raise ValueError(f"not_judged: {self.not_judged!r} is no reason; say why in words")
        lacking = [key for key in ("method", "against", "metric") if not getattr(self, key)]
        if lacking and not self.not_judged:
            raise ValueError(f"{', '.join(lacking)}: needed, or not_judged with a reason")
        if self.against == [self.method] and self.method:
            raise ValueError(f"against: {self.method} cannot be its own rival")
        names = " ".join([self.method, *self.against])
        if unknown := {*_PLACE.findall(names)} - self.each.keys():
            raise ValueError(f"{{{min(unknown)}}} stands for nothing; list what it does in each")
        if unused := self.each.keys() - {*_PLACE.findall(names)}:
            raise ValueError(
                f"each.{min(unused)}: neither method nor against has {{{min(unused)}}}"
            )
        return self

    @field_validator("metric")
    @classmethod
    def _is_known(cls, metric: str) -> str:
        try:
            found = get_metric(metric) if metric else None
        except MlbenchError as error:
            raise ValueError(str(error)) from None
        if found is not None and not found.is_quality:
            raise ValueError(f"{metric} describes methods, and ranks none")
        return metric if found is None else found.name

    @property
    def sentence(self) -> str:
        """What the paper says, with all values of ``{r}`` in its place."""
        return _filled(self.claim, {key: listed(values) for key, values in self.each.items()})

    def pairs(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the method and its rivals for each value of ``{r}``."""
        for values in product(*self.each.values()):
            names = dict(zip(self.each, values, strict=True))
            yield _filled(self.method, names), [_filled(name, names) for name in self.against]


class Claims(StrictModel):
    """The claims of a paper."""

    paper: str = Field(min_length=1, description="its short name")
    claims: list[Claim] = Field(min_length=1)


def read_claims(path: Path) -> Claims:
    """Read a file of claims.

    Raises
    ------
    ConfigError
        The message names the line of everything that is wrong.
    """
    return validated(Claims, load_yaml(path))


def claims_of(results: Results) -> Path:
    """Return the file of claims that results belong to: the experiment's own, or its paper's.

    Raises
    ------
    MlbenchError
        If it names none and no paper whose claims come with mlbench.
    """
    plan = results.plan
    if (stated := plan.experiment.claims) is not None:
        return results.path / (plan.folder or "") / stated
    paper = plan.experiment.published
    if paper not in PAPERS:
        raise MlbenchError(
            f"{results.path}: the experiment names no file of claims (`claims:`), and no paper "
            f"whose claims come with mlbench (`published:` {', '.join(PAPERS)}); name a file with "
            "--claims"
        )
    return Path(str(files(__package__) / "claimed" / f"{paper}.yaml"))


def _filled(name: str, values: dict[str, str]) -> str:
    for key, value in values.items():
        name = name.replace(f"{{{key}}}", value)
    return name
