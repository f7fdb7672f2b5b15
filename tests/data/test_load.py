from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest
import yaml

from mlbench.data import load_dataset
from mlbench.errors import DataError

HEAD = (
    "@relation m\n@attribute size numeric\n@attribute colour {r,g,b}\n@attribute y {0,1}\n@data\n"
)
TRAIN, TEST = HEAD + "1,r,1\n2,g,0\n", HEAD + "3,b,1\n"
XML = "<labels><label name='y'/></labels>"
CARD = {
    "name": "mine",
    "title": "My own",
    "format": "mulan",
    "files": {
        "train": {"path": "mine/train.arff", "sha256": hashlib.sha256(TRAIN.encode()).hexdigest()},
        "test": {"path": "mine/test.arff"},
        "all": {"path": "mine/not-needed.arff"},
        "labels": {"path": "mine/mine.xml"},
        "about": {"path": "mine/readme.txt"},
    },
    "expect": {"samples": 3, "features": 2, "labels": 1, "cardinality": 0.6667},
    "notes": ["A trap."],
}


@pytest.fixture
def folder(tmp_path, write):
    """A data folder with one data set and its card."""

    def make(**changes):
        write("mine.yaml", yaml.safe_dump(CARD | changes))
        write("mine/train.arff", TRAIN)
        write("mine/test.arff", TEST)
        write("mine/mine.xml", XML)
        return tmp_path

    return make


def test_a_card_leads_to_a_data_set(folder):
    data = load_dataset("mine", [folder()])
    assert data.name == "mine"
    assert data.feature_names == ("size", "colour=r", "colour=g", "colour=b")
    np.testing.assert_array_equal(data.X, [[1, 1, 0, 0], [2, 0, 1, 0], [3, 0, 0, 1]])
    assert data.Y.tolist() == [[1], [0], [1]]
    assert data.published_train.tolist() == [0, 1]
    assert data.notes == ("A trap.",)


def test_a_reference_names_a_part(folder):
    data = load_dataset({"use": "mine", "rows": 2, "ignore": ["colour"]}, [folder()])
    assert data.X.shape == (2, 1)


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ({"samples": 4}, "mine: samples should be 4 according to its card, but is 3"),
        ({"features": 4}, "features should be 4 according to its card, but is 2"),
        ({"labels": 2}, "labels should be 2 according to its card, but is 1"),
        ({"tasks": 5}, "tasks should be 5 according to its card, but is 0"),
        (
            {"cardinality": 0.6655},
            "cardinality should be 0.6655 according to its card, but is 0.666667",
        ),
    ],
)
def test_counts_are_compared_with_the_card_even_if_the_copy_is_cached(folder, expect, message):
    folder = folder(expect=expect)
    for _ in range(2):
        with pytest.raises(DataError, match=message):
            load_dataset("mine", [folder])


def test_a_changed_file_is_noted_and_named_when_counts_differ(folder, write):
    place = folder()
    write("mine/train.arff", TRAIN.replace("2,g", "9,g"))
    assert (
        "train.arff: its SHA-256 is not the one on the card"
        in load_dataset("mine", [place]).notes[-1]
    )
    write("mine/train.arff", TRAIN + "5,r,0\n")
    with pytest.raises(DataError, match=r"but is 4;[^$]*train\.arff: its SHA-256 is not"):
        load_dataset("mine", [place])


def test_card_options_go_to_the_reader_and_the_encoding(folder, write):
    place = folder(options={"missing": "keep"})
    write("mine/test.arff", HEAD + "?,b,1\n")
    assert np.isnan(load_dataset("mine", [place]).X[2, 0])
    with pytest.raises(
        DataError, match="'size' has 1 missing value; keep them with `missing: keep`"
    ):
        load_dataset({"use": "mine", "missing": "refuse"}, [place])
    with pytest.raises(DataError, match=r"mine\.yaml: options: .*mulan has no option 'header'"):
        load_dataset("mine", [folder(options={"header": 3})])


def test_a_missing_file_is_told_with_the_remedy(folder):
    place = folder(by_hand="ask Ann")
    (place / "mine/test.arff").unlink()
    with pytest.raises(DataError, match=r"cannot find mine/test\.arff[^$]*ask Ann"):
        load_dataset("mine", [place])


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("emotoins", r"no data set 'emotoins' \(did you mean 'emotions'"),
        ({"use": "mine", "label": 3}, r"mine: unknown key 'label' \(did you mean 'labels'"),
        ({"use": "mine", "impute": "mean"}, "impute: cannot|cannot be imputed here.*missing: keep"),
        ({"use": "mine", "rows": "3"}, "rows is '3'; it must be a whole number of at least 1"),
        (
            {"use": "mine", "labels": 1, "labels_by": "size"},
            "labels_by is 'size'; it must be frequency or position",
        ),
        ({"use": "mine", "rows": True}, "rows is True"),
        ({"use": "mine", "labels": 0}, "labels is 0"),
        ({"use": "mine", "seed": -1}, "seed is -1; it must be a whole number of at least 0"),
        ({"use": "mine", "missing": "drop"}, "missing is 'drop'; it must be refuse or keep"),
        ({"use": "mine", "ignore": 3}, "ignore is 3; it must be a list"),
        ({"use": "mine", "numeric": [2]}, r"numeric is \[2\]; it must be a list"),
        ({"use": "nam-toy", "task": 4}, r"nam-toy: unknown key 'task' \(did you mean 'tasks'"),
        ({"use": "nam-toy", "ignore": ["f1"]}, "nam-toy: unknown key 'ignore'"),
        ({"labels": 3}, "is not a data set"),
        ({"use": 3}, "is not a data set"),
        ("", "is not a data set"),
        (None, "is not a data set"),
    ],
)
def test_references_that_cannot_be_followed(folder, reference, message):
    with pytest.raises(DataError, match=message):
        load_dataset(reference, [folder()])


@pytest.mark.slow
def test_loading_needs_no_pandas():
    code = "import sys, mlbench.data; sys.exit('pandas' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
