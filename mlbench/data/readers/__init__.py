"""One small module for each file format, with ``read(files, options)`` and the names it knows.

``files`` maps a role (``train``, ``test``, ``all``, ``labels``, ...) to a path. A module says in
``OPTIONS`` which options it knows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from mlbench.data.table import RawTable
from mlbench.errors import DataError
from mlbench.spelling import did_you_mean

FORMATS: Mapping[str, str] = {
    "mulan": "mlbench.data.readers.mulan:read",
    "meka": "mlbench.data.readers.meka:read",
    "libsvm": "mlbench.data.readers.libsvm:read",
    "yahoo-mat": "mlbench.data.readers.yahoo_mat:read",
    "corel-mat": "mlbench.data.readers.corel_mat:read",
    "landmine-mat": "mlbench.data.readers.landmine_mat:read",
    "delimited": "mlbench.data.readers.delimited:read",
    "csv": "mlbench.data.readers.csv_pair:read",
}


def read_table(format_name: str, files: Mapping[str, Path], options: Mapping[str, Any]) -> RawTable:
    """Read the files of a data set.

    Raises
    ------
    DataError
        If the format or an option is not known, if a role that the format needs has no file, or if
        a file is not what it should be.
    """
    module_name, function = _target(format_name).split(":")
    module = import_module(module_name)
    check_options(format_name, options)
    table: RawTable = getattr(module, function)(files, options)
    return table


def options_of(format_name: str) -> frozenset[str]:
    """Return the names of the options that the reader of a format knows."""
    options: frozenset[str] = import_module(_target(format_name).split(":")[0]).OPTIONS
    return options


def check_options(format_name: str, options: Mapping[str, Any], more: Collection[str] = ()) -> None:
    """Refuse options that are neither the reader's nor among `more`.

    Raises
    ------
    DataError
        At the first one, with a suggestion.
    """
    known = [*sorted(options_of(format_name)), *more]
    for key in options:
        if key not in known:
            raise DataError(
                f"the format {format_name} has no option {key!r}{did_you_mean(key, known)}; "
                f"known: {', '.join(known) or 'it has none'}"
            )


def _target(format_name: str) -> str:
    if format_name not in FORMATS:
        raise DataError(
            f"no format named {format_name!r}{did_you_mean(format_name, FORMATS)}; there are "
            + ", ".join(FORMATS)
        )
    return FORMATS[format_name]
