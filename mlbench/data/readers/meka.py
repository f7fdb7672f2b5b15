"""MEKA data sets: ARFF files whose relation name says how many attributes are labels.

See Read, Reutemann, Pfahringer, Holmes: MEKA, JMLR 17, 2016.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from mlbench.data.arff import read_arff, read_relation
from mlbench.data.readers.format import Format, read_parts
from mlbench.data.readers.mulan import split_labels, xml_of
from mlbench.data.table import RawTable
from mlbench.errors import DataError

_COUNT = re.compile(r"(?:^|[\s:])-[Cc]\s+([+-]?[0-9]{1,9})(?![0-9])")
_FILTERS = re.compile(r"-weka\.filters\.")


def read(files: Mapping[str, Path], options: Mapping[str, object]) -> RawTable:
    """Read ``train`` and ``test`` (or ``all``).

    ``-C n`` in the relation name makes the first n attributes labels, ``-C -n`` the last n. The
    option ``label_count`` (n or -n) overrides it.

    Raises
    ------
    DataError
        If a file is damaged, or if the number of labels is unknown.
    """

    def read_part(path: Path) -> RawTable:
        arff = read_arff(path)
        count = options.get("label_count", _declared_count(arff.relation))
        if "label_count" not in options and _FILTERS.search(arff.relation):
            raise DataError(
                f"{path}: the relation says -C {count}, but filters of Weka have changed the "
                "attributes since, so it no longer tells which are labels; choose them with "
                "`--labels` (`label_columns` in an experiment), or state `label_count: n` (the "
                "first n attributes) or -n (the last n)"
            )
        d = len(arff.attributes)
        if not isinstance(count, int) or isinstance(count, bool) or not 0 < abs(count) < d:
            said = "says nothing" if count is None else f"says {count!r}"
            raise DataError(
                f"{path}: cannot tell which of the {d} attributes are labels: the relation "
                f"{arff.relation[:60]!r} or the option label_count {said}; write "
                "`name: -C n` there (the first n attributes are labels) or `name: -C -n` (the last "
                "n)"
            )
        columns = range(count) if count > 0 else range(d + count, d)
        return split_labels(arff, columns, path)

    return read_parts(files, read_part)


def _applies(path: Path, settings: Mapping[str, object]) -> bool:
    """Whether the relation name contains ``-C n`` and there is no XML file for the file."""
    return xml_of(path) is None and _declared_count(read_relation(path)) is not None


def _declared_count(relation: str) -> int | None:
    """Return n of ``-C n``, which MEKA writes after a colon behind the name of the data, if any."""
    _, colon, settings = relation.partition(":")
    match = _COUNT.search(settings if colon or not relation.startswith("-") else relation)
    return int(match[1]) if match else None


FORMAT = Format(
    read,
    options=frozenset({"label_count"}),
    suffixes=(".arff",),
    applies=_applies,
    has_parts=True,
)
