from __future__ import annotations

import pytest

GOOD = """\
name: good
datasets: [digits]
methods:
  A: {use: mlknn}
"""


@pytest.fixture(scope="session")
def write(tmp_path_factory):
    """Write a text or bytes to a file and return its path, which is the same every time."""
    path = tmp_path_factory.mktemp("config") / "x.yaml"

    def write(content):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def good():
    return GOOD
