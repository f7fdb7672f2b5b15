"""A published folder as one small file, which opens like the folder."""

from __future__ import annotations

import json
import lzma
from dataclasses import fields
from pathlib import Path

import pytest

import mlbench as mb
from mlbench.bundle import pack, published_path, published_results, published_texts, unpack
from mlbench.errors import StoreError

ROOT = Path(__file__).parents[1]
STRONG = ROOT / "results/strong-baselines"
FOLDERS = sorted(path.parent for path in (ROOT / "results").rglob("export.json"))


@pytest.fixture
def bundle(tmp_path):
    """Write a bundle of some files."""

    def write(texts):
        path = tmp_path / "some.json.xz"
        path.write_bytes(pack(texts))
        return path

    return write


@pytest.fixture(scope="module")
def strong(tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "strong-baselines.json.xz"
    path.write_bytes(pack(published_texts(STRONG)))
    return path


def test_it_is_small(strong):
    everything = sum(path.stat().st_size for path in STRONG.iterdir())
    assert strong.stat().st_size < min(31_000, everything / 12)


def test_it_opens_like_the_folder(strong):
    bundle, folder = mb.open_results(strong), mb.open_results(STRONG)
    for field in fields(folder):
        if field.name != "path":
            assert getattr(bundle, field.name) == getattr(folder, field.name), field.name
    assert str(bundle.ranks()) == str(folder.ranks())


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_come_back_letter_by_letter(folder, bundle):
    texts = published_texts(folder)
    path = bundle(texts)
    assert unpack(path) == texts
    stored = json.loads(lzma.decompress(path.read_bytes()))["files"]
    assert {name for name, (how, _) in stored.items() if how == "text"} == {"experiment.yaml"}


def test_what_others_changed_comes_back_as_they_left_it(bundle):
    texts = published_texts(STRONG)
    reference = json.loads(texts["reference.json"])
    first, second = reference["series"][0]["cells"]["0"], reference["series"][1]["cells"]["0"]
    first["key"], second["key"] = second["key"], first["key"]
    first["scores"]["macro_f1"] = 0.5
    odd = {
        "reference.json": json.dumps(reference),
        "scores.csv": texts["scores.csv"].replace("0.6", "0.60") + "three,fields,more\n",
        "cells.csv": texts["cells.csv"].replace("\n", "\r\n"),
        "fit.csv": "",
        "params.csv": 'a,"b',
        "export.json": "{",
    }
    assert unpack(bundle(odd)) == odd


def test_a_damaged_one_is_refused(strong, tmp_path, bundle):
    whole = strong.read_bytes()
    other = lzma.compress(b'{"mlbench_bundle": 2, "files": {}}')
    for content, told in [
        (whole[:-100], "damaged (ValueError: it is cut off"),
        (b"PK" + whole, "damaged (LZMAError"),
        (lzma.compress(b"[1]"), "damaged (TypeError"),
        (other, "written in form 2, and this version reads form 1"),
    ]:
        path = tmp_path / "damaged.json.xz"
        path.write_bytes(content)
        with pytest.raises(StoreError) as caught:
            mb.open_results(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert told in str(caught.value)
    texts = published_texts(STRONG)
    del texts["cells.csv"]
    with pytest.raises(StoreError, match=r"damaged: it has no cells\.csv"):
        mb.open_results(bundle(texts))


def test_published_results_open_by_name(tmp_path, monkeypatch):
    assert published_results()["strong-baselines"] == STRONG
    monkeypatch.chdir(tmp_path)
    assert mb.open_results("strong-baselines").path == STRONG
    (tmp_path / "strong-baselines").mkdir()
    assert published_path("strong-baselines") == Path("strong-baselines")
    assert published_path("results/nothing") == Path("results/nothing")
    with pytest.raises(StoreError) as caught:
        mb.open_results("strong-baseline")
    names = "; published results (did you mean 'strong-baselines'?): arena, baselines, "
    assert names in str(caught.value)
