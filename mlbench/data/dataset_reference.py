"""References: how an experiment names a data set, its file, or a subset of it."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlbench.data.encoding import Encoding
from mlbench.data.label_columns import refuse_two_uses
from mlbench.data.npz import SUFFIX
from mlbench.data.readers import FORMATS, formats_by_suffix, get_format
from mlbench.data.readers.csv_pair import features_in
from mlbench.data.search_path import COMPRESSIONS
from mlbench.data.subsets import Subset
from mlbench.errors import DataError
from mlbench.spelling import did_you_mean

SUBSET_KEYS = (
    "min_positives",
    "labels",
    "labels_by",
    "drop_unlabeled",
    "min_documents",
    "rows",
    "seed",
)
_LABELS_BY = ("frequency", "position")
ENCODING_KEYS = ("missing", "row_ids", "ignore", "numeric")
COLUMN_KEYS = ("ignore", "nominal", "numeric")
"""The keys that list columns."""
ROW_KEYS = ("groups", "time")
"""The keys that name a column, or a file with one value a row, that is no feature."""
_ROW_FILES = (".csv", ".txt")


@dataclass(frozen=True)
class DataReference:
    """A data set as an experiment names it."""

    use: str
    """The name of a card, or the path of a file."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """All other keys."""

    def check_keys(self, more: Collection[str] = (), has_attributes: bool = True) -> None:
        """Reject keys that are neither general nor in `more`.

        Parameters
        ----------
        more : collection of str
            Keys of this kind of data set.
        has_attributes : bool
            Whether its files have attributes, which are encoded as features.

        Raises
        ------
        DataError
            At the first such key, with a suggestion.
        """
        encoding = ENCODING_KEYS if has_attributes else ("missing",)
        known = [*dict.fromkeys([*SUBSET_KEYS, *encoding, *ROW_KEYS, *more])]
        for key in self.settings:
            if key == "impute":
                raise DataError(
                    f"{self.use}: a data set cannot be imputed here, because that would use its "
                    "test parts; write `missing: keep`, and add the step `impute` to the "
                    "experiment's preprocessing"
                )
            if key not in known:
                raise DataError(
                    f"{self.use}: unknown key {key!r}{did_you_mean(str(key), known)}; known here: "
                    + ", ".join(["use", *known])
                )

    def subset(self) -> Subset:
        """Return the subset of the data that the reference asks for.

        Raises
        ------
        DataError
            If a value is of the wrong type, or too small.
        """
        chosen = {key: self.settings[key] for key in SUBSET_KEYS if key in self.settings}
        for key, value in chosen.items():
            if key == "drop_unlabeled":
                if not isinstance(value, bool):
                    raise DataError(f"{self.use}: {key} is {value!r}; it must be true or false")
                continue
            if key == "labels_by":
                if value not in _LABELS_BY:
                    raise DataError(
                        f"{self.use}: {key} is {value!r}; it must be {' or '.join(_LABELS_BY)}"
                    )
                continue
            least = 0 if key in ("seed", "min_positives") else 1
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise DataError(
                    f"{self.use}: {key} is {value!r}; it must be a whole number of at least {least}"
                )
        return Subset(**chosen)

    def encoding(self, card_options: Mapping[str, Any]) -> Encoding:
        """Return how to encode attributes; the reference overrides the card.

        Raises
        ------
        DataError
            If a value is not allowed, or a column that is ignored has another use, too.
        """
        given = {**card_options, **self.settings}
        missing, row_ids = given.get("missing", "refuse"), given.get("row_ids", "refuse")
        for key, value in (("missing", missing), ("row_ids", row_ids)):
            if value not in ("refuse", "keep"):
                raise DataError(f"{self.use}: {key} is {value!r}; it must be refuse or keep")
        names = {key: given.get(key, []) for key in ("ignore", "numeric")}
        for key, value in names.items():
            if not isinstance(value, list | tuple) or not all(isinstance(n, str) for n in value):
                raise DataError(
                    f"{self.use}: {key} is {value!r}; it must be a list of attribute names"
                )
        uses = {
            "ignore": names["ignore"],
            **{key: self._own_columns(key) for key in ("nominal", "numeric")},
            **{key: [given.get(key)] for key in ROW_KEYS},
        }
        for key in COLUMN_KEYS:
            if twice := [name for name, n in Counter(map(str, uses[key])).items() if n > 1]:
                raise DataError(f"{self.use}: {key} lists {twice[0]!r} twice", key)
        refuse_two_uses(uses, self.use)
        return Encoding(missing, row_ids, tuple(names["ignore"]), tuple(names["numeric"]))

    def _own_columns(self, key: str) -> Sequence[object]:
        """Return the columns of a key, but not those of a card, which may have another use."""
        columns = self.settings.get(key, ())
        return columns if isinstance(columns, list | tuple) else [columns]

    def row_values(self, card_options: Mapping[str, Any]) -> dict[str, str]:
        """Return the column or the file of each of `ROW_KEYS`; the reference overrides the card.

        Raises
        ------
        DataError
            If one is no text.
        """
        given = {key: {**card_options, **self.settings}.get(key) for key in ROW_KEYS}
        for key, value in given.items():
            if value is not None and not (isinstance(value, str) and value):
                raise DataError(
                    f"{self.use}: {key} is {value!r}; it must be the name of a column, or a .csv "
                    "or .txt file with one value a row"
                )
        return {key: value for key, value in given.items() if value is not None}


def with_lists(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a data set in one form: a name of a column alone becomes a list of one."""
    found = dict(settings)
    if isinstance(text := found.get("text"), Mapping) and "columns" in text:
        text = {key: value for key, value in text.items() if (key, value) != ("use", "tfidf")}
        text["columns"] = _as_list(text["columns"])
        found["text"] = text["columns"] if len(text) == 1 else text
    for key in (*COLUMN_KEYS, "text"):
        if key in found:
            found[key] = _as_list(found[key])
    return found


def _as_list(names: Any) -> Any:
    return [names] if isinstance(names, str) else names


def as_reference(given: str | Mapping[str, Any]) -> DataReference:
    """Return a reference from a name, a path, or a mapping with the key ``use``.

    Raises
    ------
    DataError
        If it is something else.
    """
    if isinstance(given, str) and given:
        return DataReference(given)
    if isinstance(given, Mapping):
        settings = with_lists(given)
        use = settings.pop("use", None)
        if isinstance(use, str) and use:
            return DataReference(use, settings)
    raise DataError(
        f"{given!r} is not a data set; write a name such as `emotions`, the path of a file, or "
        "a mapping such as {use: corel5k, labels: 35}"
    )


def is_row_file(value: object) -> bool:
    """Return whether the value of one of `ROW_KEYS` names a file rather than a column."""
    return isinstance(value, str) and value.endswith(_ROW_FILES)


def is_path(use: str) -> bool:
    """Whether a reference names a file rather than a card."""
    separators = {os.sep, os.altsep or os.sep, "/"}
    known = use.endswith(SUFFIX) or any(formats_by_suffix(Path(use)))
    return known or any(one in use for one in separators)


def check_path_keys(wanted: DataReference, more: Collection[str] = ()) -> None:
    """Reject keys that no format of such a file has, and that are not in `more`.

    Raises
    ------
    DataError
        At the first such key, with a suggestion.
    """
    if wanted.use.endswith(SUFFIX):
        wanted.check_keys(more, has_attributes=False)
        return
    chosen = [name for name in FORMATS if name == wanted.settings.get("format")]
    names = chosen or [name for name, _ in formats_by_suffix(Path(wanted.use))] or FORMATS
    options = {option for name in names for option in get_format(name).options}
    wanted.check_keys(["format", *sorted(options), *more])


def find_path_files(use: str, settings: Mapping[str, object]) -> tuple[str, dict[str, Path]]:
    """Return the format of a file and the files that belong to it, by role.

    The setting ``format`` decides; otherwise the first format with the file's extension that
    applies to the file. The format finds the other files. A folder means the pair of CSV files in
    it.

    Raises
    ------
    DataError
        If there is no such file, or if its format cannot be detected.
    """
    path = _expanded(use)
    chosen = str(settings["format"]) if settings.get("format") is not None else None
    if chosen is not None:
        try:
            get_format(chosen)
        except DataError as error:
            raise DataError(f"{use}: {error}") from None
    if path.is_dir():
        path = features_in(path)
    if not path.is_file():
        raise DataError(f"{use}: no such file; give its path, or the name of a data set")
    for name, candidate in formats_by_suffix(path):
        if chosen is None and candidate.applies(path, settings):
            chosen = name
    if chosen is None:
        raise DataError(
            f"{path}: cannot detect the format from the name; write "
            f"{{use: {use}, format: ...}} with one of {', '.join(FORMATS)}"
        )
    return chosen, get_format(chosen).find(path)


def _expanded(use: str) -> Path:
    try:
        path = Path(use).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"{use[:200]!r} cannot be the path of a file: {error}") from error
    return path


def name_of_file(use: str) -> str:
    """Return the name of a data set given by its path: ``data`` for ``my/data.arff.gz``."""
    path = Path(use)
    return Path(path.stem).stem if path.suffix in COMPRESSIONS else path.stem
