"""Former names of commands: the error names the new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from mlbench.errors import MlbenchError


class RenamingGroup(click.Group):
    """A group of commands, some of which had other names.

    Parameters
    ----------
    renamed : mapping of str to str
        The new name by the old one.
    """

    def __init__(self, *words: Any, renamed: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*words, **settings)
        self.renamed = renamed

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a former name is an error that names the new one."""
        if args and args[0] in self.renamed:
            path = ctx.command_path
            raise MlbenchError(f"`{path} {args[0]}` is now `{path} {self.renamed[args[0]]}`")
        return super().resolve_command(ctx, args)
