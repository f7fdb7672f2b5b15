"""The text of an experiment with other data sets and methods, where comments stay.

Entries are moved as they are written. What cannot be moved so (anchors, for example) is written
anew, without its comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from mlbench.config.datasets import DatasetField, DatasetReference
from mlbench.config.parameter_keys import has_typed_keys
from mlbench.errors import ConfigError
from mlbench.yaml_loader import dump_flow, dump_yaml, parse_yaml

_WIDTH = 100
_SETTING = re.compile(r"^# --set (?:datasets|methods)\b.*\n", re.MULTILINE)
_OWN_LINE = re.compile(r"^( +)not_on:.*\n", re.MULTILINE)
_DATASET: TypeAdapter[DatasetReference] = TypeAdapter(DatasetField)


@dataclass(frozen=True)
class _Entry:
    """A data set or a method as a file has it."""

    value: Any
    lines: str
    """As part of a block, from the first column, with the comment above it."""
    inline: str
    """As part of a list or mapping in brackets."""


@dataclass(frozen=True)
class _Section:
    """The data sets or the methods of a file, by name."""

    entries: Mapping[str, _Entry]
    start: int
    end: int
    """Where they stand in the text."""
    column: int
    is_inline: bool
    """Whether they stand in brackets."""


def with_entries(
    text: str,
    others: Sequence[str],
    datasets: Sequence[str],
    methods: Mapping[str, Sequence[str]],
) -> str:
    """Return the text of an experiment file with these data sets and methods, in this order.

    Parameters
    ----------
    text : str
        It has all else, and those of the data sets and methods that it names.
    others : sequence of str
        Files that have the others; the first that has one counts.
    datasets : sequence of str
        Their names in tables.
    methods : mapping
        The data sets that each is not on, by its name in tables.
    """
    files = [_SETTING.sub("", text), *others]
    value = _value(files[0])
    for key, names in (("methods", methods), ("datasets", datasets)):
        sections = [_section(file, key) for file in files]
        entries = [{} if each is None else each.entries for each in sections]
        chosen = {name: next(each[name] for each in entries if name in each) for name in names}
        if key == "methods":
            chosen = {name: _not_on(name, each, methods[name]) for name, each in chosen.items()}
        values = {name: entry.value for name, entry in chosen.items()}
        value[key] = values if key == "methods" else [*values.values()]
        if sections[0] is not None:
            files[0] = _with_section(files[0], sections[0], chosen)
        if not _is_same(files[0], value):
            comments = re.match(r"(?:#.*\n|\n)*", files[0])
            files[0] = (comments[0] if comments else "") + dump_yaml(value)
    return files[0]


def _value(text: str) -> dict[str, Any]:
    value: dict[str, Any] = parse_yaml(text, Path("experiment.yaml"), has_typed_keys).value
    return value


def _is_same(text: str, value: Mapping[str, Any]) -> bool:
    """Tell whether a text has a value, methods in the same order."""
    try:
        found = _value(text)
    except ConfigError:
        return False
    return found == value and [*found["methods"]] == [*value["methods"]]


def _named(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    else:
        for item in value:
            yield _DATASET.validate_python(item).display, item


def _not_on(name: str, entry: _Entry, datasets: Sequence[str]) -> _Entry:
    """Return the entry of a method that is not on these data sets."""
    value = {"use": entry.value} if isinstance(entry.value, str) else {**entry.value}
    given = value.pop("not_on", [])
    if {*([given] if isinstance(given, str) else given)} == {*datasets}:
        return entry
    if datasets:
        value["not_on"] = [*datasets]
    comment = re.match(r"(?:#.*\n)*", entry.lines)
    inline = _inline(name, value, False)
    edited = _OWN_LINE.sub(
        lambda line: f"{line[1]}not_on: {dump_flow([*datasets])}\n" if datasets else "", entry.lines
    )
    if yaml.safe_load(edited) == {name: value}:
        return _Entry(value, edited, inline)
    return _Entry(value, f"{comment[0] if comment else ''}{inline}\n", inline)


def _section(text: str, key: str) -> _Section | None:
    """Return a section of a file, or None if the file has none, because it has a base."""
    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    node = next((node for name, node in root.value if name.value == key), None)
    if node is None:
        return None
    named = [*_named(_value(text)[key])]
    is_list = isinstance(node, yaml.SequenceNode)
    starts = [item if is_list else item[0] for item in node.value]
    ends = [item if is_list else item[1] for item in node.value]
    column = node.start_mark.column
    if node.flow_style:
        entries = {
            name: _entry(name, value, text[first.start_mark.index : last.end_mark.index], is_list)
            for (name, value), first, last in zip(named, starts, ends, strict=True)
        }
        return _Section(entries, node.start_mark.index, node.end_mark.index, column, True)
    lines = text.splitlines(keepends=True)
    firsts = [_with_comment_above(lines, each.start_mark.line) for each in starts]
    firsts.append(_after_content(lines, firsts[-1], node.end_mark.line))
    entries = {}
    for (name, value), (first, last) in zip(named, pairwise(firsts), strict=True):
        block = "".join(line[column:] or "\n" for line in lines[first:last])
        block = block if block.endswith("\n") else block + "\n"
        entries[name] = _Entry(value, block, _inline(name, value, is_list))
    start, end = (sum(map(len, lines[:line])) for line in (firsts[0], firsts[-1]))
    return _Section(entries, start, end, column, False)


def _entry(name: str, value: Any, written: str, is_list: bool) -> _Entry:
    inline = _inline(name, value, is_list) if "\n" in written else written
    return _Entry(value, f"- {inline}\n" if is_list else f"{inline}\n", inline)


def _inline(name: str, value: Any, is_list: bool) -> str:
    return dump_flow([value])[1:-1] if is_list else dump_flow({name: value})[1:-1]


def _with_comment_above(lines: Sequence[str], line: int) -> int:
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line


def _after_content(lines: Sequence[str], first: int, end: int) -> int:
    """Return the line after the last that is neither empty nor a comment."""
    if end < len(lines) and end == first:
        end += 1
    while end - 1 > first and (not lines[end - 1].strip() or lines[end - 1].lstrip()[0] == "#"):
        end -= 1
    return end


def _with_section(text: str, section: _Section, chosen: Mapping[str, _Entry]) -> str:
    """Return a text with other entries in a section; those at its begin stay where they are."""
    first = [*chosen.items()][: len(section.entries)]
    stays = first == [*section.entries.items()]
    new = [entry for name, entry in chosen.items() if not stays or name not in section.entries]
    if not new:
        return text
    if section.is_inline:
        closing = section.end - 1
        start = closing if stays else section.start + 1
        head = text[:start].rstrip() if stays else text[:start]
        parts = [entry.inline for entry in new]
        return head + _wrapped(head, parts, section.column + 1, stays) + text[closing:]
    indent = " " * section.column
    block = "".join(
        f"{indent}{line}" if line.strip() else line
        for entry in new
        for line in entry.lines.splitlines(keepends=True)
    )
    start = section.end if stays else section.start
    gap = "" if not start or text[start - 1] == "\n" else "\n"
    return text[:start] + gap + block + text[section.end :]


def _wrapped(head: str, parts: Sequence[str], column: int, follows: bool) -> str:
    """Return entries in brackets, in lines of limited width."""
    width = len(head) - head.rfind("\n") - 1
    text = ""
    for part in parts:
        comma = ", " if follows else ""
        if comma and width + len(part) + 3 > _WIDTH:
            comma, width = ",\n" + " " * column, column
        text += comma + part
        width += len(comma.rpartition("\n")[2]) + len(part)
        follows = True
    return text
