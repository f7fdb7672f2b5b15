"""Readers of file formats; the module of each is imported when it is first needed."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from mlbench.data.readers.format import Format
from mlbench.data.search_path import uncompressed_name
from mlbench.data.table import RawTable
from mlbench.errors import DataError
from mlbench.spelling import did_you_mean

FORMATS: Mapping[str, str] = {
    "arff-table": "mlbench.data.readers.arff_table:FORMAT",
    "meka": "mlbench.data.readers.meka:FORMAT",
    "mulan": "mlbench.data.readers.mulan:FORMAT",
    "libsvm": "mlbench.data.readers.libsvm:FORMAT",
    "yahoo-mat": "mlbench.data.readers.mat:YAHOO",
    "corel-mat": "mlbench.data.readers.mat:COREL",
    "landmine-mat": "mlbench.data.readers.mat:LANDMINE",
    "table": "mlbench.data.readers.one_table:FORMAT",
    "delimited": "mlbench.data.readers.delimited:FORMAT",
    "csv": "mlbench.data.readers.csv_pair:FORMAT",
    "mldr": "mlbench.data.readers.mldr:FORMAT",
}
"""Name to module and `Format` in it. If formats share a file extension, order matters."""


@cache
def get_format(name: str) -> Format:
    """Return a format by its name.

    Raises
    ------
    DataError
        If there is no format with this name.
    """
    if name not in FORMATS:
        raise DataError(
            f"no format named {name!r}{did_you_mean(name, FORMATS)}; known: " + ", ".join(FORMATS)
        )
    module, _, attribute = FORMATS[name].partition(":")
    found = getattr(import_module(module), attribute)
    assert isinstance(found, Format)
    return found


def formats_by_suffix(path: Path) -> Iterator[tuple[str, Format]]:
    """Yield the formats that share the extension of a file, compressed or not."""
    suffix = Path(uncompressed_name(path.name)).suffix.lower()
    for name in FORMATS:
        if suffix in get_format(name).suffixes:
            yield name, get_format(name)


def read_table(
    format_name: str, files: Mapping[str, Path], options: Mapping[str, object]
) -> RawTable:
    """Read the files of a data set.

    Raises
    ------
    DataError
        If the format or an option is unknown, if a role that the format needs has no file, or if
        a file is malformed.
    """
    check_options(format_name, options)
    return get_format(format_name).read(files, options)


def check_options(
    format_name: str, options: Mapping[str, object], more: Collection[str] = ()
) -> None:
    """Reject options that are neither the reader's nor in `more`.

    Raises
    ------
    DataError
        At the first such option, with a suggestion.
    """
    known = [*sorted(get_format(format_name).options), *more]
    for key in options:
        if key not in known:
            raise DataError(
                f"the format {format_name} has no option {key!r}{did_you_mean(key, known)}; "
                f"known: {', '.join(known) or 'none'}"
            )
