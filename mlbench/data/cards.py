"""Cards: one small YAML file per data set that describes it and lists its files."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    field_validator,
    model_validator,
)

from mlbench.data.readers import FORMATS, formats_by_suffix
from mlbench.data.search_path import check_relative, search_path, uncompressed_name
from mlbench.errors import ConfigError, DataError
from mlbench.resources import bundled
from mlbench.spelling import did_you_mean
from mlbench.yaml_loader import load_yaml

GENERATED = "generated"
"""The format of a data set that is generated and has no files."""

_OPENML = re.compile(r"openml[:-]([1-9][0-9]{0,8})")

Count = Annotated[int, Strict(), Field(ge=0)]
Number = Annotated[float, Strict(), Field(ge=0)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Url = Annotated[str, Field(pattern=r"^https?://\S+$")]
Domain = Literal["text", "images", "music", "biology", "other"]
"""What a data set is about; other sound counts as music, and video as images."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CardFile(_Model):
    """One file of a data set."""

    path: str
    """Relative to a data folder, with ``/``: ``emotions/emotions-train.arff``."""
    sha256: Sha256 | None = None
    """Of the file at `path`, as stored; None if unknown."""
    sha256_uncompressed: Sha256 | None = None
    """Of the uncompressed content, if `path` is a compressed file."""
    urls: tuple[Url, ...] = ()
    """Download addresses, best first; each may serve the plain or the compressed form."""

    @field_validator("path")
    @classmethod
    def _stays_inside(cls, path: str) -> str:
        try:
            return check_relative(path)
        except DataError as error:
            raise ValueError(str(error)) from None

    @property
    def plain_path(self) -> str:
        """The path without ``.gz`` or ``.bz2``."""
        return uncompressed_name(self.path)

    @property
    def plain_sha256(self) -> str | None:
        """The hash of the uncompressed content, if known."""
        return self.sha256 if self.plain_path == self.path else self.sha256_uncompressed


class Expected(_Model):
    """The counts that loading must give; None if unknown.

    `features` counts the attributes other than labels, before one-hot encoding; `labels` counts
    the classes of single-label data; `tasks` applies only to data with tasks.
    """

    samples: Count | None = None
    features: Count | None = None
    labels: Count | None = None
    tasks: Count | None = None
    cardinality: Number | None = None


class Card(_Model):
    """The description of one data set."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    title: str
    domain: Domain = "other"
    format: str
    files: dict[str, CardFile] = Field(default_factory=dict)
    """Role to file. Readers know the roles ``train``, ``test``, ``all`` (the union, or the only
    file), ``labels`` (which names the labels) and ``header`` (read for its column names). A file
    with the role ``about`` is documentation; no reader opens it.
    """
    options: dict[str, Any] = Field(default_factory=dict)
    """Reader options, by name."""
    expect: Expected = Expected()
    citation: str = ""
    terms: str = ""
    home: str = ""
    mirrors: tuple[Url, ...] = ()
    by_hand: str = ""
    """How to get the files if they cannot be downloaded."""
    notes: tuple[str, ...] = ()
    """Pitfalls, one or two sentences each."""

    @field_validator("format")
    @classmethod
    def _known_format(cls, name: str) -> str:
        known = (*FORMATS, GENERATED)
        if name not in known:
            raise ValueError(
                f"no such format{did_you_mean(name, known)}; the formats are {', '.join(known)}"
            )
        return name

    @model_validator(mode="after")
    def _has_a_source(self) -> Self:
        if self.format == GENERATED and "generator" not in self.options:
            raise ValueError("a generated data set needs a generator: options: {generator: ...}")
        if self.format != GENERATED and not self.files:
            raise ValueError("no files: write files: {all: {path: ...}}")
        return self

    def urls(self, role: str) -> list[str]:
        """Return the addresses of a file: first its `urls`, then one for each mirror."""
        file = self.files[role]
        return [*file.urls, *(f"{mirror.rstrip('/')}/{file.path}" for mirror in self.mirrors)]

    @property
    def needed_roles(self) -> tuple[str, ...]:
        """The roles that loading needs.

        ``all`` is not needed if ``train`` and ``test`` are there, and ``about`` never is.
        """
        optional = {"about"} | ({"all"} if {"train", "test"} <= set(self.files) else set())
        return tuple(role for role in self.files if role not in optional)

    @property
    def remedy(self) -> str:
        """Instructions for a user whose files are missing."""
        ways = []
        if any(self.urls(role) for role in self.files):
            ways.append(f"Download it with `mlbench data fetch {self.name}`.")
        if self.by_hand:
            ways.append(f"By hand: {self.by_hand.strip()}")
        ways.append("Add your own copy with `mlbench data add PATH`.")
        return "\n".join(ways)


def available_cards(data_dirs: Sequence[str | Path] = ()) -> list[str]:
    """Return the names of all data sets that have a card, sorted."""
    return sorted(card_places(data_dirs))


def card_places(data_dirs: Sequence[str | Path] = ()) -> dict[str, list[Path]]:
    """Return the card files for each name; the first one is used.

    A card on the data search path takes precedence over the one bundled with mlbench.
    """
    folders = {folder.resolve(): folder for folder in search_path(data_dirs)}
    ours = bundled("datasets")
    folders.pop(ours.resolve(), None)
    places: dict[str, list[Path]] = {}
    for folder in [*folders.values(), ours]:
        for path in sorted(folder.glob("*.yaml")):
            places.setdefault(path.stem, []).append(path)
    return places


def openml_number(name: str) -> int | None:
    """Return the number in ``openml:40589`` or ``openml-40589``, or None for other names."""
    match = _OPENML.fullmatch(name)
    return int(match[1]) if match else None


def card_name(use: str) -> str:
    """Return the name of the card of a data set: ``openml-40589`` for ``openml:40589``."""
    number = openml_number(use)
    return use if number is None else f"openml-{number}"


def no_such_card(use: str, known: Collection[str]) -> str:
    """Return the message for a data set without a card."""
    if use.startswith("openml:"):
        if openml_number(use) is None:
            return f"{use!r} is no data set of OpenML; write its number: openml:40589"
        return f"{use} is not here; `mlbench data fetch {use}` downloads it"
    if Path(use).is_file():
        can_read = any(formats_by_suffix(Path(use)))
        return f"{use!r} is a file, not the name of a data set; " + (
            f"`mlbench data add {use}` gives it one, `mlbench init {use}` writes an experiment"
            if can_read
            else "no format has its ending; save a table as CSV, with the ending .csv, or write "
            f"`use: ./{use}` with a `format`"
        )
    return (
        f"there is no data set {use!r}{did_you_mean(use, known)}; "
        "`mlbench data list` lists all, --data DIR names a folder with more, and `mlbench data add "
        "PATH` adds your own"
    )


def load_card(name: str, data_dirs: Sequence[str | Path] = ()) -> Card:
    """Return the card of a data set.

    Raises
    ------
    DataError
        If there is no card with this name (the message suggests the closest), or if a key of the
        card is missing, unknown or has the wrong type (the message names the file and the key).
    """
    places = card_places(data_dirs)
    if card_name(name) not in places:
        raise DataError(no_such_card(name, places))
    return read_card(places[card_name(name)][0])


def read_card(path: Path) -> Card:
    """Read one card file; its stem must be the name on the card.

    Raises
    ------
    DataError
        As for `load_card`.
    """
    try:
        content = load_yaml(path).value
    except ConfigError as error:
        raise DataError(str(error)) from None
    if not isinstance(content, dict):
        raise DataError(f"{path}: a card must map keys to values (name, title, format, ...)")
    try:
        card = Card.model_validate(content)
    except ValidationError as error:
        raise DataError(_describe_errors(error, path)) from None
    if card.name != path.stem:
        raise DataError(
            f"{path}: name is {card.name!r}, but a card must have the name of its file: "
            f"write `name: {path.stem}`, or rename the file to {card.name}.yaml"
        )
    return card


def _describe_errors(error: ValidationError, path: Path) -> str:
    lines = []
    for fault in error.errors():
        key = ".".join(str(part) for part in fault["loc"])
        match fault["type"]:
            case "missing":
                problem = "this key is missing"
            case "extra_forbidden":
                known = _allowed_keys(fault["loc"])
                near = did_you_mean(str(fault["loc"][-1]), known)
                problem = f"unknown key{near}; known here: {', '.join(known)}"
            case "string_type":
                problem = f"must be text, found {fault['input']!r}: put it in quotes"
            case "value_error":
                problem = fault["msg"].removeprefix("Value error, ")
            case _:
                problem = f"{fault['msg']}, found {fault['input']!r}"
        lines.append(f"{path}: {key}: {problem}" if key else f"{path}: {problem}")
    return "\n".join(lines)


def _allowed_keys(location: tuple[int | str, ...]) -> list[str]:
    owners: dict[str, type[BaseModel]] = {"files": CardFile, "expect": Expected}
    owner = owners.get(str(location[0]), Card) if len(location) > 1 else Card
    return list(owner.model_fields)
