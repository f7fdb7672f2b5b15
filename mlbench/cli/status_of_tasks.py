"""What ``mlbench status`` says of the tasks of SLURM."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mlbench.executors.slurm import QueuedArray


_REASONS = {
    "BeginTime": "SLURM holds tasks that were queued again, as those stopped before their limit, "
    "for about two minutes, and others until the time that was asked for (--begin)",
    "PartitionConfig": "no node of the partition can take these tasks, so they never start: cancel "
    "them, and ask for less",
    "JobHeldUser": "they start once somebody releases them (scontrol release)",
}
"""What reasons of SLURM mean that ask for something, or for nothing."""


def say_queue(queued: Collection[QueuedArray] | None) -> None:
    """Say what is in the queue, and why it waits; None is what is not known."""
    from mlbench.executors.slurm import why_unknown

    if queued is None:
        click.echo(why_unknown())
    for array in queued or ():
        reasons = f" ({', '.join(array.reasons)})" if array.reasons else ""
        states = ", ".join(
            f"{n} {state}{reasons if state == 'pending' else ''}"
            for state, n in sorted(array.states.items())
        )
        click.echo(f"SLURM job {array.job}: {states}")
        for reason in array.reasons:
            if reason in _REASONS:
                click.echo(f"  {reason}: {_REASONS[reason]}")


def say_ended(ended: Mapping[str, Sequence[Path]], queued: Collection[QueuedArray] | None) -> None:
    """Say how tasks ended before their work was done, and what to do."""
    from mlbench.executors.slurm import SETUP_FAILED
    from mlbench.number_text import counted

    for end, logs in ended.items():
        first = logs[0] if logs[0].exists() else logs[0].stem
        click.echo(f"{counted(len(logs), 'task')} of SLURM ended {end}")
        click.echo(f"  {first}" + (f" and {len(logs) - 1} more" if len(logs) > 1 else ""))
    waiting = {f"{array.job}_{task}" for array in queued or () for task in array.tasks}
    if {log.stem for logs in ended.values() for log in logs} - waiting:
        other = " with another --setup" if any(SETUP_FAILED in end for end in ended) else ""
        when = ", once the queue here is empty," if queued or queued is None else ""
        click.echo(f"submit again{other}{when} to run what is left")


def say_tasks(results: Path) -> bool:
    """Say of a folder in which nothing has run what its tasks do; return whether it has any.

    Arrays whose script somebody gave to sbatch write the plan once they run.
    """
    if any((results / name).exists() for name in ("plan.json", "rows")):
        return False
    from mlbench.executors.slurm import queued_arrays
    from mlbench.executors.slurm_logs import ended_tasks

    queue = queued_arrays(results)
    ended = ended_tasks(results, queue)
    if not queue and not ended:
        return False
    click.echo(f"{results}: no cell has run here yet")
    say_queue(queue)
    say_ended(ended, queue)
    return True
