"""A strict YAML loader that records the position of every value, and a matching writer.

Plain YAML 1.1 reads ``1e-3`` as text, ``no`` as a boolean, ``010`` as eight and ``1:30`` as
ninety, and silently uses the last of repeated keys. Here numbers are what they look like, only
``true`` and ``false`` are booleans, and a repeated key is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from mlbench.errors import ConfigError
from mlbench.plain_files import read_plain_text

Location = tuple[Any, ...]
"""The keys and positions that lead to a value."""
Problem = tuple[Location, str]
"""Where something is wrong, and what."""

YamlValue: TypeAlias = Any
"""A mapping, a list, a text, a number, a boolean, or None."""

MAX_DIGITS = 308
"""Of whole numbers: larger ones are no floats, so no result could hold them."""
_MAX_NODES = 100_000
_MAX_DEPTH = 50


@dataclass(frozen=True)
class YamlDocument:
    """A YAML file: its text, its value, and the line and column of each nested value.

    ``origins`` says where values come from that are not in the file.
    """

    path: Path
    text: str
    value: YamlValue
    positions: Mapping[Location, tuple[int, int]] = field(repr=False)
    origins: Mapping[Location, str] = field(default_factory=dict, repr=False)

    def at(self, *location: str | int) -> str:
        """Return ``file:line:column`` of a value, or of the nearest value that contains it.

        For a value that is not from the file, return its origin.
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
    """Quotes texts that the strict loader or plain YAML would not read as text."""


_StrictDumper.yaml_implicit_resolvers = {
    first: [
        *yaml.SafeDumper.yaml_implicit_resolvers.get(first, ()),
        *_StrictLoader.yaml_implicit_resolvers.get(first, ()),
    ]
    for first in {*yaml.SafeDumper.yaml_implicit_resolvers, *_StrictLoader.yaml_implicit_resolvers}
}


_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")
"""Line breaks of YAML 1.1 that are folded unless the text is in double quotes."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _LINE_BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_StrictDumper.add_representer(str, _text)


def dump_yaml(value: Mapping[str, object]) -> str:
    """Return plain values as YAML that `parse_yaml` reads back unchanged."""
    text: str = yaml.dump(dict(value), Dumper=_StrictDumper, sort_keys=False, allow_unicode=True)
    return text


def dump_flow(value: object) -> str:
    """Return a plain value as YAML in one line, which `parse_yaml` reads back unchanged."""
    text: str = yaml.dump(
        value,
        Dumper=_StrictDumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=True,
        width=math.inf,
    )
    return text.removesuffix("\n")


_TAGS: dict[type[yaml.Node], set[str]] = {
    yaml.MappingNode: {"tag:yaml.org,2002:map"},
    yaml.SequenceNode: {"tag:yaml.org,2002:seq"},
    yaml.ScalarNode: {
        f"tag:yaml.org,2002:{kind}" for kind in ("str", "bool", "null", "int", "float")
    },
}


def _decimal(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node)
    if len(text.lstrip("+-0")) > MAX_DIGITS:
        raise ValueError(f"a whole number has at most {MAX_DIGITS} digits, not {len(text)}")
    return int(text)


def _real(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    return float(
        loader.construct_scalar(node).lower().replace(".inf", "inf").replace(".nan", "nan")
    )


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _decimal)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _real)


def _no_location(location: Location) -> bool:
    return False


def load_yaml(
    path: Path, has_typed_keys: Callable[[Location], bool] = _no_location
) -> YamlDocument:
    """Read a YAML file.

    Parameters
    ----------
    path
        The file.
    has_typed_keys
        Tells for the location of a mapping whether its keys keep their types, as in ``{0: 1}``.
        The keys of all other mappings are texts.

    Raises
    ------
    ConfigError
        If the file cannot be read, is not valid YAML, repeats a key, or uses an unsupported
        feature (merge keys, tags of special types).
    """
    try:
        text = read_plain_text(path, follow=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    return parse_yaml(text, path, has_typed_keys)


def parse_yaml(
    text: str, path: Path, has_typed_keys: Callable[[Location], bool] = _no_location
) -> YamlDocument:
    """Read YAML from a text; ``path`` is its name in error messages.

    Raises
    ------
    ConfigError
        As for `load_yaml`.
    """
    positions: dict[Location, tuple[int, int]] = {}
    try:
        loader = _StrictLoader(text)
        node = loader.get_single_node()
        value = (
            _NodeConverter(loader, path, positions, has_typed_keys).value(node, ())
            if node is not None
            else None
        )
    except yaml.MarkedYAMLError as error:
        if (long := _LONG_KEY.search(text)) is not None:
            line = text.count("\n", 0, long.start()) + 1
            raise ConfigError(
                f"{path}:{line}: not valid YAML: the key {long[0][:20]!r}... has more than 1024 "
                "characters"
            ) from None
        mark = _key_without_a_colon(error) or error.problem_mark or error.context_mark
        row = mark.line if mark else 0
        for line, key in _keys_without_space(error, text, row):
            raise ConfigError(
                f"{path}:{line + 1}:{key.end() + 1}: not valid YAML: a space is missing after "
                f"`{key[1]}:`"
            ) from None
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise ConfigError(f"{where}: not valid YAML: {_explain(error)}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        told = f"the character #x{ord(text[error.position]):04x} is not allowed"
        raise ConfigError(f"{path}:{line}: not valid YAML: {told}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested more than {_MAX_DEPTH} levels deep") from None
    except (ValueError, OverflowError) as error:  # numbers in escapes and directives
        raise ConfigError(f"{path}: not valid YAML: {error}") from None
    return YamlDocument(path, text, value, positions)


_LONG_KEY = re.compile(r"[^\s,:{}\[\]][^\n,:{}\[\]]{1024,}(?=:)")


_KEY_WITHOUT_SPACE = re.compile(r"""[\s-]*([^\s:#'"{}\[\],][^:#'"{}\[\],]*):(?=[{\['"])""")


_KEY_AND_WORD = re.compile(r"""[\s-]*([\w-]+):(?=\w)""")
"""Part of a text of several lines: the error is at the next line with a key."""


def _keys_without_space(
    error: yaml.MarkedYAMLError, text: str, row: int
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield keys whose value follows their colon at once, each with the number of its line."""
    lines = text.split("\n")
    if row < len(lines) and (key := _KEY_WITHOUT_SPACE.match(lines[row])):
        yield row, key
    before = lines[row - 1] if 0 < row <= len(lines) else ""
    is_text = (error.problem or "").startswith("mapping values are not allowed")
    if is_text and (key := _KEY_AND_WORD.match(before)):
        yield row - 1, key


def _key_without_a_colon(error: yaml.MarkedYAMLError) -> yaml.Mark | None:
    """Return where a key begins that no colon follows, which is missed at the next line only."""
    return error.context_mark if error.problem == "could not find expected ':'" else None


def _explain(error: yaml.MarkedYAMLError) -> str:
    """Return what is wrong with the text, in terms of what its author wrote."""
    problem, mark = error.problem or error.context or "", error.problem_mark
    if _key_without_a_colon(error) is not None:
        return "a ':' is missing after this key"
    line = f"line {mark.line + 1}" if mark else "a line"
    if problem.startswith("found character '\\t'"):
        return f"{line} is indented with a tab; use spaces, not tabs"
    if problem.startswith("found character"):
        character = problem.removeprefix("found character ").partition(" that")[0]
        return f"a text cannot start with {character}; put the text in quotes"
    if problem.startswith("expected <block end>"):
        return (
            f"{line} is not indented like the lines around it, or is a `- item` among "
            "`key: value` lines (or vice versa)"
        )
    if problem.startswith("mapping values are not allowed"):
        return (
            f"{line} has a ': ' where no key is allowed: it is indented more than the lines around "
            "it, or the text before or around it needs quotes"
        )
    if problem.startswith(("expected ',' or ']'", "expected ',' or '}'")) and error.context_mark:
        opened = error.context_mark.line + 1
        missing = problem.removeprefix("expected ").partition(", but")[0]
        return f"the bracket that opens on line {opened} is not closed: {missing} is missing"
    return problem


@dataclass(frozen=True)
class _NodeConverter:
    """Converts nodes to plain values and records the position of each."""

    loader: _StrictLoader
    path: Path
    positions: dict[Location, tuple[int, int]]
    has_typed_keys: Callable[[Location], bool]

    def value(self, node: yaml.Node, location: Location) -> YamlValue:
        mark = node.start_mark
        self.positions[location] = (mark.line + 1, mark.column + 1)
        if len(self.positions) > _MAX_NODES:
            raise ConfigError(f"{self.path}: more than {_MAX_NODES} values; aliases expand too far")
        if len(location) > _MAX_DEPTH:
            raise ConfigError(f"{self._at(node)}: nested more than {_MAX_DEPTH} levels deep")
        self._reject_tag(node)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*location, i)) for i, child in enumerate(node.value)]
        return self._scalar(node)

    def _scalar(self, node: yaml.Node) -> YamlValue:
        self._reject_surrogates(node)
        try:
            return self.loader.construct_object(node)
        except (ValueError, KeyError) as error:
            raise ConfigError(f"{self._at(node)}: not a readable value: {error}") from None

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[Any, YamlValue]:
        result: dict[Any, YamlValue] = {}
        typed = self.has_typed_keys(location)
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(f"{self._at(key_node)}: a key must be a plain word")
            self._reject_tag(key_node)
            self._reject_surrogates(key_node)
            if key_node.value == "<<":
                raise ConfigError(f"{self._at(key_node)}: merge keys (<<) are not supported")
            key = self._scalar(key_node) if typed else key_node.value
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

    def _reject_tag(self, node: yaml.Node) -> None:
        if node.tag not in _TAGS[type(node)]:
            raise ConfigError(f"{self._at(node)}: the tag {node.tag!r} is not supported here")

    def _reject_surrogates(self, node: yaml.Node) -> None:
        if any("\ud800" <= character <= "\udfff" for character in node.value):
            raise ConfigError(
                f"{self._at(node)}: {node.value!r} contains half of a character (a lone surrogate)"
            )

    def _at(self, node: yaml.Node) -> str:
        return f"{self.path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"
