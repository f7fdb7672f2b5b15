"""An entry of an experiment's ``tests:``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from mlbench import plugins
from mlbench.config.fields import OneOrMore
from mlbench.config.strict_model import StrictModel
from mlbench.options import LONG, AllPairs, Correction, EffectSize, OverDatasets, Test


class Comparison(StrictModel):
    """Tests of one method against others."""

    method: str
    """The method on one side of every test."""
    against: OneOrMore[str] | None = Field(None, description="default: all others")
    """The methods on the other; None stands for all others."""
    test: OneOrMore[Test] = Field(["corrected_t", "t", "wilcoxon"], min_length=1)
    """The corrected t-test is added to other t-tests wherever the sizes of the splits are known."""
    correction: Correction = "holm"
    """For the number of methods compared, within one data set and metric."""
    alpha: float = Field(
        0.05, gt=0, le=0.5, description="level of the tests; of intervals, 1 minus this"
    )
    effect: OneOrMore[EffectSize] = Field(["difference"], description="effect sizes")
    rope: float = Field(
        0.01,
        ge=0,
        lt=1,
        description='differences up to this do not matter: for "equal" in the verdict, the effect '
        "rope and Bayesian tests",
    )
    over_datasets: OneOrMore[OverDatasets] = Field(
        [],
        description="mean ranks with Friedman's test; wins, ties and losses with Wilcoxon's test; "
        "Bayesian tests, with rope",
    )
    all_pairs: AllPairs = Field(
        "nemenyi", description="how p-values of mean ranks are corrected for all pairs of methods"
    )
    layout: str = Field(
        LONG,
        description="long: a table per metric; packages announce others",
        json_schema_extra=lambda schema: schema.update(enum=_layouts()),
    )

    @field_validator("layout")
    @classmethod
    def _is_known(cls, layout: str) -> str:
        if layout not in (known := _layouts()):
            raise PydanticCustomError(
                "literal_error", "must be a layout", {"expected": ", ".join(known)}
            )
        return layout

    def resolved(self, methods: Sequence[str]) -> Comparison:
        """Return the comparison with the names of all others, if it names none.

        Parameters
        ----------
        methods : sequence of str
            All of the experiment.
        """
        others = self.against or [name for name in methods if name != self.method]
        return self.model_copy(update={"against": others})

    @property
    def others(self) -> tuple[str, ...]:
        """The methods that the method is compared with, each once and without itself."""
        return tuple(name for name in dict.fromkeys(self.against or ()) if name != self.method)

    @property
    def n_corrected(self) -> int:
        """How many p-values a correction is for; 1 without a correction."""
        return len(self.others) if self.correction == "holm" and self.others else 1

    @property
    def is_corrected(self) -> bool:
        """Whether p-values are corrected for a number of methods."""
        return self.n_corrected > 1


def _layouts() -> list[Any]:
    return [LONG, *plugins.names(plugins.LAYOUTS)]
