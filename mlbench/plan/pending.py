"""The cells that are still to run."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from mlbench.config.schema import Limits
from mlbench.environment import library_versions
from mlbench.plan.cells import Cell
from mlbench.plan.giving_up import GivingUp, failures_in_a_row, in_words
from mlbench.store import Summary
from mlbench.store.row import GIVEN_UP, LIMITS, RUNS_AGAIN

_CAUSES = {
    "crash": "its worker had crashed",
    "data": "its data could not be read, or they or the file of its method had changed",
    GIVEN_UP: "it was given up, and fewer cells than that takes have failed in a row now",
}


def outstanding(
    cells: Sequence[Cell],
    rows: Mapping[str, Summary],
    kept: Container[str],
    retry_failed: bool = False,
    rerun_changed: bool = False,
) -> list[Cell]:
    """Return the cells that have no settled row, each key once.

    A cell that was given up is settled as long as enough other cells of its method, which are
    settled themselves, have failed in a row.

    Parameters
    ----------
    cells : sequence of Cell
        Of each method on a data set all that are planned.
    rows : mapping
        The existing rows, by key.
    kept : container of str
        The keys of cells with stored predictions.
    retry_failed : bool
        Whether to run every failed cell again.
    rerun_changed : bool
        Whether to run cells again if the code of their method, or the version of a library, has
        changed since they ran.
    """
    left: dict[str, Cell] = {}
    for cell in cells:
        row = rows.get(cell.key)
        again = retry_failed and row is not None and not row.is_ok
        again |= rerun_changed and row is not None and changes_of_code(cell, row) != {}
        if row is None or again or not is_settled(cell, row, kept):
            left.setdefault(cell.key, cell)
    giving_up = GivingUp(cells, rows, left)
    return [
        cell
        for cell in left.values()
        if rerun_changed
        or (row := rows.get(cell.key)) is None
        or row.status != GIVEN_UP
        or giving_up.failure(cell) is None
    ]


def drift(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the entries that have changed, each with its value then and now."""
    return {
        name: (then[name], now[name]) for name in now if name in then and then[name] != now[name]
    }


def changes_of_code(cell: Cell, row: Summary) -> dict[str, tuple[str, str]]:
    """Return the classes and libraries that have changed since a row was computed."""
    return drift({**row.environment, **row.code}, {**library_versions(), **cell.code})


def is_settled(cell: Cell, row: Summary, kept: Container[str]) -> bool:
    """Tell whether the cell has no reason to run again."""
    return not why_unsettled(cell, row, kept)


def why_unsettled(cell: Cell, row: Summary, kept: Container[str]) -> str:
    """Say why a cell runs again although it has a row; empty if it does not.

    A result, an exception or an invalid output would come out the same again. A cell that hit
    a limit is settled until the limit is raised. A crash, or data that could not be read, may
    have had a cause outside the cell, so the cell runs again. So does a cell whose predictions
    are wanted but not stored. Of cells that were given up, only their method's other rows tell.
    """
    if row.status in _CAUSES:
        return _CAUSES[row.status]
    if row.is_ok and cell.keep_predictions:
        is_there = row.predictions is not None and cell.key in kept
        return "" if is_there else "the predictions to be kept are missing"
    return f"its {LIMITS[row.status]} limit was raised" if _was_too_low(row, cell.limits) else ""


def seconds_of(row: Summary) -> float | None:
    """Return how long a cell took; None if it did not come to run, or was lost from outside."""
    return None if row.status in RUNS_AGAIN else row.seconds.get("total")


class PastTimes(NamedTuple):
    """How long cells of older code, or other parameters, took."""

    seconds: list[float]
    is_least: bool
    """Whether all of them reached a limit, and would have taken longer."""


def past_times(rows: Iterable[Summary]) -> PastTimes | None:
    """Return the times of the code and the parameters of the row that finished last.

    Those that reached a limit count, too, as others will reach it. None if no cell came to run.
    """
    ran = [row for row in rows if seconds_of(row) is not None]
    if not ran:
        return None
    latest = max(ran, key=lambda row: row.finished).identity.get("method")
    alike = [row for row in ran if row.identity.get("method") == latest]
    is_least = all(row.status in LIMITS for row in alike)
    return PastTimes([row.seconds["total"] for row in alike], is_least)


def run_again(
    cells: Iterable[tuple[str, str, int, str]],
    rows: Mapping[str, Summary],
    limits: Mapping[str, Limits],
) -> set[str]:
    """Return the keys of failed cells that run again, as far as a stored plan tells.

    Parameters
    ----------
    cells : iterable of (data set, method, split, key)
        All that are planned.
    rows : mapping
        The existing rows, by key.
    limits : mapping
        Of each method.
    """
    again: set[str] = set()
    settled: dict[tuple[str, str], list[Summary]] = {}
    given_up: dict[tuple[str, str], list[str]] = {}
    for dataset, method, _, key in cells:
        if (row := rows.get(key)) is None:
            continue
        if row.status == GIVEN_UP:
            given_up.setdefault((dataset, method), []).append(key)
        elif row.status in RUNS_AGAIN or _was_too_low(row, limits[method]):
            again.add(key)
        else:
            settled.setdefault((dataset, method), []).append(row)
    for pair, keys in given_up.items():
        most = limits[pair[1]].failures
        if most is None or len(failures_in_a_row(settled.get(pair, ()))) < most:
            again.update(keys)
    return again


def why_given_up(
    cells: Iterable[tuple[str, str, int, str]],
    rows: Mapping[str, Summary],
    limits: Mapping[str, Limits],
    again: Container[str],
) -> dict[tuple[str, str], str]:
    """Return why cells are given up now, by data set and method; rows say it as of their time.

    Parameters
    ----------
    cells, rows, limits
        As for `run_again`.
    again : container of str
        What that returned.
    """
    settled: dict[tuple[str, str], list[Summary]] = {}
    for dataset, method, _, key in cells:
        if key in rows and key not in again:
            settled.setdefault((dataset, method), []).append(rows[key])
    return {
        pair: in_words(failures_in_a_row(found), most)
        for pair, found in settled.items()
        if any(row.status == GIVEN_UP for row in found)
        if (most := limits[pair[1]].failures) is not None
    }


def _was_too_low(row: Summary, limits: Limits) -> bool:
    """Tell whether a cell ran into a limit that is higher now."""
    name = LIMITS.get(row.status)
    return name is not None and not _is_enough(getattr(row.limits, name), getattr(limits, name))


def _is_enough(had: float | None, has: float | None) -> bool:
    if had is None:
        return True
    return has is not None and has <= had
