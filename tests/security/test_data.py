"""A data set from a stranger is read, and nothing else happens."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import pickle
import tarfile
import zipfile

import numpy as np
import pytest
from scipy.io import savemat

from mlbench.data import card_checks, files
from mlbench.data.fetch import fetch
from mlbench.data.mat5 import Mat5Error, parse_mat5
from mlbench.data.npz import dataset_cache, load_parsed
from mlbench.errors import DataError, StoreError
from mlbench.store import Store
from mlbench.store.predictions import compressed
from tests.rows import make_row


class Trap:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return (open, (str(self.mark), "w"))


def card(path, **more):
    sha256 = hashlib.sha256(b"x").hexdigest()
    file = {"path": path, "sha256": sha256, "urls": ["http://127.0.0.1:9/x"], **more}
    return f"name: gift\ntitle: Gift\nformat: csv\nfiles: {{all: {file!r}}}\n"


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../../x", "..\\\\x", "C:/x", "a\\0b", "", "~/../../x/.."]
)
def test_no_card_leads_out_of_its_folder(call, write, tmp_path, path):
    quoted = f'"{path}"'
    text = card("PATH").replace("'PATH'", quoted)
    write("cards/gift.yaml", text)
    for command in ("fetch", "verify", "show"):
        told = call("data", command, "gift", "--data", "cards")
        assert told.exit_code != 0, command
        assert "would leave the data folder" in told.stderr
    with pytest.raises(DataError, match="would leave the data folder"):
        fetch("gift", tmp_path / "target", data_dirs=[tmp_path / "cards"])


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "data:,x", "/etc/passwd"])
def test_only_the_web_is_an_address(call, write, url):
    write("cards/gift.yaml", card("gift/x", urls=[url]))
    told = call("data", "fetch", "gift", "--data", "cards")
    assert told.exit_code == 2
    assert "urls" in told.stderr


@pytest.mark.parametrize("link", ["folder", "file"])
def test_a_download_does_not_go_through_a_link(write, tmp_path, monkeypatch, link):
    write("cards/gift.yaml", card("gift/x"))
    target, home = tmp_path / "target", tmp_path / "home"
    (home / "keys").mkdir(parents=True)
    target.mkdir()
    if link == "folder":
        (target / "gift").symlink_to(home / "keys")
    else:
        (target / "gift").mkdir()
        (target / "gift/x.part").symlink_to(home / "keys/profile")
    with pytest.raises(DataError, match="is or lies behind a link"):
        fetch("gift", target, data_dirs=[tmp_path / "cards"])
    assert not list((home / "keys").iterdir())


def archive(kind):
    """Return an archive whose entries climb out, are absolute, or are links."""
    content = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(content, "w") as made:
            for name in ("../evil", "/tmp/evil", "inside"):
                made.writestr(name, "evil")
    else:
        with tarfile.open(fileobj=content, mode="w:gz") as made:
            for name in ("../evil", "/tmp/evil"):
                made.addfile(tarfile.TarInfo(name))
            link = tarfile.TarInfo("inside")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc"
            made.addfile(link)
    return content.getvalue()


@pytest.mark.parametrize(
    ("kind", "name"), [("zip", "gift.zip"), ("tar", "gift.tar.gz"), ("tar", "gift.tgz")]
)
def test_archives_are_not_unpacked_at_all(call, write, tmp_path, kind, name):
    write(name, archive(kind))
    before = set(tmp_path.rglob("*"))
    told = call("data", "add", name)
    assert told.exit_code == 2
    assert "cannot detect the format from the name" in told.stderr
    assert "evil" not in {path.name for path in set(tmp_path.rglob("*")) - before}


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/b", "..", ".hidden", "a\nb"])
def test_a_data_set_is_not_added_outside_its_folder(call, write, name):
    write("gift.csv", "a,b\n1,2\n3,4\n")
    told = call("data", "add", "gift.csv", "--name", name, "--set", "class_column=last")
    assert told.exit_code == 2
    assert "is not a valid data set name" in told.stderr


@pytest.mark.parametrize(("pack", "suffix"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2")])
def test_a_bomb_is_given_up_while_it_is_hashed_or_read(write, monkeypatch, pack, suffix):
    monkeypatch.setattr(files, "MAX_UNQUESTIONED", 2**20)
    monkeypatch.setattr(files, "MAX_BYTES", 2**22)
    bomb = write(f"gift.arff{suffix}", pack(bytes(2**23)))
    assert bomb.stat().st_size < 2**14
    with pytest.raises(DataError, match="unpack to more than"):
        card_checks.sha256_of(bomb, suffix)
    with pytest.raises(DataError, match="unpack to more than"):
        files.read_bytes(bomb)


def test_a_matrix_that_unpacks_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(files, "MAX_UNQUESTIONED", 10)
    monkeypatch.setattr(files, "MAX_BYTES", 2**22)
    stream = io.BytesIO()
    savemat(stream, {"X": np.zeros(2**20)}, do_compression=True)
    assert len(stream.getvalue()) < 2**14
    with pytest.raises(Mat5Error, match="unpack to more than"):
        parse_mat5(stream.getvalue(), ["X"])


@pytest.mark.parametrize(
    "entity", ['<!ENTITY x SYSTEM "file:///etc/passwd">', '<!ENTITY x "lol"><!ENTITY y "&x;&x;">']
)
def test_names_of_labels_hold_no_entities(call, write, entity):
    write(
        "gift.arff", "@relation gift\n@attribute a numeric\n@attribute b {0,1}\n@data\n1,0\n2,1\n"
    )
    write("gift.xml", f"<!DOCTYPE l [{entity}]><labels><label name='&x;'/></labels>")
    told = call("data", "add", "gift.arff")
    assert told.exit_code == 2
    assert "a document type (<!DOCTYPE ...>) is not allowed" in told.stderr
    assert "root:" not in told.stderr


def npz(mark):
    content = io.BytesIO()
    np.savez(content, scores=np.array([Trap(mark)], dtype=object), allow_pickle=True)
    return content.getvalue()


def huge():
    """Return an archive of a few bytes that says it holds eight exabytes."""
    header = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (2**60,)}
    np.lib.format.write_array_header_1_0(header, shape)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        made.writestr("scores.npy", header.getvalue())
    return content.getvalue()


@pytest.mark.parametrize("kind", ["pickle in npz", "pickle", "huge", "no archive", "truncated"])
def test_predictions_are_arrays_or_an_error(tmp_path, kind):
    mark = tmp_path / "ran"
    content = {
        "pickle in npz": npz(mark),
        "pickle": pickle.dumps(Trap(mark)),
        "huge": huge(),
        "no archive": b"PK\x03\x04 nothing",
        "truncated": npz(mark)[:-30],
    }[kind]
    mark.unlink(missing_ok=True)
    path = tmp_path / "predictions" / f"{'a' * 64}.npz"
    path.parent.mkdir()
    path.write_bytes(content)
    row = make_row(predictions=hashlib.sha256(content).hexdigest())
    with pytest.raises(StoreError, match="no arrays that can be read"):
        Store(tmp_path).read_predictions(row)
    assert not mark.exists()


def test_predictions_that_unpack_to_too_much_are_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("mlbench.store.predictions._MAX_BYTES", 10**6)
    store = Store(tmp_path)
    for size, fits in ((10**5, True), (10**6, False)):
        scores = np.zeros(size // 8)
        row = make_row(
            predictions=store.write_predictions("a" * 64, compressed({"scores": scores}))
        )
        if fits:
            assert store.read_predictions(row)["scores"].size == scores.size
        else:
            with pytest.raises(StoreError, match="they unpack to more than 1000000 bytes"):
                store.read_predictions(row)


def test_a_parsed_copy_from_a_stranger_is_not_unpickled(tmp_path, monkeypatch):
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    mark = tmp_path / "ran"
    dataset_cache().mkdir()
    (dataset_cache() / "key.npz").write_bytes(npz(mark))
    mark.unlink(missing_ok=True)
    assert load_parsed("key") is None
    assert not mark.exists()


def test_what_a_card_says_does_not_reach_the_terminal_raw(call, write):
    text = card("gift/x").replace("title: Gift", 'title: "G\\e]0;owned\\aift\\e[2J"')
    write("cards/gift.yaml", text)
    told = call("data", "show", "gift", "--data", "cards")
    assert "G\\u001b]0;owned\\u0007ift" in told.stdout
    assert "\x1b" not in told.stdout + told.stderr
