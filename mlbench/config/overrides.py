"""Values of an experiment overridden on the command line: ``protocol.splits.repeats=3``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from mlbench.config.parameter_keys import has_typed_keys
from mlbench.errors import ConfigError
from mlbench.yaml_loader import Location, YamlDocument, dump_yaml, parse_yaml


def override(source: YamlDocument, settings: Sequence[str]) -> YamlDocument:
    """Return an experiment file with some values overridden.

    Parameters
    ----------
    source : YamlDocument
    settings : sequence of str
        ``KEY=VALUE`` each: a key with dots between its parts (a number picks an entry of a
        list), and a value in YAML. Missing keys on the way are created.

    Returns
    -------
    YamlDocument
        Its text is an experiment file that starts with the settings as comments. The original
        file does not change.

    Raises
    ------
    ConfigError
        If a setting cannot be read, or its key leads through a value that is not a mapping.
    """
    if not settings:
        return source
    value, positions = deepcopy(source.value), dict(source.positions)
    origins = dict(source.origins)
    for setting in settings:
        parts, new = _parse(setting)
        location = _put(value, parts, new, setting)
        for place in [place for place in positions if place[: len(location)] == location]:
            del positions[place]
        ways = [location[:end] for end in range(1, len(location))]
        made = [way for way in ways if way not in positions]
        origins.update(dict.fromkeys([*made, location], f"--set {setting}"))
    head = "".join(f"# --set {' '.join(setting.split())}\n" for setting in settings)
    return YamlDocument(source.path, head + dump_yaml(value), value, positions, origins)


def _parse(setting: str) -> tuple[tuple[str, ...], Any]:
    key, equals, text = setting.partition("=")
    parts = tuple(part.strip() for part in key.split("."))
    if not equals or not all(parts):
        raise ConfigError(
            f"--set {setting}: give KEY=VALUE, with dots between the parts of the key: "
            "--set protocol.splits.repeats=3"
        )

    def typed(location: Location) -> bool:
        return has_typed_keys((*parts, *location))

    return parts, parse_yaml(text, Path(f"--set {setting}"), typed).value


def _key(part: str, mapping: Mapping[Any, Any], typed: bool) -> Any:
    """Return a part of a key with the type that it has, or would have, in the file."""
    if not typed or part in mapping:
        return part
    value = parse_yaml(part, Path("--set")).value
    return value if isinstance(value, int | float | str) else part


def _put(value: Any, parts: Sequence[str], new: Any, setting: str) -> Location:
    """Set a value, and return its location."""
    here, location, place = value, list[Any](), None
    for depth, part in enumerate(parts):
        last = depth == len(parts) - 1
        if isinstance(here, dict):
            place = _key(part, here, typed=has_typed_keys(tuple(parts[:depth])))
            if last:
                here[place] = new
            elif here.get(place) is None:
                here[place] = {}
        elif isinstance(here, list) and part.isdecimal() and int(part) < len(here):
            place = int(part)
            if last:
                here[place] = new
        else:
            reached = ".".join(parts[:depth])
            what = f"a list of {len(here)}" if isinstance(here, list) else repr(here)
            raise ConfigError(f"--set {setting}: {reached} is {what} in the file, without {part!r}")
        here = here[place]
        location.append(place)
    return tuple(location)
