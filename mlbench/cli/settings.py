"""Settings on the command line: ``--set KEY=VALUE``, with VALUE in YAML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of all ``KEY=VALUE``.

    Raises
    ------
    click.BadParameter
        If a text has no key or no valid YAML, or a key occurs twice.
    """
    from mlbench.errors import ConfigError
    from mlbench.yaml_loader import parse_yaml

    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise click.BadParameter(f"{text!r}: write KEY=VALUE", param_hint="--set")
        if key in settings:
            raise click.BadParameter(f"{key!r} is set twice; keep one", param_hint="--set")
        try:
            settings[key] = parse_yaml(value, Path(key)).value
        except ConfigError as error:
            raise click.BadParameter(
                f"{text!r} cannot be read: {error}", param_hint="--set"
            ) from None
    return settings
