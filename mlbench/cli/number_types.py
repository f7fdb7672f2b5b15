"""Numbers on the command line, with plain names in messages."""

from __future__ import annotations

import math
from typing import Any

import click


class WholeNumber(click.IntRange):
    """A whole number in a range."""

    name = "whole number"


class Number(click.FloatRange):
    """A finite number in a range."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; NaN and infinity are none."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"must be a finite number, not {number}", param, ctx)
        return number
