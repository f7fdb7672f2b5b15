"""An export is taken at its word where the word can be checked: keys, data and splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.cli.export_folder import write_folder
from mlbench.errors import StoreError
from mlbench.results.exported import REFERENCE, folder_texts
from mlbench.results.verify import verify

A = [0.5, 0.6, 0.7]


@pytest.fixture
def kept(make_folder, tmp_path):
    write_folder(make_folder({"A": A, "B": [0.4, 0.5, 0.9]}), tmp_path / "kept")
    return tmp_path / "kept"


def altered(kept: Path, old: str, new: str, count: int = 1) -> dict[str, str]:
    texts = folder_texts(kept)
    assert old in texts[REFERENCE]
    return {**texts, REFERENCE: texts[REFERENCE].replace(old, new, count)}


def test_every_key_is_the_hash_of_its_identity(kept):
    reference = verify(kept, folder_texts(kept))
    assert [each.method for each in reference.series] == ["A", "B"]


def test_committed_results_fulfil_it():
    for name in ("strong-baselines", "baselines"):
        folder = Path("results") / name
        assert verify(folder, folder_texts(folder)).series


def test_an_altered_identity_is_refused_with_its_line(kept):
    texts = altered(kept, '"name": "B", "revision": 1', '"name": "B", "revision": 2')
    with pytest.raises(StoreError) as refused:
        verify(kept, texts)
    file, line, _ = str(refused.value).split(":")[:3]
    assert file == str(kept / "reference.json")
    assert '"key"' in texts[REFERENCE].splitlines()[int(line) - 1]
    assert "series.1.cells.0: key is not the hash of its identity; restore" in str(refused.value)


def test_other_data_under_the_same_name_are_refused(make_folder, tmp_path):
    one, two = make_folder({"A": A}), make_folder({"B": A}, seed=1)
    merged = make_folder({"A": A, "B": A})
    cells = (*one.plan.cells, *two.plan.cells)
    plan = merged.plan.model_copy(update={"cells": cells})
    write_folder(type(one)(one.path, plan, {**one.rows, **two.rows}), tmp_path / "kept")
    problem = "toy/B and toy/A are of different splits, so they cannot be compared"
    with pytest.raises(StoreError, match=problem):
        verify(tmp_path / "kept", folder_texts(tmp_path / "kept"))
