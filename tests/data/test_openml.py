from __future__ import annotations

import gzip
import hashlib
import io
import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest

from mlbench.config.check_names import check_names
from mlbench.data import load_dataset
from mlbench.data.cards import load_card
from mlbench.data.fetch import fetch
from mlbench.data.verify import verify
from mlbench.errors import DataError

API = "/api/v1/json/data"  # on the host that scikit-learn asks
FILE = "https://www.openml.org/data/v1/download/7/songs.arff"
SONGS = """@relation songs
@attribute title string
@attribute tempo numeric
@attribute key {c,d}
@attribute happy {TRUE,FALSE}
@attribute sad {FALSE,TRUE}
@data
'a song',120,c,TRUE,FALSE
'another',90,d,FALSE,TRUE
'a third',?,d,TRUE,TRUE
"""


class Server:
    """OpenML with one data set; other numbers are unknown to it."""

    def __init__(self):
        self.requests = []
        self.arff = SONGS
        self.target = "happy,sad"

    def __call__(self, request, **_):
        self.requests.append(request.full_url)
        answers = {
            f"{API}/7": {"data_set_description": self.description()},
            f"{API}/features/7": {"data_features": {"feature": self.features()}},
            f"{API}/qualities/7": {"data_qualities": {"quality": []}},
        }
        if request.full_url == FILE:
            return Answer(gzip.compress(self.arff.encode()))
        path = urlsplit(request.full_url).path
        if path not in answers:
            raise HTTPError(request.full_url, 412, "Unknown data set", {}, io.BytesIO())
        return Answer(gzip.compress(json.dumps(answers[path]).encode()))

    def description(self):
        return {
            "id": "7",
            "name": "songs",
            "version": "3",
            "status": "active",
            "description": "Three songs.",
            "format": "ARFF",
            "licence": "CC0",
            "url": FILE,
            "default_target_attribute": self.target,
            "ignore_attribute": ["title"],
            "md5_checksum": hashlib.md5(SONGS.encode()).hexdigest(),
        }

    def features(self):
        rows = [line.split(" ", 2) for line in SONGS.splitlines() if line.startswith("@attribute")]
        return [
            {
                "index": str(index),
                "name": name,
                "data_type": kind if kind in ("string", "numeric") else "nominal",
                "is_target": str(name in self.target).lower(),
                "is_ignore": str(name == "title").lower(),
                "is_row_identifier": "false",
                "number_of_missing_values": str(int(name == "tempo")),
            }
            for index, (_, name, kind) in enumerate(rows)
        ]


class Answer(io.BytesIO):
    def info(self):
        return {"Content-Encoding": "gzip"}


@pytest.fixture
def openml(monkeypatch):
    server = Server()
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", server)
    return server


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    return tmp_path


def test_a_data_set_of_openml_is_one_like_any_other_once_it_is_fetched(openml):
    (file,) = fetch("openml:7")
    data = load_dataset("openml:7")
    assert data.name == "openml-7"
    assert data.label_names == ("happy", "sad")
    assert data.Y.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert data.feature_names == ("tempo", "key=c", "key=d")
    assert data.X[:2].tolist() == [[120, 1, 0], [90, 0, 1]]
    assert data.has_missing
    assert "'title' (listed under `ignore`)" in data.left_out
    card = load_card("openml:7")
    assert card.title == "songs, version 3, of OpenML"
    assert card.files["all"].sha256 == hashlib.sha256(SONGS.encode()).hexdigest()
    assert file.path.read_text() == SONGS
    assert verify("openml:7").status == "ok"


def test_it_is_downloaded_once(openml):
    fetch("openml:7")
    asked = len(openml.requests)
    (file,) = fetch("openml:7")
    assert load_dataset("openml-7").n_samples == 3
    assert (file.url, len(openml.requests)) == (None, asked)


def test_nothing_is_downloaded_unasked(openml):
    message = "`mlbench data fetch openml:7` downloads it"
    with pytest.raises(DataError, match=message):
        load_dataset("openml:7")
    experiment = {"name": "e", "datasets": ["openml:7"], "methods": {}, "metrics": []}
    assert any(message in text for _, text in check_names(experiment, Path()))
    assert openml.requests == []


def test_a_file_that_changed_since_is_refused(openml, folder):
    fetch("openml:7", folder)
    (folder / "openml-7" / "openml-7.arff").write_text(SONGS.replace("120", "121"))
    with pytest.raises(DataError, match="is not the file on the card"):
        fetch("openml:7", folder)
    assert verify("openml:7", [folder]).status != "ok"


def test_a_class_as_target_becomes_a_label_for_each_class(openml):
    openml.target = "key"
    fetch("openml:7")
    assert load_dataset("openml:7").label_names == ("key=c", "key=d")


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("openml:8", {}, "openml:8 cannot be downloaded: .*8 not found"),
        ("openml:emotions", {}, "write its number: openml:40589"),
        ("openml:7", {"arff": SONGS.replace("120", "1")}, "openml:7 cannot be .*md5 checksum"),
        ("openml:7", {"target": ""}, "states no target.*`mlbench data add FILE --labels"),
        (
            "openml:7",
            {"target": "tempo"},
            "openml:7: row 3, counted from 1: the class in 'tempo' is missing",
        ),
    ],
)
def test_what_cannot_be_had(openml, folder, name, changes, message):
    vars(openml).update(changes)
    with pytest.raises(DataError, match=message):
        fetch(name, folder / "new")
    assert not list(folder.glob("new/[!.]*"))
