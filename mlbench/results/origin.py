"""Where cells are from that a results folder did not run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from mlbench.environment import LIBRARIES
from mlbench.number_text import counted_of, listed, of_kinds
from mlbench.store import Summary
from mlbench.store.paths import Key
from mlbench.store.row import Status

VERSIONS = ("mlbench", *LIBRARIES)
"""What is told of the software that computed cells."""


Moment = Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][-+0-9:.Z]{5,20}$")]
"""UTC, ISO 8601."""


class Extent(BaseModel):
    """How many methods and data sets of an export cells were taken over of."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    methods: int
    of_methods: int
    datasets: int
    of_datasets: int

    @property
    def counts(self) -> tuple[str, str]:
        """How many methods, and how many data sets."""
        return (
            counted_of(self.methods, self.of_methods, "method"),
            counted_of(self.datasets, self.of_datasets, "data set"),
        )

    @property
    def in_words(self) -> str:
        """How many methods and data sets they are of; empty if of all."""
        is_whole = (self.methods, self.datasets) == (self.of_methods, self.of_datasets)
        return "" if is_whole else " and ".join(self.counts)


class Origin(BaseModel):
    """An export whose cells were taken over."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str = Field(min_length=1)
    """Of its experiment."""
    written: Moment
    """When it was exported."""
    sha256: Key
    """Of its reference."""
    is_base: bool
    """Whether its methods are others', instead of those of the experiment itself."""
    methods: tuple[str, ...]
    """Those with cells that were taken over."""
    counts: dict[Status, Annotated[int, Field(ge=0)]]
    """How many cells have each status."""
    versions: dict[str, tuple[str, ...]]
    """Of what computed the cells."""
    extent: Extent | None = None
    """How much of the export they are of; older results do not tell."""

    def as_plain(self) -> dict[str, Any]:
        """Return what it is, as JSON has it."""
        return self.model_dump(mode="json", exclude={"is_base"}, exclude_none=True)

    @property
    def date(self) -> str:
        """The day of the export."""
        return self.written[:10]

    @property
    def label(self) -> str:
        """Its name and day, as a column of tables has them."""
        return f"{self.name}, {self.date}"

    @property
    def part(self) -> str:
        """Of how many of its methods and data sets there are cells; empty if of all."""
        return self.extent.in_words if self.extent is not None and self.is_base else ""

    @property
    def heading(self) -> str:
        """Whether it is the base, or cells were taken over from it, with its name and day."""
        return f"{'base' if self.is_base else 'taken over from'} {self.name} ({self.date})"

    @property
    def n_cells(self) -> int:
        """How many cells were taken over."""
        return sum(self.counts.values())

    @property
    def states(self) -> str:
        """How many cells are ok, and how the others failed."""
        return of_kinds(self.counts.items())

    @property
    def software(self) -> str:
        """The versions of mlbench and of the libraries, in words."""
        found = {name: listed(self.versions[name]) for name in VERSIONS if name in self.versions}
        first = f"mlbench {found.pop('mlbench')}" if "mlbench" in found else ""
        rest = ", ".join(f"{name} {versions}" for name, versions in found.items())
        return "; ".join(part for part in (first, rest) if part)

    @property
    def note(self) -> str:
        """Its name, day and the versions of the software."""
        return f"{self.name} ({', '.join(part for part in (self.date, self.software) if part)})"

    @property
    def title(self) -> str:
        """Its name, day and the version of mlbench."""
        of = [f"mlbench {listed(each)}" for each in [self.versions.get("mlbench", ())] if each]
        return f"{self.name} ({', '.join([self.date, *of])})"


def versions_of(rows: Iterable[Summary]) -> Mapping[str, tuple[str, ...]]:
    """Return the versions of the software that computed some rows."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for name in VERSIONS:
            if name in row.environment:
                found.setdefault(name, {})[row.environment[name]] = None
    return {name: tuple(sorted(found[name])) for name in VERSIONS if name in found}
