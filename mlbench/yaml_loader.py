"""Strict YAML: a loader that knows where every value stands, and a writer for it.

Plain YAML 1.1 reads ``1e-3`` as text, ``no`` as a boolean, ``010`` as eight and ``1:30`` as
ninety, and lets a repeated key win in silence. Here numbers are what they look like, only
``true`` and ``false`` are booleans, and a repeated key is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mlbench.errors import ConfigError

Location = tuple[str | int, ...]

_MOST_NODES = 100_000
_DEEPEST = 50


@dataclass(frozen=True)
class Source:
    """A YAML file, its values, and the line and column of each of them.

    ``origins`` names those that come from elsewhere.
    """

    path: Path
    text: str
    value: Any
    positions: Mapping[Location, tuple[int, int]] = field(repr=False)
    origins: Mapping[Location, str] = field(default_factory=dict, repr=False)

    def at(self, *location: str | int) -> str:
        """Return ``file:line:column`` of a value, or of the nearest one that holds it.

        For a value that does not come from the file, return where it comes from.
        """
        while location and location not in self.positions:
            if location in self.origins:
                return self.origins[location]
            location = location[:-1]
        line, column = self.positions.get(location, (1, 1))
        return f"{self.path}:{line}:{column}"


class _StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader with the scalars of YAML 1.2."""


_StrictLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in [
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
    ),
]:
    _StrictLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), [*_first, ""]
    )


class _StrictDumper(yaml.SafeDumper):
    """Quotes whatever either the strict loader or plain YAML would not read as text."""


_StrictDumper.yaml_implicit_resolvers = {
    first: [
        *yaml.SafeDumper.yaml_implicit_resolvers.get(first, ()),
        *_StrictLoader.yaml_implicit_resolvers.get(first, ()),
    ]
    for first in {*yaml.SafeDumper.yaml_implicit_resolvers, *_StrictLoader.yaml_implicit_resolvers}
}


def dump_yaml(value: Mapping[str, Any]) -> str:
    """Return plain values as YAML that `parse_yaml` reads as what they were."""
    text: str = yaml.dump(dict(value), Dumper=_StrictDumper, sort_keys=False, allow_unicode=True)
    return text


_TAGS: dict[type[yaml.Node], set[str]] = {
    yaml.MappingNode: {"tag:yaml.org,2002:map"},
    yaml.SequenceNode: {"tag:yaml.org,2002:seq"},
    yaml.ScalarNode: {
        f"tag:yaml.org,2002:{kind}" for kind in ("str", "bool", "null", "int", "float")
    },
}


def _decimal(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(loader.construct_scalar(node))


def _real(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    return float(
        loader.construct_scalar(node).lower().replace(".inf", "inf").replace(".nan", "nan")
    )


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _decimal)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _real)


def load_yaml(path: Path) -> Source:
    """Read a YAML file.

    Raises
    ------
    ConfigError
        If the file cannot be read, is no valid YAML, repeats a key, or uses a feature
        (merge keys, tags of special types) which a configuration does not need.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text file in UTF-8 ({error.reason})") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    return parse_yaml(text, path)


def parse_yaml(text: str, path: Path) -> Source:
    """Read YAML from a text; ``path`` is what errors call it.

    Raises
    ------
    ConfigError
        As for `load_yaml`.
    """
    positions: dict[Location, tuple[int, int]] = {}
    try:
        loader = _StrictLoader(text)
        node = loader.get_single_node()
        value = _Walk(loader, path, positions).value(node, ()) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise ConfigError(f"{where}: not valid YAML: {_in_words(error)}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested more than {_DEEPEST} levels deep") from None
    except (ValueError, OverflowError) as error:  # numbers in escapes and directives
        raise ConfigError(f"{path}: not valid YAML: {error}") from None
    return Source(path, text, value, positions)


def _in_words(error: yaml.MarkedYAMLError) -> str:
    """Say what is wrong with the text, in the words of one who writes it."""
    problem, mark = error.problem or error.context or "", error.problem_mark
    line = f"line {mark.line + 1}" if mark else "a line"
    if problem.startswith("found character '\\t'"):
        return f"{line} is indented with a tab; use spaces, not tabs"
    if problem.startswith("found character"):
        character = problem.removeprefix("found character ").partition(" that")[0]
        return f"a text cannot start with {character}; put the text in quotes"
    if problem.startswith("expected <block end>"):
        return (
            f"{line} is not indented like the lines beside it, or is a `- item` among "
            "`key: value` lines (or the other way round)"
        )
    if problem.startswith("mapping values are not allowed"):
        return (
            f"{line} has a ': ' where no key can stand: it is indented more than the lines beside "
            "it, or the text before or around it needs quotes"
        )
    if problem.startswith(("expected ',' or ']'", "expected ',' or '}'")) and error.context_mark:
        opened = error.context_mark.line + 1
        missing = problem.removeprefix("expected ").partition(", but")[0]
        return f"the bracket that opens on line {opened} is not closed: {missing} is missing"
    return problem


class _Walk:
    """Turns nodes into plain values and notes where each stands."""

    def __init__(
        self, loader: _StrictLoader, path: Path, positions: dict[Location, tuple[int, int]]
    ) -> None:
        self.loader = loader
        self.path = path
        self.positions = positions

    def value(self, node: yaml.Node, location: Location) -> Any:
        mark = node.start_mark
        self.positions[location] = (mark.line + 1, mark.column + 1)
        if len(self.positions) > _MOST_NODES:
            raise ConfigError(
                f"{self.path}: more than {_MOST_NODES} values; aliases expand too far"
            )
        if len(location) > _DEEPEST:
            raise ConfigError(f"{self._at(node)}: nested more than {_DEEPEST} levels deep")
        self._refuse_tag(node)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*location, i)) for i, child in enumerate(node.value)]
        self._refuse_half_characters(node)
        try:
            return self.loader.construct_object(node)
        except (ValueError, KeyError) as error:
            raise ConfigError(f"{self._at(node)}: not a value that can be read: {error}") from None

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str | int, Any]:
        result: dict[str | int, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(f"{self._at(key_node)}: a key must be a plain word")
            self._refuse_tag(key_node)
            self._refuse_half_characters(key_node)
            key: str = key_node.value
            if key == "<<":
                raise ConfigError(f"{self._at(key_node)}: merge keys (<<) are not supported")
            if key in result:
                first = self.positions[(*location, key)][0]
                raise ConfigError(
                    f"{self._at(key_node)}: {'.'.join(map(str, (*location, key)))}: "
                    f"this key is already on line {first}"
                )
            result[key] = self.value(value_node, (*location, key))
            mark = key_node.start_mark
            self.positions[(*location, key)] = (mark.line + 1, mark.column + 1)
        return result

    def _refuse_tag(self, node: yaml.Node) -> None:
        if node.tag not in _TAGS[type(node)]:
            raise ConfigError(f"{self._at(node)}: the tag {node.tag!r} is not supported here")

    def _refuse_half_characters(self, node: yaml.Node) -> None:
        if any("\ud800" <= character <= "\udfff" for character in node.value):
            raise ConfigError(f"{self._at(node)}: {node.value!r} holds half of a character")

    def _at(self, node: yaml.Node) -> str:
        return f"{self.path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"
