from __future__ import annotations

import json
import os

import numpy as np
import pytest

from mlbench.check import read_reference, reference_of, write_reference
from mlbench.errors import StoreError


@pytest.fixture
def written(make_folder, ten, tmp_path):
    """A reference on the disk."""
    reference = reference_of(make_folder({"A": ten, "B": [*ten[:9], "timeout"]}))
    path = tmp_path / "reference.json"
    write_reference(reference, path)
    return path


def test_scores_come_back_bit_by_bit(make_folder, tmp_path):
    scores = [0.1 + 0.2, np.nextafter(1.0, 0), 5e-324, 1 / 3, None]
    reference = reference_of(make_folder({"A": scores}))
    write_reference(reference, tmp_path / "r.json")
    back = read_reference(tmp_path / "r.json")
    assert back == reference
    assert list(back.series[0].scores("macro_f1").values()) == scores


def test_a_cell_stands_on_a_line_of_its_own(written, make_folder, ten):
    before = written.read_text().splitlines()
    changed = reference_of(
        make_folder({"A": [*ten[:5], 0.5, *ten[6:]], "B": [*ten[:9], "timeout"]})
    )
    write_reference(changed, written)
    after = written.read_text().splitlines()
    different = [a for a, b in zip(before, after, strict=True) if a != b]
    assert [line.split('"')[1] for line in different if "written" not in line] == ["5", "macro_f1"]


def test_an_empty_folder_makes_no_reference(make_folder, tmp_path):
    with pytest.raises(StoreError, match="no rows to make a reference of"):
        write_reference(reference_of(make_folder({"A": [...]})), tmp_path / "r.json")


def test_rows_without_the_metric_make_no_reference(make_folder, tmp_path):
    reference = reference_of(make_folder({"A": [0.5]}), ["macro_f1", "micro_f1"])
    with pytest.raises(StoreError, match="toy/A/0: its row has no micro_f1"):
        write_reference(reference, tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


DAMAGES = {
    "a merge": (' "metrics": [', '<<<<<<< HEAD\n "metrics": [', ":5:1: two versions are not"),
    "no number": ('"n": 10', '"n": NaN', "a valid integer"),
    "a score": ('"scores": {"macro_f1": ', '"scores": {"macro_f1": NaN, "x": ', "a finite number"),
    "a part": ('"split": {', '"split": {"x": NaN, ', "nan is not a finite number"),
    "a text": ('"status": "ok"', '"status": 3', "series.0.cells.0.status: "),
    "no cells": ('"cells"', '"cels"', "series.0.cells: Field required"),
    "a key": ('"experiment":', '"experimnt":', "experiment: Field required"),
    "another form": ('reference": 1', 'reference": 2', ":2:2: mlbench_reference: "),
    "environment": ('"environment": 0', '"environment": 4', "there is no environment 4"),
    "metric": ('  "macro_f1"\n', '  "macro_f2"\n', ":5:2: metrics: there is no metric 'macro_f2'"),
    "score gone": ('"scores": {"macro', '"scores": {"micro', "the score macro_f1 is missing"),
    "twice": ('"method": "B"', '"method": "A"', "series.1: toy/A is there twice"),
    "identity": ('"split": {', '"splat": {', "'split' is missing"),
    "cell twice": ('"5": {', '"4": {', "series.0.cells.4: this key is already on line "),
    "key twice": (
        '"history": [',
        '"series": [],\n "history": [',
        ": series: this key is already on",
    ),
    "metric twice": ('  "macro_f1"\n', '  "macro_f1",\n  "macro_f1"\n', "macro_f1 is there twice"),
    "status": ('"status": "timeout"', '"status": "fine"', "series.1.cells.9.status: "),
    "split": ('"5": {', f'"{"9" * 5000}": {{', "String should match pattern"),
    "padded split": ('"5": {', '"05": {', "String should match pattern"),
    "large": ('"macro_f1": 0.', '"macro_f1": 1e300, "hamming_loss": 0.', "too large a number"),
    "digits": ('"n": 10', f'"n": {"9" * 400}', "series.0.summary.macro_f1.n: Input"),
    "percent": ('"macro_f1": 0.', '"macro_f1": 71, "hamming_loss": 0.', "between 0 and 1, not 71"),
    "no summary": (
        '   "summary": {\n    "macro_f1"',
        '   "summary": {\n    "x"',
        "macro_f1 is missing",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_with_the_line(written, damage):
    old, new, message = DAMAGES[damage]
    text = written.read_text()
    assert old in text
    written.write_text(text.replace(old, new, 1))
    with pytest.raises(StoreError) as refused:
        read_reference(written)
    assert str(refused.value).startswith(f"{written}:")
    assert message in str(refused.value)


def test_one_key_under_two_splits_is_refused(written):
    first, second = [*read_reference(written).series[0].cells.values()][:2]
    written.write_text(written.read_text().replace(second.key, first.key))
    with pytest.raises(StoreError, match=r"series.0.cells.1: the key is that of split 0"):
        read_reference(written)


@pytest.mark.parametrize("name", ["series", "cells"])
def test_a_reference_of_nothing_is_refused(make_folder, ten, tmp_path, name):
    plain = reference_of(make_folder({"A": ten})).model_dump(mode="json", by_alias=True)
    if name == "series":
        plain["series"] = []
    else:
        plain["series"][0]["cells"] = {}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(plain))
    with pytest.raises(StoreError, match=f"{name}: there is none"):
        read_reference(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "r.json")
    with pytest.raises(StoreError, match="not a regular file"):
        read_reference(tmp_path / "r.json")


def test_a_link_is_followed_only_where_the_user_gave_it(written, tmp_path):
    (tmp_path / "link.json").symlink_to(written)
    assert read_reference(tmp_path / "link.json", follow=True) == read_reference(written)
    with pytest.raises(StoreError, match="a symbolic link"):
        read_reference(tmp_path / "link.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1:1: not valid JSON"),
        ('{"a": 1', ":1:8: not valid JSON"),
        ("[]", ":1:1: Input should be an object"),
    ],
)
def test_a_file_that_holds_something_else_is_refused(tmp_path, text, message):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(StoreError, match=f"^{path}.*{message}"):
        read_reference(path)


def test_a_score_altered_by_hand_is_noticed_on_the_line_of_its_mean(written, ten):
    text = written.read_text().replace(repr(ten[0]), repr(ten[0] + 0.01), 1)
    written.write_text(text)
    lines = text.splitlines()
    number = next(i for i, line in enumerate(lines, 1) if '"macro_f1": {' in line)
    with pytest.raises(StoreError, match=rf":{number}:\d+: series.0.summary.macro_f1: mean "):
        read_reference(written)


def test_the_reference_of_an_export_has_no_means(written):
    reference = read_reference(written)
    write_reference(reference.without_summaries(), written)
    assert "summary" not in written.read_text()
    bare = read_reference(written)
    assert bare == reference.without_summaries()
    assert [series.cells for series in bare.series] == [series.cells for series in reference.series]


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(StoreError, match=r"cannot be read.*--write FILE"):
        read_reference(tmp_path / "nothing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe")
    with pytest.raises(StoreError, match="not a text file in UTF-8"):
        read_reference(tmp_path / "binary.json")
