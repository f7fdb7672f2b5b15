"""Loading a data set by its name or path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING

from mlbench.data.card_checks import compare_counts, counts_of, sha256_of
from mlbench.data.dataset import Dataset
from mlbench.data.dataset_reference import (
    ENCODING_KEYS,
    ROW_KEYS,
    SUBSET_KEYS,
    DataReference,
    as_reference,
    check_path_keys,
    find_path_files,
    is_path,
    is_row_file,
    name_of_file,
)
from mlbench.data.encoding import encode
from mlbench.data.npz import SUFFIX, Parsed, cache_key, load_parsed, read_dataset, save_parsed
from mlbench.data.readers import check_options, get_format
from mlbench.data.row_columns import read_with_rows, with_row_files
from mlbench.data.search_path import find_file
from mlbench.data.subsets import take_subset
from mlbench.data.synthetic import generate, generator_parameters
from mlbench.dataset_facts import UNLIKE_CARD
from mlbench.errors import DataError

if TYPE_CHECKING:
    from mlbench.data.cards import Card


def load_dataset(
    reference: str | Mapping[str, object], data_dirs: Sequence[str | Path] = ()
) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    reference
        The name of a card (``"emotions"``), the path of a file (``"my/data.arff"``), or a mapping
        with one of these under ``use`` and any of

        - ``min_positives``, ``labels``, ``labels_by``, ``drop_unlabeled``, ``min_documents``,
          ``rows``, ``seed``: a subset of the data, see `mlbench.data.subsets.Subset`;
        - ``missing``, ``row_ids``, ``ignore``, ``numeric``: see `mlbench.data.encoding.Encoding`;
        - ``groups``: the column, or a .csv or .txt file with a line a row, of the groups that no
          split divides;
        - ``time``: likewise, of the times of rows, for splits in time order;
        - for a generated data set, its parameters;
        - for a path, ``format`` and the options of its reader.
    data_dirs
        Folders to search before the default ones.

    Returns
    -------
    Dataset
        The published training part, if any, comes first. X is sparse if the files are.

    Raises
    ------
    DataError
        If the data set or one of its files is unknown, missing or damaged, if a key of the
        reference is wrong, or if the counts differ from those on the card.
    """
    wanted = as_reference(reference)
    if is_path(wanted.use):
        dataset = _load_path(wanted)
    else:
        from mlbench.data.cards import load_card

        card = load_card(wanted.use, data_dirs)
        if card.format == "generated":
            dataset = _generate(card, wanted)
        else:
            dataset = _load_card(card, wanted, data_dirs)
    return take_subset(dataset, wanted.subset())


@dataclass(frozen=True)
class _Source:
    """Files to read, with their format and reader options."""

    name: str
    format_name: str
    files: Mapping[str, Path]
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def features(self) -> str:
        """The files that hold features."""
        no_rows = ("labels", "header")
        return " and ".join(str(path) for role, path in self.files.items() if role not in no_rows)


def _load_path(wanted: DataReference) -> Dataset:
    check_path_keys(wanted)
    if wanted.use.endswith(SUFFIX):
        return _with_row_files(read_dataset(Path(wanted.use).expanduser()), wanted)
    format_name, files = find_path_files(wanted.use, wanted.settings)
    known = get_format(format_name).options
    wanted.check_keys({"format", *known})
    options = {key: value for key, value in wanted.settings.items() if key in known}
    source = _Source(name_of_file(wanted.use), format_name, files, options)
    return _with_row_files(_parse(source, wanted, {}, _hashes(files)).dataset, wanted)


def _load_card(card: Card, wanted: DataReference, data_dirs: Sequence[str | Path]) -> Dataset:
    wanted.check_keys()
    wanted.subset()
    check_options_of(card, data_dirs)
    files = {
        role: find_file(card.files[role].path, data_dirs, remedy=card.remedy)
        for role in card.needed_roles
    }
    general = (*ENCODING_KEYS, *ROW_KEYS)
    options = {key: value for key, value in card.options.items() if key not in general}
    encoding = {key: value for key, value in card.options.items() if key in general}
    hashes = _hashes(files)
    source = _Source(card.name, card.format, files, options)
    parsed = _parse(source, wanted, encoding, hashes)
    notes = _unlike_published(card, files, hashes)
    dataset = parsed.dataset.described(card.name, (*card.notes, *parsed.dataset.notes, *notes))
    check_expected(card, dataset, parsed.n_attributes, notes, data_dirs)
    return _with_row_files(dataset, wanted, encoding, data_dirs)


def _generate(card: Card, wanted: DataReference) -> Dataset:
    generator = str(card.options.get("generator"))
    parameters = generator_parameters(generator)
    wanted.check_keys(parameters, has_attributes=False)
    ours = {key: value for key, value in card.options.items() if key != "generator"}
    given = {key: value for key, value in wanted.settings.items() if key in parameters}
    dataset = generate(generator, {**ours, **given}).described(card.name, card.notes)
    if not set(given) - set(SUBSET_KEYS):
        check_expected(card, dataset, dataset.n_features, ())
    return _with_row_files(dataset, wanted)


def _with_row_files(
    dataset: Dataset,
    wanted: DataReference,
    card_options: Mapping[str, object] = MappingProxyType({}),
    data_dirs: Sequence[str | Path] = (),
) -> Dataset:
    """Return a data set with what files say of its rows; those of a card are in a data folder."""
    files = {}
    for key, value in wanted.row_values(card_options).items():
        if is_row_file(value):
            ours = key in wanted.settings
            files[key] = Path(value).expanduser() if ours else find_file(value, data_dirs)
        elif (dataset.groups if key == "groups" else dataset.times) is None:
            raise DataError(
                f"{wanted.use}: {key}: there are no columns with names here; write "
                f"`{key}: FILE.csv`, a file with one value a row"
            )
    return with_row_files(dataset, files)


def _parse(
    source: _Source,
    wanted: DataReference,
    card_options: Mapping[str, object],
    hashes: Mapping[str, str],
) -> Parsed:
    """Return the parsed files, from the cache if possible."""
    encoding, values = wanted.encoding(card_options), wanted.row_values(card_options)
    columns = {key: value for key, value in values.items() if not is_row_file(value)}
    key = cache_key(source.format_name, hashes, {**source.options, **columns}, encoding)
    parsed = load_parsed(key)
    if parsed is None:
        table, groups, times = read_with_rows(
            source.format_name, source.files, source.options, columns, source.features
        )
        encoded = replace(encode(table, encoding, source.features), groups=groups, times=times)
        parsed = Parsed(encoded, table.n_columns + len({*columns.values()}))
        save_parsed(key, parsed)
    return replace(parsed, dataset=parsed.dataset.described(source.name, parsed.dataset.notes))


def check_options_of(card: Card, data_dirs: Sequence[str | Path] = ()) -> None:
    """Reject a card with an option that its reader does not know.

    Raises
    ------
    DataError
        At the first such option; the message names the card's file.
    """
    from mlbench.data.cards import card_places

    try:
        check_options(card.format, card.options, (*ENCODING_KEYS, *ROW_KEYS))
    except DataError as error:
        raise DataError(f"{card_places(data_dirs)[card.name][0]}: options: {error}") from None


def check_expected(
    card: Card,
    dataset: Dataset,
    n_attributes: int,
    clues: Sequence[str],
    data_dirs: Sequence[str | Path] = (),
) -> None:
    """Compare a whole data set with the counts on its card.

    Parameters
    ----------
    n_attributes
        Features before one-hot encoding.
    clues
        Facts about the files that could explain a difference.
    data_dirs
        The folders that were named.

    Raises
    ------
    DataError
        At the first count that differs, with both numbers.
    """
    for count in compare_counts(card, counts_of(dataset.Y, n_attributes, len(dataset.task_names))):
        if not count.agrees:
            why = "".join(f"\n{clue}" for clue in clues)
            there = "".join(f" --data {quote(str(folder))}" for folder in data_dirs)
            raise DataError(
                f"{card.name}: {count.quantity} should be {count.expected:g} according to its "
                f"card, but is {count.got:g}; the files are not those of the card, or the card "
                "is wrong"
                f"{why}\n`mlbench data verify {card.name}{there}` compares all files with the "
                f"card; `mlbench data add FILE --name {card.name} --force`, with the options that "
                "made it (--labels, --to, ...), renews it."
            )


def _hashes(files: Mapping[str, Path]) -> dict[str, str]:
    hashes = {}
    for role, path in files.items():
        try:
            hashes[role] = sha256_of(path)
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error}") from error
    return hashes


def _unlike_published(
    card: Card, files: Mapping[str, Path], hashes: Mapping[str, str]
) -> tuple[str, ...]:
    """Name the files that differ from the card; files compressed differently are not checked."""
    return tuple(
        f"{path}: {UNLIKE_CARD}"
        for role, path in files.items()
        if card.files[role].sha256 not in (None, hashes[role])
        and path.suffix == Path(card.files[role].path).suffix
    )
