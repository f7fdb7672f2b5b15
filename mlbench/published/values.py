"""Printed numbers, whichever file or paper they come from."""

from dataclasses import dataclass, field

SECONDS = "seconds"
"""The metric of printed times."""


@dataclass(frozen=True)
class PrintedValue:
    """A value of a paper's table, and where it stands there, in the paper's words."""

    paper: str
    table: str
    dataset: str
    setting: str
    """What a row of the table states in addition to the data set: ``train=0.2``."""
    method: str
    metric: str
    """In the paper's words, or ``seconds``."""
    mean: float
    std: float = field(compare=False)  # nan, which equals nothing, where none is printed
    """As numbers."""
    unit: str
    """``percent``, ``fraction``, ``seconds`` or ``p``."""
    decimals: int
    """Digits that are printed after the point of the mean."""
    text: str
    """The value as printed, with ± before a deviation."""
    ours: str
    """Our quantity that it is compared with: ``macro_auc``, ``seconds_fit``."""
    n_splits: int | None
    """Number of splits of the mean, if the paper states it."""
    notes: tuple[str, ...] = ()
    objections: tuple[str, ...] = ()
    """Why it is no target, if it is none."""
    keeps_order: bool = True
    """Whether it may still be compared with other methods of its table: not where the objection is
    to this method's value rather than to the data.
    """

    @property
    def comparable(self) -> bool:
        """Whether it is a target."""
        return not self.objections

    @property
    def note(self) -> str:
        """The notes in one line."""
        return "; ".join(self.notes)

    @property
    def our_dataset(self) -> str:
        """The data set's name in our experiments: ``Emotions``, ``art 20 %``."""
        key, _, share = self.setting.partition("=")
        return f"{self.dataset} {float(share):.0%}".replace("%", " %") if key else self.dataset

    @property
    def rounding(self) -> float:
        """The largest error of the printed mean from its rounding."""
        return 0.5 * float(10.0**-self.decimals)

    @property
    def scale(self) -> float:
        """The value of 1 in its unit: 100 for percent."""
        return 100.0 if self.unit == "percent" else 1.0

    @property
    def is_time(self) -> bool:
        """Whether it is a time."""
        return self.unit == SECONDS


@dataclass(frozen=True)
class PublishedPaper:
    """A paper with its printed scores and times."""

    name: str
    """Its short name, or the name in the user's file."""
    title: str
    values: tuple[PrintedValue, ...]
    """In the order of print."""

    @property
    def tables(self) -> list[str]:
        """Its tables of scores and times."""
        return list(dict.fromkeys(value.table for value in self.values))
