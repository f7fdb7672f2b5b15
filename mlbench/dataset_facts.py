"""What the plan needs to know of a data set."""

from __future__ import annotations

from dataclasses import dataclass

UNLIKE_CARD = "its SHA-256 is not the one on the card"
"""How a note ends on a file that is not the one that a card describes."""


@dataclass(frozen=True)
class DatasetFacts:
    """What the plan needs to know of a data set."""

    fingerprint: str
    n_samples: int
    n_features: int
    """With those that the texts of all rows make."""
    n_labels: int
    n_tasks: int
    has_published_split: bool
    notes: tuple[str, ...] = ()
    fewest_known: int | None = None
    """Rows of which the least known label is known; None where all are."""
    left_out: str = ""
    """How many attributes are no features, which, and why."""
    has_missing: bool = False
    """Whether features have missing values."""
    is_sparse: bool = False
    """Whether features are kept as nonzeros alone."""
    n_labelsets: int = 0
    """Distinct rows of labels."""
    constant_labels: str = ""
    """Which labels, or tasks, have one value in all rows; empty if none has."""
    division: str = ""
    """What is to be told of its splits: that no group is divided, and what that costs."""
    text: str = ""
    """Which columns are text, and how many features they make; empty if none is."""
    min_df: int = 0
    """In how many training rows a word must be, where the text columns ask for a number."""
    uncorrected: str = ""
    """Why the corrected t-test is refused on its splits, if it is."""

    @property
    def unlike_card(self) -> list[str]:
        """The notes on files that are not those of the card."""
        return [note for note in self.notes if note.endswith(UNLIKE_CARD)]

    @property
    def n_columns(self) -> int:
        """Labels, or tasks where there are some."""
        return self.n_tasks or self.n_labels
