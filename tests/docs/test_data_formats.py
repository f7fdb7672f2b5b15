"""The page on data names every format."""

from __future__ import annotations

from pathlib import Path

from mlbench.data.cards import GENERATED
from mlbench.data.readers import FORMATS

PAGE = Path(__file__).parents[2] / "docs/data.md"


def test_the_page_names_every_format():
    item = PAGE.read_text().partition("- **format**")[2].partition("- **files**")[0]
    assert [name for name in (*FORMATS, GENERATED) if f"`{name}`" not in item] == []
