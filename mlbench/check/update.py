"""Update a reference, and record the reason."""

from __future__ import annotations

from datetime import UTC, datetime

from mlbench.check.compare import ReferenceCheck
from mlbench.check.report import moved_line, what_changed
from mlbench.environment import behind_scores
from mlbench.errors import StoreError
from mlbench.results.reference import Change, Reference


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
        If cells that the experiment still has are missing or failed: a reference that forgets
        them would never ask for them again.
    """
    if lost := [each for each in check.lost if each.planned]:
        raise StoreError(
            "the reference is not updated while cells are lost: " + "; ".join(map(str, lost))
        )
    changes = [moved_line(number) for number in check.of("moved")]
    changes += [str(each) for each in check.lost]
    changes += [f"{number.name}: new" for number in check.of("new")]
    entry = Change(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        reason=reason,
        versions=behind_scores(next(iter(new.environments), {})),
        moved=changes,
        changed=[*what_changed(check)],
    )
    return new.model_copy(update={"history": [*old.history, entry]})
