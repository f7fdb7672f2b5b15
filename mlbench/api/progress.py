"""Progress on standard error: a bar on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from mlbench.escape_controls import escape_controls
from mlbench.number_text import duration
from mlbench.store.row import GIVEN_UP

if TYPE_CHECKING:
    from mlbench.executors.events import Event, Finished
    from mlbench.plan import Cell
    from mlbench.plan.cost import CostModel, RemainingWork

_LINE_EVERY_SECONDS = 10.0
_HEARTBEAT_SECONDS = 60.0
_BAR_EVERY_SECONDS = 0.5
_BAR_WIDTH = 20


class RunProgress:
    """Shows how many cells are done, what runs now, and how long it will take.

    Parameters
    ----------
    cells : list of Cell
        The cells to run.
    costs : CostModel
        Updated with every cell that finishes.
    jobs : int
    quiet : bool
        Show only failures.
    stream : file
        Where to show it. Names are escaped here, so it may be a bare terminal.
    """

    def __init__(
        self, cells: list[Cell], costs: CostModel, jobs: int, quiet: bool, stream: TextIO
    ) -> None:
        self.failed = 0
        self.done = 0
        self._left = Counter(map(costs.group, cells))
        self._running: dict[str, tuple[Cell, float]] = {}
        self._at: dict[str, str] = {}
        self._given_up: set[tuple[str, str]] = set()
        self._total = len(cells)
        self._costs = costs
        self._jobs = jobs
        self._quiet = quiet
        self._start = self._last_shown = time.monotonic()
        self._console = Console(file=stream, highlight=False, soft_wrap=True, force_jupyter=False)
        self._bar = Progress(
            BarColumn(_BAR_WIDTH),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rest]}", markup=False),
            console=self._console,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("cells", total=self._total, rest="")

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, event: Event) -> None:
        """Show an event of the executor."""
        from mlbench.executors.events import Advanced, Finished, Retried, Started

        if isinstance(event, Started):
            self._running[event.cell.key] = event.cell, time.monotonic()
        elif isinstance(event, Advanced):
            self._at[event.cell.key] = event.at
        elif isinstance(event, Retried):
            self.warn(f"{event.cell.name}: {event.why}; it runs once more")
        elif isinstance(event, Finished):
            self._finish(event)
        self._refresh(ended=isinstance(event, Finished))

    def _refresh(self, ended: bool) -> None:
        """Show the state, but not more often than it can be read."""
        if self._quiet:
            return
        now, last = time.monotonic(), self.done == self._total
        silent = now - self._last_shown
        if self._console.is_terminal:
            if last or silent > _BAR_EVERY_SECONDS:
                self._last_shown = now
                self._bar.update(self._task, completed=self.done, rest=self._rest(self._room))
        elif silent >= _HEARTBEAT_SECONDS or (ended and (last or silent > _LINE_EVERY_SECONDS)):
            self._last_shown = now
            self.warn(f"{self.done}/{self._total} cells, {self._rest()}")

    def _finish(self, event: Finished) -> None:
        self._running.pop(event.cell.key, None)
        self._at.pop(event.cell.key, None)
        self._left[self._costs.group(event.cell)] -= 1
        self.done += 1
        if event.status == "ok":
            self._costs.observe(event.cell, event.seconds)
        else:
            self.failed += 1
            self._tell_failure(event.cell, event.status, event.message)

    def _tell_failure(self, cell: Cell, status: str, message: str) -> None:
        """Name a failed cell, and a method that is given up once for each data set."""
        name, pair = cell.name, (cell.dataset, cell.method)
        if status == GIVEN_UP:
            if pair in self._given_up:
                return
            self._given_up.add(pair)
            name = f"{cell.dataset}/{cell.method}, the rest"
        self.warn(f"{name}: {status}: {message}")

    def say(self, line: str) -> None:
        """Show a line above the bar, unless only failures are to be shown."""
        if not self._quiet:
            self.warn(line)

    def warn(self, line: str) -> None:
        """Show a line above the bar, whatever else is to be shown."""
        self._console.print(escape_controls(line), markup=False)

    @property
    def _room(self) -> int:
        """The characters left for words after the bar and the numbers of cells."""
        return self._console.width - _BAR_WIDTH - 2 * len(f" {self._total}")

    def _rest(self, room: int | None = None) -> str:
        """Return the words after the numbers; parts that do not fit are left out."""
        elapsed = duration(time.monotonic() - self._start)
        if self.done == self._total:
            return f"{elapsed} in total"
        words, more = f"{elapsed} elapsed", []
        if (rest := self._costs.remaining(self._left)) is not None:
            left = {group.method for group, count in self._left.items() if count}
            if 2 * len(rest.guessed) > len(left):
                more.append(f", time left unknown (nothing finished yet of {_some(rest.guessed)})")
            else:
                seconds = (rest.seconds - self._under_way()) / self._jobs
                words += f", about {duration(seconds)} left"
                more.append(guessed(rest))
        if self._running:
            first = next(iter(self._running.values()))[0]
            more.append(f", now {escape_controls(first.name)}")
            if at := self._at.get(first.key):
                more.append(f": {at}")
        for each in more:
            if room is None or len(words + each) < room:
                words += each
        return words

    def _under_way(self) -> float:
        """Return how much of the work that is left running cells have done already."""
        now = time.monotonic()
        return sum(
            min(now - since, self._costs.seconds(cell) or 0.0)
            for cell, since in self._running.values()
        )


def guessed(rest: RemainingWork) -> str:
    """Name the methods whose estimate rests on the times of other methods."""
    if not rest.guessed:
        return ""
    return f" (guessed by the data's size for {_some(rest.guessed)})"


def _some(methods: tuple[str, ...]) -> str:
    return ", ".join(methods) if len(methods) < 4 else f"{len(methods)} methods"
