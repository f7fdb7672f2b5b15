"""What is said of the time that is left."""

from __future__ import annotations

import io
import re
import sys
import time
from types import SimpleNamespace

import pytest

from mlbench.api.progress import RunProgress
from mlbench.executors.events import Advanced, Finished, Started, Waited
from mlbench.plan.cost import Group, RemainingWork


@pytest.fixture
def progress(monkeypatch):
    """Progress over two cells, of which each takes 60 s, and a clock that is set by hand."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    costs = SimpleNamespace(
        group=lambda cell: Group("digits", cell.method, False),
        observe=lambda *_: None,
        seconds=lambda _: 60.0,
        remaining=lambda left: RemainingWork(
            60.0 * left.total(), tuple(g.method for g in left if g.method == "B" and left[g])
        ),
    )
    cells = [SimpleNamespace(key=m, method=m, name=f"digits/{m}/0") for m in "AB"]
    progress = RunProgress(cells, costs, 1, False, sys.stderr)
    return progress, cells, clock


def test_what_a_running_cell_has_done_is_not_left_and_guesses_are_named(progress, capsys):
    progress, (a, _), clock = progress
    progress.show(Started(a))
    clock.now = 20.0
    assert progress._rest() == (
        "20 s elapsed, about 2 min left (guessed by the data's size for B), now digits/A/0"
    )
    clock.now = 90.0  # it takes longer than expected
    assert "about 60 s left" in progress._rest()


def test_while_most_methods_have_not_run_no_time_left_is_told(progress):
    progress, (a, _), clock = progress
    progress._costs.remaining = lambda left: RemainingWork(
        60.0 * left.total(), tuple(group.method for group in left if left[group])
    )
    progress.show(Started(a))
    clock.now = 20.0
    assert progress._rest() == (
        "20 s elapsed, time left unknown (nothing finished yet of A, B), now digits/A/0"
    )


def test_without_a_terminal_a_minute_of_silence_is_broken(progress):
    progress, (a, b), clock = progress
    progress._costs.remaining = lambda _: None
    progress._console.file = shown = io.StringIO()
    progress.show(Started(a))
    for clock.now in (59.0, 60.0, 70.0, 119.0, 120.0):
        progress.show(Waited())
    clock.now = 125.0
    progress.show(Finished(a, "ok", 125.0))
    clock.now = 179.0
    for event in (Waited(), Finished(b, "ok", 54.0), Waited()):
        progress.show(event)
    assert shown.getvalue().splitlines() == [
        "0/2 cells, 60 s elapsed, now digits/A/0",
        "0/2 cells, 2 min elapsed, now digits/A/0",
        "2/2 cells, 3 min in total",
    ]


def test_how_far_the_first_running_cell_is_stands_behind_its_name(progress, capsys):
    progress, (a, b), _ = progress
    for event in (Started(a), Started(b), Advanced(b, "fold 1 of 3"), Advanced(a, "final fit")):
        progress.show(event)
    assert progress._rest().endswith("now digits/A/0: final fit")
    assert not progress._rest(room=55).endswith("final fit")
    progress.show(Finished(a, "ok", 1.0))
    assert progress._rest().endswith("now digits/B/0: fold 1 of 3")
    assert "fold" not in capsys.readouterr().err


def test_beside_a_bar_there_is_what_fits(progress):
    progress, (a, _), clock = progress
    progress.show(Started(a))
    clock.now = 20.0
    whole = progress._rest()
    assert progress._rest(room=len(whole) + 1) == whole
    assert progress._rest(room=60) == "20 s elapsed, about 2 min left, now digits/A/0"
    assert progress._rest(room=40) == "20 s elapsed, about 2 min left"


def test_a_bar_takes_no_more_than_a_line_of_a_terminal(monkeypatch):
    """Each state is a line of its own: what is cut would end in an ellipsis."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    stream = io.StringIO()
    stream.isatty = lambda: True
    costs = SimpleNamespace(
        group=lambda cell: Group("digits", cell.method, False),
        seconds=lambda _: 60.0,
        remaining=lambda left: RemainingWork(60.0 * left.total(), ()),
    )
    cells = [
        SimpleNamespace(key=str(i), method="m", name=f"emotions/method {i}/0") for i in range(900)
    ]
    with RunProgress(cells, costs, 1, False, stream) as progress:
        progress._last_shown = -1e9
        progress.show(Started(cells[0]))
    lines = re.split(r"[\r\n]", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue()))
    assert max(map(len, lines)) <= 80
    assert "…" not in stream.getvalue()
    assert any(re.search(r"0/900 \S+ s elapsed, about 15.0 h left", line) for line in lines)


def test_in_a_notebook_lines_go_to_the_stream_too(monkeypatch):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    costs = SimpleNamespace(group=lambda cell: cell.method)
    stream = io.StringIO()
    RunProgress([], costs, 1, False, stream)._console.print("one line")
    assert stream.getvalue() == "one line\n"
