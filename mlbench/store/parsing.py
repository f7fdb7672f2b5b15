"""From verified texts to rows, many at a time: what they say alike stands in memory once."""

from __future__ import annotations

import contextlib
import gc
import json
import marshal
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, cast

from mlbench.store.checksum import DamagedFile, sealed_content
from mlbench.store.row import Row

SCHEMA = 1
_AT_ONCE = 500
_ALIKE = ("environment", "limits")
_MARSHAL = 0  # the form in which equal values have equal bytes: it tells of nothing but values

Place = TypeVar("Place")


@contextlib.contextmanager
def many_values() -> Iterator[None]:
    """Read many values without a search for cycles, of which they have none, after every few."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def parse_sealed(
    texts: Iterable[tuple[Place, bytes]], name: str
) -> Iterator[tuple[Place, Any | DamagedFile]]:
    """Yield the verified value of each text, or what is wrong with it, in any order."""
    texts = iter(texts)
    while batch := list(islice(texts, _AT_ONCE)):
        places, contents = [], []
        for place, data in batch:
            try:
                contents.append(sealed_content(data, name))
                places.append(place)
            except DamagedFile as problem:
                yield place, problem
        # One text with all of them: the parser keeps each name once per text.
        values = json.loads(b"[" + b",".join(contents) + b"]")
        yield from zip(places, values, strict=True)


def share(row: Row, known: dict[bytes, Any]) -> Row:
    """Let what many rows say alike stand in memory once: a third of each.

    Parameters
    ----------
    row : Row
    known : dict
        What was said so far; the same one for all rows.
    """
    identity: Any = row.get("identity")
    places: list[tuple[Any, Iterable[str]]] = [(row, _ALIKE)]
    if isinstance(identity, dict):
        places.append((identity, identity))
    for part, names in places:
        for name in names:
            if isinstance(value := part.get(name), dict | list):
                part[name] = known.setdefault(marshal.dumps(value, _MARSHAL), value)
    return row


def checked_row(value: Any, key: str | None = None) -> Row:
    """Return a verified value as a row.

    Raises
    ------
    DamagedFile
        If it is no row of this form, or the row of another cell.
    """
    try:
        if key is not None and value["key"] != key:
            raise DamagedFile(f"the content belongs to the cell {value['key']}")
        if value["schema"] != SCHEMA:
            raise DamagedFile(f"written in form {value['schema']}, and this is form {SCHEMA}")
        value.setdefault("fit", None)  # rows from before there were reports
    except (LookupError, TypeError, AttributeError) as error:
        raise DamagedFile(f"not a complete file ({type(error).__name__})") from None
    return cast(Row, value)
