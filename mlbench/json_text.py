"""JSON for version control: a line for each value, down to a depth."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

_LINE_PER_VALUE_DOWN_TO = 4


def json_lines(value: Any, depth: int = 0) -> list[str]:
    """Return the lines of a JSON file; deeply nested values share a line."""
    if depth >= _LINE_PER_VALUE_DOWN_TO or not isinstance(value, dict | list) or not value:
        return [json.dumps(value, ensure_ascii=False, allow_nan=False)]
    is_dict = isinstance(value, dict)
    items: Iterable[tuple[Any, Any]] = (
        value.items() if isinstance(value, dict) else enumerate(value)
    )
    opening, closing = "{}" if is_dict else "[]"
    lines = [opening]
    for place, (key, item) in enumerate(items, start=1):
        head = f"{json.dumps(key, ensure_ascii=False)}: " if is_dict else ""
        first, *rest = json_lines(item, depth + 1)
        inner = [head + first, *rest]
        inner[-1] += "," if place < len(value) else ""
        lines += [f" {line}" for line in inner]
    return [*lines, closing]
