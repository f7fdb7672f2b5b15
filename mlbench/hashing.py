"""Content hashes, and seeds derived from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: object) -> str:
    """Return the canonical JSON of a plain value: sorted keys, no spaces, exact floats."""
    return _CANONICAL.encode(value)


def digest(value: object) -> str:
    """Return the SHA-256 of a plain value, as 64 hexadecimal digits."""
    return _sha256(canonical_json(value))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of_parts(value: Mapping[str, object], texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of a plain mapping; `texts` has the canonical JSON of some of its values.

    So what many mappings share is serialized once.
    """
    entries: list[str] = []
    for is_known, names in groupby(sorted(value), texts.__contains__):
        if is_known:
            entries += [f"{canonical_json(name)}:{texts[name]}" for name in names]
        else:
            entries.append(canonical_json({name: value[name] for name in names})[1:-1])
    return _sha256(f"{{{','.join(entries)}}}")


def seed_from(*axes: str | int) -> int:
    """Return a 32-bit seed that depends only on the named axes."""
    return int(digest(list(axes))[:8], 16)


def random_state(*axes: str | int) -> np.random.RandomState:
    """Return a random number generator seeded by the named axes.

    It is a ``RandomState``, because numpy guarantees its streams across releases.
    """
    import numpy as np

    return np.random.RandomState(np.frombuffer(bytes.fromhex(digest(list(axes))), dtype="<u4"))
