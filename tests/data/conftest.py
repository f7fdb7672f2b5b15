from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.data.downloads import CONTENT, sha256


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees what another run has parsed or fetched."""
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("MLBENCH_CACHE", str(cache))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("XDG_DATA_HOME", str(cache / "share"))
    return cache


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a small file and return its path."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def card(tmp_path, monkeypatch):
    """Write a card for one file and put its folder on the search path."""
    cards = tmp_path / "cards"
    cards.mkdir()
    monkeypatch.setenv("MLBENCH_DATA", str(cards))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.chdir(tmp_path)

    def write(*urls, path="toy/toy.txt", hashed=True, **keys):
        file = {"path": path, "urls": list(urls), **({"sha256": sha256(CONTENT)} if hashed else {})}
        file.update(keys.pop("file", {}))
        content = {"name": "toy", "title": "Toy", "format": "csv", "files": {"all": file}, **keys}
        (cards / "toy.yaml").write_text(yaml.safe_dump(content))

    return write


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


@pytest.fixture
def written(tmp_path):
    """Write an R file."""

    def written(content):
        path = tmp_path / "x.rda"
        path.write_bytes(content)
        return path

    return written
