"""Rows whose code has changed since they were computed, where that can be known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mlbench.registry.code_hash import CodeNow
    from mlbench.results import Results
    from mlbench.results.plan import StoredPlan
    from mlbench.store import Store, Summary

OF_TODAYS_CODE = (
    "of no cell of the last run, but of the code that its file has now: `mlbench run CONFIG` takes "
    "them up"
)


def computed_by_other_code(
    results: Path, plan: StoredPlan, rows: Mapping[str, Summary]
) -> Iterator[str]:
    """Say which rows were computed by code that has changed since, where that can be known."""
    from mlbench.environment import library_versions
    from mlbench.number_text import counted, listed, were

    found = _rows_of_other_code(results, plan, rows)
    ran = {row.method for row in rows.values()}
    absent = [(f"{path}: is not there", method) for method, path in _absent_code(results, plan)]
    unknown: dict[str, dict[str, None]] = {}
    for reason, method in (*absent, *found.unknown):
        if method in ran:
            unknown.setdefault(reason, {})[method] = None
    for reason, methods in unknown.items():
        yield f"{reason}, so whether the code of {listed([*methods])} has changed is not known"
    for name, here in library_versions().items():
        versions = [row.environment.get(name, here) for row in rows.values()]
        others = [version for version in versions if version != here]
        if others:
            yield (
                f"{counted(len(others), 'row')} {were(len(others))} computed with another version "
                f"of {name} ({', '.join(sorted({*others}))}; here {here}); "
                "`mlbench run CONFIG --rerun-changed` runs them again"
            )
    taken_up = _cells_taken_up(results, plan) if found.rows.keys() & found.of_users else set()
    for (method, name), keys in found.rows.items():
        if (method, name) not in found.of_users:
            number = len(keys)
            yield (
                f"{counted(number, 'row')} of {method} {were(number)} computed by different code "
                f"of the same revision ({name}); `mlbench run CONFIG --rerun-changed` runs them "
                "again"
            )
            continue
        there = sum(key in taken_up for key in keys)  # code of the user is part of the key
        for number, what in (
            (len(keys) - there, "`mlbench run CONFIG`, or `mlbench submit`, runs them again"),
            (there, "`mlbench run CONFIG` takes up those of its code now, which are there"),
        ):
            if number:
                yield (
                    f"{counted(number, 'row')} of {method} {were(number)} computed by other code "
                    f"({name}); {what}"
                )


def methods_of_other_code(
    results: Path, plan: StoredPlan, rows: Mapping[str, Summary]
) -> list[str]:
    """Return the methods with rows of other code than their files, or their metrics', have now."""
    found = _rows_of_other_code(results, plan, rows)
    return [
        *dict.fromkeys(method for method, name in found.rows if (method, name) in found.of_users)
    ]


def keys_of_other_code(results: Path, plan: StoredPlan, rows: Mapping[str, Summary]) -> set[str]:
    """Return the keys of rows of other code than their files have now, whose cells run again.

    Without those whose rows of today's code are there.
    """
    found = _rows_of_other_code(results, plan, rows)
    keys = {key for place in found.rows.keys() & found.of_users for key in found.rows[place]}
    return keys - _cells_taken_up(results, plan) if keys else keys


@dataclass(frozen=True)
class _OtherCode:
    """What ran other code than there is today; code has a method and a name."""

    rows: Mapping[tuple[str, str], list[str]]
    """The keys of its rows."""
    of_users: Set[tuple[str, str]]
    """The code that is the user's, and part of keys."""
    unknown: Iterable[tuple[str, str]]
    """Why it cannot be known, and the method."""


def _rows_of_other_code(results: Path, plan: StoredPlan, rows: Mapping[str, Summary]) -> _OtherCode:
    """Compare the code of rows with today's.

    Those of cells that run again, whatever the code is, do not count.
    """
    from mlbench.number_text import listed
    from mlbench.registry.code_hash import current_provenance
    from mlbench.store.row import RUNS_AGAIN

    recorded: dict[tuple[str, str, str], list[str]] = {}
    for _, method, _, key in plan.cells:
        if key in rows and rows[key].status not in RUNS_AGAIN:
            for name, then in rows[key].code.items():
                recorded.setdefault((method, name, then), []).append(key)
    users = _users_code(results, plan, rows.values())
    found: dict[tuple[str, str], list[str]] = {}
    unknown: dict[tuple[str, str], None] = {}
    for (method, name, then), keys in recorded.items():
        if (method, name) not in users:
            now = current_provenance(name, then)
            is_still = None if now is None else now == then
        elif (code := users[method, name]) is None:
            is_still = None
            unknown[f"{name}: is not found", method] = None
        elif (is_still := code.is_still(then)) is None:
            unknown[f"{name}: imports {listed(code.not_found)}, not found here", method] = None
        if is_still is False:
            found.setdefault((method, name), []).extend(keys)
    return _OtherCode(found, users.keys(), [*unknown])


def rows_of_todays_code(
    results: Path, plan: StoredPlan, store: Store, others: Set[str]
) -> dict[str, str]:
    """Return the rows of no cell that are of the code that a user's files have now.

    They count again in the next run, as when a file was edited, run, and then restored.

    Parameters
    ----------
    results : Path
    plan : StoredPlan
    store : Store
    others : set of str
        The keys of the rows of no cell.

    Returns
    -------
    dict of str to str
        Their keys, by those of the cells which take them up.
    """
    from mlbench.store.plain_values import differing_values
    from mlbench.store.row import RUNS_AGAIN

    if not others:
        return {}
    rows = store.summaries({cell.key for cell in plan.cells} | others).rows
    users = _users_code(results, plan, rows.values())
    cells = {cell[:3]: rows.get(cell.key) for cell in plan.cells}
    found = {}
    for key in others & rows.keys():
        row = rows[key]
        then = cells.get((row.dataset, row.method, row.split))
        if then is None or then.code == row.code or row.status in RUNS_AGAIN:
            continue
        parts = (path for path, _, _ in differing_values(then.identity, row.identity))
        own = [(name, code) for name, code in row.code.items() if (row.method, name) in users]
        is_todays = bool(own) and all(
            (now := users[row.method, name]) is not None and now.provenance == code
            for name, code in own
        )
        if is_todays and all(path.rpartition(".")[2] == "code" for path in parts):
            found[then.key] = key
    return found


def _cells_taken_up(results: Path, plan: StoredPlan) -> Set[str]:
    """Return the keys of cells whose rows of today's code are there, though of no cell."""
    from mlbench.store import Store

    store = Store(results)
    others = store.keys() - {cell.key for cell in plan.cells}
    return rows_of_todays_code(results, plan, store, others).keys()


def _users_code(
    results: Path, plan: StoredPlan, rows: Iterable[Summary]
) -> dict[tuple[str, str], CodeNow | None]:
    """Return the code that a user's files and modules have now, None for one that is not found.

    By method and by the name that rows have for it.
    """
    from mlbench.registry.code_hash import code_of_class, code_of_file, is_of_users_module

    files = _files_of_code(results, plan)
    of_files = {path: code_of_file(path) for path in dict.fromkeys(files.values())}
    found: dict[tuple[str, str], CodeNow | None] = {
        place: of_files[path] for place, path in files.items()
    }
    named = {(row.method, name, code) for row in rows for name, code in row.code.items()}
    for method, name, code in sorted(named):
        if (method, name) not in found and is_of_users_module(name, code):
            found[method, name] = code_of_class(name)
    return found


def _files_of_code(results: Path, plan: StoredPlan) -> dict[tuple[str, str], Path]:
    """Return the user's files that are there, by method and by the name that rows have for them."""
    from mlbench.registry.loading import is_file_target

    folder = Path() if plan.folder is None else results / plan.folder
    experiment = plan.experiment
    found = {}
    for method, settings in experiment.methods.items():
        for target in filter(
            is_file_target, [*experiment.metrics, *texts_in(settings.model_dump())]
        ):
            file, _, name = target.rpartition(":")
            path = (folder / file).expanduser()
            if path.is_file():
                found[method, f"{path.name}:{name}"] = found[method, target] = path
    return found


def _absent_code(results: Path, plan: StoredPlan) -> Iterator[tuple[str, Path]]:
    """Yield the user's files that are not there, each with its method."""
    from mlbench.registry.loading import is_file_target

    if plan.folder is None:  # made in Python: its files are not known by their folder
        return
    folder = results / plan.folder
    for method, settings in plan.experiment.methods.items():
        for target in filter(is_file_target, texts_in(settings.model_dump())):
            path = (folder / target.rpartition(":")[0]).expanduser()
            if not path.is_file():
                yield method, Path(normpath(path))


def warn_of_other_code(results: Path, folder: Results) -> None:
    """Say which methods' rows are of other code than their files have now."""
    from mlbench.number_text import listed

    changed = methods_of_other_code(results, folder.plan, folder.own_rows)
    if changed and folder.source == "run":
        click.echo(
            f"warning: rows of {listed(changed)} are of other code than their files have now; see "
            f"mlbench status {results}",
            err=True,
        )


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(item)
