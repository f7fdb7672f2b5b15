"""Verifying the files of a data set and its counts against its card."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mlbench.data.card_checks import CountReport, FileState, check_file, compare_counts, counts_of
from mlbench.data.cards import Card, load_card
from mlbench.data.dataset_reference import ROW_KEYS, is_row_file
from mlbench.data.load import check_options_of, load_dataset
from mlbench.data.readers import get_format, read_table
from mlbench.data.search_path import find_file, locate
from mlbench.errors import DataError

Presence = Literal["here", "partly", "absent", "generated"]


@dataclass(frozen=True)
class FileReport:
    """The state of one file; ``unknown`` if the card has no hash."""

    role: str
    path: str
    needed: bool
    found: Path | None
    state: FileState | Literal["missing"]
    expected: str | None = None
    got: str | None = None


@dataclass(frozen=True)
class Verification:
    """The outcome of `verify`.

    Attributes
    ----------
    status
        ``ok``; ``damaged`` if a file or a count differs, or loading failed; ``absent`` if files
        that loading needs were not found (and no other file is damaged).
    load_error
        Why the files could not be loaded, or None.
    """

    name: str
    files: tuple[FileReport, ...]
    counts: tuple[CountReport, ...]
    load_error: str | None = None

    @property
    def missing(self) -> tuple[FileReport, ...]:
        """The files that loading needs and that were not found."""
        return tuple(f for f in self.files if f.state == "missing" and f.needed)

    @property
    def status(self) -> Literal["ok", "damaged", "absent"]:
        """The status of the whole data set."""
        differs = any(file.state == "differs" for file in self.files)
        if differs or self.load_error or not all(count.agrees for count in self.counts):
            return "damaged"
        return "absent" if self.missing else "ok"


def verify(name: str, data_dirs: Sequence[str | Path] = ()) -> Verification:
    """Check the files of a data set against its card, then load it and compare the counts.

    Files are compared by content: a file that has since been compressed or decompressed is
    correct if its uncompressed content has the hash on the card.

    Raises
    ------
    DataError
        If there is no such card, or it cannot be read. Damage is reported, not raised.
    """
    card = load_card(name, data_dirs)
    files = tuple(_check(card, role, data_dirs) for role in card.files)
    verification = Verification(name, files, ())
    if verification.missing:
        return verification
    try:
        got = measured_counts(card, data_dirs)
    except DataError as error:
        return Verification(name, files, (), load_error=str(error))
    return Verification(name, files, compare_counts(card, got))


def presence(card: Card, data_dirs: Sequence[str | Path] = ()) -> Presence:
    """Return whether the files that loading needs can be found, without opening them."""
    if card.format == "generated":
        return "generated"
    found = [locate(card.files[role].path, data_dirs) is not None for role in card.needed_roles]
    return "here" if all(found) else "partly" if any(found) else "absent"


def measured_counts(card: Card, data_dirs: Sequence[str | Path] = ()) -> dict[str, float]:
    """Read the files of a card, bypassing the cache, and return the counts to compare.

    Returns
    -------
    counts
        Numbers of samples, features (columns before encoding), labels and tasks, and
        the cardinality (labels per sample).

    Raises
    ------
    DataError
        If a file is missing or cannot be read.
    """
    if card.format == "generated":
        made = load_dataset(card.name, data_dirs)
        Y, features, tasks = made.Y, made.n_features, made.task_names
    else:
        files = {
            role: find_file(card.files[role].path, data_dirs, remedy=card.remedy)
            for role in card.needed_roles
        }
        check_options_of(card, data_dirs)
        known = get_format(card.format).options
        options = {
            key: value
            for key, value in card.options.items()
            if key in known and not (key in ROW_KEYS and is_row_file(value))
        }
        table = read_table(card.format, files, options)
        Y, features, tasks = table.Y, table.n_columns, table.task_names
    return counts_of(Y, features, len(tasks))


def _check(card: Card, role: str, data_dirs: Sequence[str | Path]) -> FileReport:
    file, needed = card.files[role], role in card.needed_roles
    found = locate(file.path, data_dirs)
    if found is None:
        expected = file.plain_sha256 or file.sha256
        return FileReport(role, file.path, needed, None, "missing", expected)
    return FileReport(role, file.path, needed, found, *check_file(found, file))
