"""The command line. Each command is a module of its own, imported when it is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NoReturn

import click

from mlbench.cli.streams import guarded_streams
from mlbench.errors import MlbenchError

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("mlbench.cli.init:init", "Write a first experiment for a data file."),
    "run": ("mlbench.cli.run:run", "Run the missing cells of an experiment; print its tables."),
    "plan": ("mlbench.cli.plan:plan", "List the cells of an experiment; run nothing."),
    "submit": ("mlbench.cli.submit:submit", "Submit an experiment to SLURM as a job array."),
    "status": ("mlbench.cli.status:status", "Show the progress and the failures of a run."),
    "report": ("mlbench.cli.report:report", "Print the tables of a results folder."),
    "leaderboard": (
        "mlbench.cli.leaderboard:leaderboard",
        "Rank the methods of a results folder over its data sets.",
    ),
    "audit": ("mlbench.cli.audit:audit", "Say what could be wrong with the comparisons of a run."),
    "compare": ("mlbench.cli.compare:compare", "Compare two results folders, split by split."),
    "reproduce": (
        "mlbench.cli.reproduce:reproduce",
        "Show results next to the numbers that a paper prints.",
    ),
    "paper": (
        "mlbench.papers.commands:paper",
        "Study a paper: interpretations of its protocol, claims, counts of its numbers.",
    ),
    "figure": ("mlbench.cli.figure:figure", "Draw scores or times of a results folder."),
    "merge": ("mlbench.cli.merge:merge", "Copy the rows of several results folders into one."),
    "pack": ("mlbench.cli.pack:pack", "Pack the rows of a results folder into one file."),
    "prune": ("mlbench.cli.prune:prune", "List or remove rows that belong to no cell any more."),
    "export": ("mlbench.cli.export:export", "Print every number of a results folder as CSV."),
    "rescore": ("mlbench.cli.rescore:rescore", "Print tables from kept predictions; no refit."),
    "check": ("mlbench.cli.check:check", "Check results against a reference, for CI."),
    "why": ("mlbench.cli.why:why", "Explain why a cell would run again."),
    "data": ("mlbench.cli.data:data", "List, show, add, fetch and verify data sets."),
    "methods": ("mlbench.cli.methods:methods", "List, show, write and validate methods."),
    "config": ("mlbench.cli.config:config", "Validate an experiment file; print the schema."),
}

GC_THRESHOLDS = 100_000, 50, 100
"""When to look for cyclic garbage: commands read millions of values that have no cycles."""

CLOSED_PIPE = 128 + 13
"""Exit code where the reader of the output has gone, as shells give it for SIGPIPE."""


class LazyGroup(click.Group):
    """Imports a command when it is called, and prints its errors without a traceback."""

    def main(self, *words: Any, **settings: Any) -> Any:
        """Run a command on streams that let no control characters through."""
        gc.set_threshold(*GC_THRESHOLDS)
        with guarded_streams():
            try:
                return super().main(*words, **settings)
            except MlbenchError as error:  # of --help and --version, which call no command
                _refuse(error)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of typical use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a misspelled one gets a suggestion."""
        from mlbench.spelling import did_you_mean

        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            longer = [f"{group} {name}" for group, name in self._subcommands(ctx)]
            within = [command for command in longer if command.split()[1] == args[0]]
            hint = f" (did you mean {' or '.join(map(repr, within))}?)" if within else ""
            hint = hint or did_you_mean(args[0], COMMANDS)
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def _subcommands(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        for name in COMMANDS:
            command = self.get_command(ctx, name)
            if isinstance(command, click.Group):
                yield from ((name, each) for each in command.list_commands(ctx))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; an error that the user can fix ends with exit code 2."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except MlbenchError as error:
            _refuse(error)
        except (BrokenPipeError, SystemExit) as error:
            # rich exits with 1 where a pipe is closed
            if not any(isinstance(e, BrokenPipeError) for e in (error, error.__context__)):
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(CLOSED_PIPE)
        except OSError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(1)
        except KeyboardInterrupt:
            click.echo("interrupted; finished cells are kept", err=True)
            os._exit(130)  # an interrupt inside an import may turn sys.exit into a kill


def _refuse(error: MlbenchError) -> NoReturn:
    click.echo(f"error: {error}", err=True)
    sys.exit(2)


@click.command(
    cls=LazyGroup,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "color": True,  # else click drops codes that are to be escaped
    },
    epilog="Start with: mlbench run quickstart, or mlbench init YOUR-FILE",
)
@click.version_option(package_name="mlbench-multilabel", prog_name="mlbench")
def main() -> None:
    """Benchmark multi-label and multi-task methods: from a YAML experiment to tables with tests.

    An experiment is a table of independent cells: one method on one split of one data set.
    `run` fills the table and resumes where it stopped; `report` prints it.

    Exit codes: 0 success, 1 not all was done (of `run`, `report` and `rescore`: cells failed or
    are missing), 2 wrong usage or input, 3 numbers differ from a reference or a paper, 75 stopped
    on request with cells left, 130 interrupted (by Ctrl-C, or `run` by SIGTERM), 141 the reader of
    the output has gone (`| head`).
    """
