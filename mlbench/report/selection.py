"""What of an experiment's results a report shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.errors import MlbenchError
from mlbench.report.tables.table import Table
from mlbench.spelling import did_you_mean

OF_COMPARISONS = ("verdict", "threats")
"""Tables that all reports have in which methods are compared."""


@dataclass(frozen=True)
class Selection:
    """What a report shows; by default the tables of an experiment."""

    metrics: tuple[str, ...] = ()
    """Instead of the experiment's."""
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    """By default all."""
    tables: tuple[str, ...] = ()
    """Names of tables, or what they begin with up to a hyphen; by default all."""
    transpose: bool = False
    """Whether tables of scores have their rows and columns exchanged."""
    per_label: bool = False
    """Whether scores are those of each label."""
    counts: bool = False
    """Whether these are counts of true and false positives and negatives."""
    hardest: int | None = None
    """How many rows that most methods get wrong are shown instead."""
    times: bool = False
    """Whether times are shown, too."""

    def of(self, tables: Sequence[Table]) -> list[Table]:
        """Return the tables that are wanted.

        Raises
        ------
        MlbenchError
            If a name is none of theirs.
        """
        names = [table.name for table in tables]
        kinds = list(dict.fromkeys(name.partition("-")[0] for name in names))
        chosen = set()
        for wanted in self.tables:
            found = {name for name in names if f"{name}-".startswith(f"{wanted}-")}
            if not found and wanted in OF_COMPARISONS:
                raise MlbenchError(
                    f"there is no table {wanted!r}, as nothing is compared: that takes two methods "
                    f"and a metric that judges them; known: {', '.join(names)}"
                )
            if not found and wanted.startswith("scores-") and "scores" in names:
                raise MlbenchError(
                    f"there is no table {wanted!r}: here one table, 'scores', has all metrics; "
                    f"known: {', '.join(names)}"
                )
            if not found:
                stand = "stands" if len(kinds) == 1 else "stand"
                raise MlbenchError(
                    f"there is no table {wanted!r}{did_you_mean(wanted, (*names, *kinds))}; known: "
                    f"{', '.join(names)}; {', '.join(kinds)} {stand} for all that begin so"
                )
            chosen |= found
        return [table for table in tables if not self.tables or table.name in chosen]
