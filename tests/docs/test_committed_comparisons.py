"""What stands in results/**/beside.md is what `mlbench reproduce` says of the folder today."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mlbench.cli import main

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(str(page.parent.relative_to(ROOT)) for page in ROOT.glob("results/**/beside.md"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_committed_comparison_is_that_of_its_folder(folder, monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = CliRunner().invoke(main, ["reproduce", folder, "--format", "markdown"])
    assert shown.exit_code == 0, shown.stderr
    assert (ROOT / folder / "beside.md").read_text() == shown.stdout, (
        f"write it anew: mlbench reproduce {folder} --format markdown > {folder}/beside.md"
    )
