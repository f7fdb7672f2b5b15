"""An export is taken at its word where the word can be checked: keys, data and splits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlbench.cli.export_folder import write_folder
from mlbench.errors import StoreError
from mlbench.results import open_results
from mlbench.results.exported import EXPORT, REFERENCE, folder_texts
from mlbench.results.verify import verify
from tests.exports import without_hashes

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
    reference = verify(kept, folder_texts(kept)).reference
    assert [each.method for each in reference.series] == ["A", "B"]


def test_committed_results_fulfil_it():
    for name in ("strong-baselines", "baselines"):
        folder = Path("results") / name
        assert verify(folder, folder_texts(folder)).reference.series


def test_an_altered_identity_is_refused_with_its_line(kept):
    texts = altered(kept, '"name": "B", "revision": 1', '"name": "B", "revision": 2')
    with pytest.raises(StoreError) as refused:
        verify(kept, texts)
    file, line, _ = str(refused.value).split(":")[:3]
    assert file == str(kept / "reference.json")
    assert '"key"' in texts[REFERENCE].splitlines()[int(line) - 1]
    assert "series.1.cells.0: key is not the hash of its identity; restore" in str(refused.value)


def test_results_whose_keys_are_not_theirs_are_not_read(kept):
    texts = altered(kept, '"name": "B", "revision": 1', '"name": "B", "revision": 2')
    (kept / REFERENCE).write_text(texts[REFERENCE])
    with pytest.raises(StoreError, match="key is not the hash of its identity; restore"):
        open_results(kept)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cells.csv", "2026-01-02", "2026-01-03"),
        ("params.csv", "0.001", "0.002"),
        ("seconds.csv", "0.5", "0.25"),
        (EXPORT, "trial", "Trial"),
    ],
)
def test_a_file_that_is_not_the_one_exported_is_refused(kept, name, old, new):
    text = (kept / name).read_text()
    (kept / name).write_bytes(text.replace("\n", "\r\n").encode())
    assert open_results(kept).counts == {"ok": 6}, "other line ends are the same file"
    assert old in text
    (kept / name).write_text(text.replace(old, new))
    with pytest.raises(StoreError, match=f"kept/{name}: .*; restore the folder"):
        open_results(kept)
    (kept / name).unlink()
    with pytest.raises(StoreError, match=f"{name}"):
        open_results(kept)


def test_a_file_that_was_added_is_refused(kept):
    (kept / "controls.csv").write_text("dataset,method,split,macro_auc\ntoy,A,0,0.5\n")
    with pytest.raises(StoreError, match=r"kept/controls\.csv: reference\.json has no hash of it"):
        open_results(kept)


def test_without_scores_results_are_read_but_not_taken_over(kept):
    (without_hashes(kept) / "scores.csv").unlink()  # as in an export of times alone
    assert {*open_results(kept).counts} == {"ok"}
    with pytest.raises(StoreError, match=r"scores\.csv: is not there"):
        verify(kept, folder_texts(kept))


def test_other_data_under_the_same_name_are_refused(make_folder, tmp_path):
    one, two = make_folder({"A": A}), make_folder({"B": A}, seed=1)
    merged = make_folder({"A": A, "B": A})
    cells = (*one.plan.cells, *two.plan.cells)
    plan = merged.plan.model_copy(update={"cells": cells})
    write_folder(type(one)(one.path, plan, {**one.rows, **two.rows}), tmp_path / "kept")
    problem = "toy/B and toy/A are of different splits, so they cannot be compared"
    with pytest.raises(StoreError, match=problem):
        verify(tmp_path / "kept", folder_texts(tmp_path / "kept"))


@pytest.mark.parametrize("part", ["dataset", "split", "method"])
def test_parts_of_an_identity_are_mappings(kept, part):
    plain = json.loads(folder_texts(kept)[REFERENCE])
    plain["series"][1]["identity"][part] = "toy"
    with pytest.raises(StoreError, match=rf"reference\.json:\d+:\d+: .*'{part}' is "):
        verify(kept, {**folder_texts(kept), REFERENCE: json.dumps(plain)})


def test_scores_may_not_be_left_out(kept):
    texts = folder_texts(kept)
    del texts["scores.csv"]
    with pytest.raises(StoreError, match=r"scores\.csv: is not there, and reference\.json has"):
        verify(kept, texts)


def test_facts_of_other_data_are_refused_with_their_line(kept):
    texts = folder_texts(kept)
    other = texts[EXPORT].replace("f" * 64, "a" * 64)
    with pytest.raises(StoreError) as refused:
        verify(kept, {**texts, EXPORT: other})
    file, line, _ = str(refused.value).split(":")[:3]
    assert file == str(kept / "export.json")
    assert "fingerprint" in other.splitlines()[int(line) - 1]
    assert "datasets.toy.fingerprint: is not that of its cells; restore" in str(refused.value)


def test_splits_other_than_those_of_the_cells_are_refused(kept):
    texts = folder_texts(kept)
    plain = json.loads(texts[EXPORT])
    plain["experiment"]["protocol"]["splits"]["seed"] = 9
    with pytest.raises(StoreError, match=r"splits\.seed: is 9, and cells on toy ran with 0;"):
        verify(kept, {**texts, EXPORT: json.dumps(plain)})


@pytest.mark.parametrize("written", ["", "now", "2026-11-25\\nall keys verified"])
def test_a_day_is_a_day(kept, written):
    texts = folder_texts(kept)
    plain = json.loads(texts[REFERENCE]) | {"written": written}
    with pytest.raises(StoreError, match="written: String should match pattern"):
        verify(kept, {**texts, REFERENCE: json.dumps(plain)})
