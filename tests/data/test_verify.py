from __future__ import annotations

import bz2
import gzip
import hashlib
import os

import pytest
import yaml

from mlbench.data.add import add
from mlbench.data.card_checks import sha256_of
from mlbench.data.cards import load_card
from mlbench.data.verify import presence, verify
from mlbench.errors import DataError
from mlbench.resources import bundled

HEADER = """@relation songs
@attribute tempo numeric
@attribute key {c,d,e}
@attribute happy {0,1}
@attribute sad {0,1}
@data
"""
ROWS = ["120,c,1,0", "90,d,1,1", "60,e,0,0"]
XML = '<labels><label name="happy"></label><label name="sad"></label></labels>'


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files of a data set in two parts, with a union; the only ones on the search path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    songs = tmp_path / "songs"
    songs.mkdir()
    (songs / "songs-train.arff").write_text(HEADER + "\n".join(ROWS[:2]))
    (songs / "songs-test.arff").write_text(HEADER + "\n".join(ROWS[2:]))
    (songs / "songs.arff").write_text(HEADER + "\n".join(ROWS))
    (songs / "songs.xml").write_text(XML)
    return songs


def write_card(folder, hashes=True, **expect):
    names = {
        "train": "songs-train.arff",
        "test": "songs-test.arff",
        "all": "songs.arff",
        "labels": "songs.xml",
    }
    files = {role: {"path": f"songs/{name}"} for role, name in names.items()}
    if hashes:
        for role, name in names.items():
            files[role]["sha256"] = sha256((folder / name).read_bytes())
    expect = {"samples": 3, "features": 2, "labels": 2, "cardinality": 1.0, **expect}
    card = {"name": "songs", "title": "Songs", "format": "mulan", "files": files, "expect": expect}
    (folder.parent / "songs.yaml").write_text(yaml.safe_dump(card))


def states(report):
    return {file.role: file.state for file in report.files}


def test_a_sound_data_set(folder):
    write_card(folder)
    report = verify("songs")
    assert report.status == "ok"
    assert set(states(report).values()) == {"ok"}
    assert {count.quantity: count.got for count in report.counts} == {
        "samples": 3,
        "features": 2,  # tempo and key, though key becomes three columns
        "labels": 2,
        "cardinality": 1.0,
    }


def test_one_changed_byte_is_damage(folder):
    write_card(folder)
    before = sha256((folder / "songs.xml").read_bytes())
    (folder / "songs.xml").write_text(XML + "\n")
    report = verify("songs")
    assert report.status == "damaged"
    (file,) = [file for file in report.files if file.state == "differs"]
    assert (file.role, file.expected, file.got) == (
        "labels",
        before,
        sha256_of(folder / "songs.xml"),
    )
    assert all(count.agrees for count in report.counts)


@pytest.mark.parametrize("expect", [{"samples": 4}, {"features": 4}, {"cardinality": 1.1}])
def test_a_count_that_differs_is_damage(folder, expect):
    write_card(folder, **expect)
    report = verify("songs")
    assert report.status == "damaged"
    assert [count.quantity for count in report.counts if not count.agrees] == list(expect)


def test_the_cardinality_is_compared_as_printed_on_the_card(folder):
    (folder / "songs-test.arff").write_text(HEADER + "60,e,0,0\n61,e,0,0\n62,e,0,0\n63,e,0,0")
    write_card(folder, samples=6, cardinality=0.5)
    assert verify("songs").status == "ok"
    (folder / "songs-test.arff").write_text(HEADER + "60,e,0,0\n61,e,0,0\n62,e,0,0\n63,e,0,0\n")
    write_card(folder, samples=6, cardinality=0.5004)
    assert verify("songs").status == "ok"
    write_card(folder, samples=6, cardinality=0.502)
    assert verify("songs").status == "damaged"


def test_a_file_that_cannot_be_read_is_damage(folder):
    write_card(folder, hashes=False)
    (folder / "songs-test.arff").write_text(HEADER + "60,e,0")
    report = verify("songs")
    assert report.status == "damaged"
    assert "songs-test.arff" in report.load_error


def test_an_option_that_no_reader_knows_is_damage(folder):
    write_card(folder)
    place = folder.parent / "songs.yaml"
    place.write_text(place.read_text() + "options: {ignor: tempo}\n")
    report = verify("songs")
    assert report.status == "damaged"
    assert report.load_error.startswith(f"{place}: options: the format mulan has no option 'ignor'")


def test_the_files_are_read_and_not_a_memory_of_them(folder):
    write_card(folder, hashes=False)
    assert verify("songs").status == "ok"
    (folder / "songs-test.arff").write_text(HEADER + "60,e,0,0\n61,e,0,0")
    assert verify("songs").status == "damaged"


def test_without_hashes_only_the_counts_speak(folder):
    write_card(folder, hashes=False)
    report = verify("songs")
    assert report.status == "ok"
    assert set(states(report).values()) == {"unknown"}


@pytest.mark.parametrize(("pack", "suffix"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2")])
def test_a_file_that_was_packed_since_is_judged_by_its_content(folder, pack, suffix):
    write_card(folder)
    path = folder / "songs-test.arff"
    (folder / f"songs-test.arff{suffix}").write_bytes(pack(path.read_bytes()))
    path.unlink()
    report = verify("songs")
    assert report.status == "ok"
    assert states(report)["test"] == "ok"


@pytest.mark.parametrize("rubbish", [b"no gzip", gzip.compress(b"x" * 9999, mtime=0)[:20], b""])
def test_a_damaged_archive_is_damage_and_no_crash(folder, rubbish):
    write_card(folder)
    (folder / "songs-test.arff").unlink()
    (folder / "songs-test.arff.gz").write_bytes(rubbish)
    report = verify("songs")
    assert report.status == "damaged"
    assert states(report)["test"] == "differs"


def test_a_missing_union_is_no_damage_beside_two_parts(folder):
    write_card(folder)
    (folder / "songs.arff").unlink()
    report = verify("songs")
    assert report.status == "ok"
    assert states(report)["all"] == "missing"


def test_a_missing_part_makes_it_absent(folder):
    write_card(folder)
    (folder / "songs-test.arff").unlink()
    report = verify("songs")
    assert report.status == "absent"
    assert [file.role for file in report.missing] == ["test"]
    assert report.counts == ()


def test_a_missing_file_does_not_hide_a_damaged_one(folder):
    write_card(folder)
    (folder / "songs-test.arff").unlink()
    (folder / "songs.xml").write_text("changed")
    assert verify("songs").status == "damaged"


def test_presence_looks_for_files_only(folder):
    write_card(folder)
    assert presence(load_card("songs")) == "here"
    (folder / "songs.xml").unlink()
    assert presence(load_card("songs")) == "partly"
    for path in folder.iterdir():
        path.unlink()
    assert presence(load_card("songs")) == "absent"
    assert presence(load_card("digits")) == "generated"


def test_an_unknown_name_is_an_error(folder):
    write_card(folder)
    with pytest.raises(DataError, match="did you mean 'songs'"):
        verify("song")


@pytest.mark.parametrize("name", ["digits", "nam-toy"])
def test_a_generated_set_is_verified_by_its_counts(folder, name):
    report = verify(name)
    assert report.status == "ok"
    assert report.files == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in bundled("datasets").glob("*.yaml")))
def test_the_files_at_hand_are_those_on_the_cards(name):
    card = load_card(name)
    is_here = presence(card) != "absent" and os.environ.get("MLBENCH_DATA")
    if card.format != "generated" and not is_here:
        pytest.skip(f"needs the {name} data: set MLBENCH_DATA")
    report = verify(name)
    assert report.load_error is None
    assert report.status == "ok"


@pytest.mark.parametrize("groups", ["key", "groups.csv"])
def test_groups_are_no_option_of_a_reader(folder, groups):
    card = add(folder / "songs.arff", folder.parent, name="mine")
    path = folder.parent / "mine.yaml"
    content = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**content, "options": {"groups": groups}}))
    assert card.options == {}
    assert verify("mine").status == "ok"
