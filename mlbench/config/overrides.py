"""Values of an experiment overridden on the command line: ``protocol.splits.repeats=3``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlbench.config.acceptance import accept_nothing_of_added
from mlbench.config.not_on import without_absent
from mlbench.config.parameter_keys import has_typed_keys
from mlbench.config.schema import QUICK
from mlbench.errors import ConfigError
from mlbench.yaml_loader import Location, YamlDocument, dump_yaml, parse_yaml

_PART = r"""\s*(?:"[^"]*"|'[^']*'|[^."'=\s][^.=]*)\s*"""
_KEY = re.compile(rf"{_PART}(?:\.{_PART})*")
_SETTING = re.compile(rf"({_KEY.pattern})=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Setting:
    """A value that an experiment gets in place of its own."""

    parts: tuple[str, ...]
    """Of the key; a number picks an entry of a list."""
    value: Any
    option: str
    """``--set KEY=VALUE``, or ``--quick``."""
    origin: str = ""
    """Where it stands in the file, if it does."""

    @property
    def place(self) -> str:
        """How messages name it."""
        return self.origin or self.option

    @classmethod
    def parse(cls, text: str) -> Setting:
        """Return the setting of ``KEY=VALUE``, with VALUE in YAML.

        Dots separate the parts of the key. A part with a dot or ``=`` in it stands in quotes.

        Raises
        ------
        ConfigError
            If it cannot be read.
        """
        found = _SETTING.fullmatch(text)
        if found is None:
            raise ConfigError(
                f"--set {text}: give KEY=VALUE, with dots between the parts of the key "
                "(--set protocol.splits.repeats=3), and quotes around a part that has a dot"
            )
        key, value = found.groups()
        parts = parts_of_key(key)

        def typed(location: Location) -> bool:
            return has_typed_keys((*parts, *location))

        return cls(parts, parse_yaml(value, Path(f"--set {text}"), typed).value, f"--set {text}")


def _quick_settings(source: YamlDocument) -> list[Setting]:
    """Return the overrides that an experiment lists under ``quick:``, and another name."""
    quick = source.value.get("quick")
    if not isinstance(quick, dict) or not quick:
        raise ConfigError(
            f"{source.at()}: has no `quick:`, a mapping of the values that a first try has: "
            "quick: {protocol.splits.repeats: 2}"
        )
    settings = []
    for key, value in quick.items():
        origin = source.at("quick", key)
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ConfigError(f"{origin}: quick.{key}: is no key with dots between its parts")
        settings.append(Setting(parts_of_key(key), value, "--quick", f"{origin}: quick"))
    return [*settings, Setting(("name",), f"{source.value.get('name')}{QUICK}", "--quick")]


def override(
    source: YamlDocument, settings: Sequence[Setting], quick: bool = False
) -> YamlDocument:
    """Return an experiment file with some values overridden.

    Parameters
    ----------
    source : YamlDocument
    settings : sequence of Setting
        Missing keys on the way are created. A data set that they take out is taken out of
        `not_on`, too.
    quick : bool
        Whether to override first what the file lists under ``quick:``.

    Returns
    -------
    YamlDocument
        Its text is an experiment file that starts with the settings as comments. The original
        file does not change.

    Raises
    ------
    ConfigError
        If the key of a setting leads through a value that is not a mapping, or there is no
        ``quick:``.
    """
    if quick:
        settings = [*_quick_settings(source), *settings]
    if not settings:
        return source
    value, positions = deepcopy(source.value), dict(source.positions)
    origins = dict(source.origins)
    for setting in settings:
        location = _put(value, setting)
        for place in [place for place in positions if place[: len(location)] == location]:
            del positions[place]
        ways = [location[:end] for end in range(1, len(location))]
        made = [way for way in ways if way not in positions]
        origins.update(dict.fromkeys([*made, location], setting.place))
    without_absent(value, source.value)
    accept_nothing_of_added(value, source.value)
    if quick:
        del value["quick"]
    options = dict.fromkeys(" ".join(each.option.split()) for each in settings)
    head = "".join(f"# {option}\n" for option in options)
    return YamlDocument(source.path, head + dump_yaml(value), value, positions, origins)


def parts_of_key(key: str) -> tuple[str, ...]:
    """Return the parts of a key between its dots, without their quotes."""
    return tuple(part.strip().strip("\"'") for part in re.findall(_PART, key))


def _key(part: str, mapping: Mapping[Any, Any], typed: bool) -> Any:
    """Return a part of a key with the type that it has, or would have, in the file."""
    if not typed or part in mapping:
        return part
    value = parse_yaml(part, Path("--set")).value
    return value if isinstance(value, int | float | str) else part


def _put(value: Any, setting: Setting) -> Location:
    """Set a value, and return its location."""
    parts, new = setting.parts, setting.value
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
            raise ConfigError(f"{setting.place}: {reached} is {what} in the file, without {part!r}")
        here = here[place]
        location.append(place)
    return tuple(location)
