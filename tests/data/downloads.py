"""The file that servers of these tests serve."""

from __future__ import annotations

import hashlib

CONTENT = bytes(range(256)) * 1000


def sha256(content):
    return hashlib.sha256(content).hexdigest()
