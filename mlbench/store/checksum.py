"""Values in files, with a hash that reveals any change."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from mlbench.hashing import canonical_json, digest

_HASH = slice(11, 75)


class DamagedFileError(Exception):
    """A file of the store has changed since it was written."""


def seal(name: str, value: Any) -> str:
    """Return a plain value as the text of a file, with a hash of its content."""
    content = canonical_json(value)
    return f'{{"sha256":"{_sha256(content.encode())}",\n"{name}":{content}}}\n'


def unseal(data: bytes, name: str) -> Any:
    """Return the value of such a file.

    Raises
    ------
    DamagedFileError
        If it is torn, empty or altered.
    """
    try:
        return json.loads(sealed_content(data, name))
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"not a complete file ({type(error).__name__})") from None


def sealed_content(data: bytes, name: str) -> bytes:
    """Return the verified JSON text of the value.

    The hash is that of the text as it stands. Only if it differs, because somebody has reformatted
    the file, is the text parsed and serialized again.

    Raises
    ------
    DamagedFileError
        If it is torn, empty or altered.
    """
    if not data:
        raise DamagedFileError("the file is empty")
    between = f'",\n"{name}":'.encode()
    start = _HASH.stop + len(between)
    content = data[start:-2]
    if (
        data.startswith(b'{"sha256":"')
        and data[_HASH.stop : start] == between
        and data.endswith(b"}\n")
        and _sha256(content).encode() == data[_HASH]
    ):
        return content
    return _content_laid_out_anew(data, name)


def _content_laid_out_anew(data: bytes, name: str) -> bytes:
    try:
        wrapped = json.loads(data)
        value, expected = wrapped[name], wrapped["sha256"]
        if digest(value) != expected:
            raise DamagedFileError("the content does not match its hash")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFileError(f"not a complete file ({type(error).__name__})") from None
    return canonical_json(value).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
