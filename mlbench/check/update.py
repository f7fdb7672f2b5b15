"""Update a reference, and record the reason."""

from __future__ import annotations

from datetime import UTC, datetime

from mlbench.check.compare import ReferenceCheck, compare_with_reference
from mlbench.check.report import drift_line, moved_line, what_changed
from mlbench.environment import behind_scores
from mlbench.errors import StoreError
from mlbench.results.reference import Change, Reference
from mlbench.results.results import Results


def updated(old: Reference, new: Reference, check: ReferenceCheck, reason: str) -> Reference:
    """Return a new reference with the history of the old one.

    Parameters
    ----------
    old, new : Reference
    check : Check
        What differs between the two.
    reason : str
        Why the numbers may change.

    Raises
    ------
    StoreError
        If cells that the experiment still has were lost, or new ones have not run: a reference
        that forgets them would never ask for them again.
    """
    if lost := [each for each in check.lost if each.planned]:
        raise StoreError(
            "the reference is not updated while cells are lost: " + "; ".join(map(str, lost))
        )
    if absent := [each for each in check.added if not each.has_run]:
        raise StoreError(
            "the reference is not updated before all cells have run: " + "; ".join(map(str, absent))
        )
    entry = change_entry(old, new, check, reason)
    return new.model_copy(update={"history": [*old.history, entry]})


def exported_anew(old: Reference, new: Reference, folder: Results) -> Reference:
    """Return the reference of a folder that is exported again, with the history of the old one.

    Numbers that are others than before get an entry, whose reason is the export.
    """
    metrics = [name for name in old.metrics if name in new.metrics]
    check = compare_with_reference(old.model_copy(update={"metrics": metrics}), folder)
    history = list(old.history)
    if check.of("moved") or check.of("drifted") or check.lost:
        history.append(change_entry(old, new, check, "exported anew"))
    return new.model_copy(update={"history": history})


def agrees(reference: Reference, folder: Results) -> bool:
    """Return whether a reference is that of results: each of its cells is there and the same."""
    return compare_with_reference(reference, folder).is_all_the_same


def change_entry(old: Reference, new: Reference, check: ReferenceCheck, reason: str) -> Change:
    """Return what the history says of a change."""
    changes = [moved_line(number) for number in check.of("moved")]
    changes += drift_line(check)
    renamed = {name for pair in check.renamed for name in pair}
    changes += [str(each) for each in check.lost if "/".join(each.series) not in renamed]
    changes += [str(each).replace("not in the reference", "added") for each in check.added]
    changes += [
        f"{number.name}: new"
        for number in check.of("new")
        if f"{number.dataset}/{number.method}" not in renamed
    ]
    changes += [f"{was} is called {now}" for was, now in check.renamed]
    changed = [*what_changed(check)]
    if new.metrics != old.metrics:
        changed.append(f"Metrics: {', '.join(old.metrics)} -> {', '.join(new.metrics)}.")
    return Change(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        reason=reason,
        versions=behind_scores(next(iter(new.environments), {})),
        moved=changes,
        changed=changed,
    )
