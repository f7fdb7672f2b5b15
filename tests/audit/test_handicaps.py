"""Which of two methods departs from what both could share."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from mlbench.audit.handicaps import departs


@pytest.mark.parametrize(
    ("own", "taken_over", "side"),
    [
        (["behind"], [], "{handicapped}"),
        (["ahead"], [], ""),
        (["ahead"], ["behind"], "{other}"),
        (["behind"], ["behind"], ""),
        (["ahead", "behind"], [], ""),
        ([], ["behind"], ""),
    ],
)
def test_the_rival_departs_where_the_handicapped_one_cannot_be_changed(own, taken_over, side):
    names = ("ahead", "behind")
    stated = {name: SimpleNamespace(scoring="f1" if name in own else None) for name in names}
    plan = SimpleNamespace(experiment=SimpleNamespace(methods=stated))
    origins = {name: "arena" if name in taken_over else None for name in names}
    facts = SimpleNamespace(results=SimpleNamespace(plan=plan, origins=origins))
    handicapped, other = (SimpleNamespace(name=name) for name in ("behind", "ahead"))
    case = SimpleNamespace(handicapped=handicapped, other=other)
    assert departs(case, "scoring", facts) == side
