"""Which columns of a table are labels: by name, by position, by prefix."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from json import dumps

from mlbench.errors import DataError, about_key
from mlbench.spelling import did_you_mean

_FORMS = (
    "write a name, a position (1 is the first, -1 the last), a list of these, {prefix: TEXT}, "
    "{first: NUMBER} or {last: NUMBER}"
)


_SIDES = {"first": 1, "last": -1}
"""Words for the position of a class."""


class LabelsNotChosenError(DataError):
    """A table of which no column was chosen as a label."""

    def __init__(self, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


def refuse_two_uses(uses: Mapping[str, Collection[object]], source: str) -> None:
    """Refuse a column that two options name.

    Parameters
    ----------
    uses
        The names of columns, by option.

    Raises
    ------
    DataError
        The first of the two options is its key.
    """
    for option, others in combinations(uses, 2):
        for name in uses[option]:
            if name is not None and name in uses[others]:
                raise DataError(
                    f"{source}: {option}: {name!r} is also in {others}; keep one of them", option
                )


def columns_are(names: Sequence[str]) -> str:
    """Return the end of a message that lists columns; a single one may hide a delimiter."""
    shown = ", ".join(map(repr, names[:10]))
    if len(names) > 10:
        shown += f" and {len(names) - 10} more"
    return f"the columns are {shown}{delimiter_hint(names)}"


def delimiter_hint(names: Sequence[str]) -> str:
    """Return the end of a message about a table, where its only column may be several."""
    hidden = [one for one in ";\t|" if len(names) == 1 and one in names[0]]
    return (
        f"; if {hidden[0]!r} separates them, set `delimiter: {dumps(hidden[0])}`" if hidden else ""
    )


def chosen_columns(wanted: object, names: Sequence[str], option: str, source: str) -> list[str]:
    """Return the names of the columns that an option chooses.

    Parameters
    ----------
    wanted
        A name, a position (1 is the first column, -1 the last), a list of these, or a mapping from
        ``prefix``, ``first`` or ``last`` to a text or a number.
    names
        All columns.
    option, source
        The name of the option and the file, for messages.

    Raises
    ------
    DataError
        If `wanted` has another form, or chooses a column that does not exist, or one twice.
    """
    with about_key(option):
        return _chosen(wanted, names, option, f"{source}: {option}")


def _chosen(wanted: object, names: Sequence[str], option: str, place: str) -> list[str]:
    if option == "class_column" and isinstance(wanted, str) and wanted not in names:
        wanted = _SIDES.get(wanted, wanted)
    match wanted:
        case {"prefix": str(prefix), **others} if prefix and not others:
            chosen = [name for name in names if name.startswith(prefix)]
            if not chosen:
                raise DataError(f"{place}: no column starts with {prefix!r}; {columns_are(names)}")
        case {"first": int(number), **others} if number > 0 and not others:
            chosen = [_at(position, names, place) for position in range(1, number + 1)]
        case {"last": int(number), **others} if number > 0 and not others:
            chosen = [_at(position, names, place) for position in range(-number, 0)]
        case Mapping():
            raise DataError(f"{place} is {dict(wanted)}; {_FORMS}")
        case [*several] if several:
            chosen = [_column(one, names, place) for one in several]
        case _:
            chosen = [_column(wanted, names, place)]
    twice = next((name for name in chosen if chosen.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{place}: the column {twice!r} is named twice")
    return chosen


def _column(wanted: object, names: Sequence[str], place: str) -> str:
    match wanted:
        case bool():
            pass
        case int(position):
            return _at(position, names, place)
        case str(name) if name in names:
            return name
        case str(name):
            near = did_you_mean(name, names)
            raise DataError(f"{place}: no column named {name!r}{near}; {columns_are(names)}")
    raise DataError(f"{place} is {wanted!r}; {_FORMS}")


def _at(position: int, names: Sequence[str], place: str) -> str:
    if position == 0 or abs(position) > len(names):
        raise DataError(
            f"{place}: no column {position}; there are {len(names)} (1 is the first, -1 the last)"
        )
    return names[position - 1 if position > 0 else position]
