from __future__ import annotations

import gzip
import hashlib
import os

import numpy as np
import pytest

from mlbench.data import load_dataset
from mlbench.data.add import add, detect_files
from mlbench.data.cards import load_card
from mlbench.data.verify import verify
from mlbench.errors import DataError

HEADER = """@relation songs
@attribute tempo numeric
@attribute key {c,d,e}
@attribute happy {0,1}
@attribute sad {0,1}
@data
"""
MEKA = HEADER.replace("@relation songs", "@relation 'songs: -C -2'")
XML = '<labels><label name="happy"></label><label name="sad"></label></labels>'
TRAIN = "120,c,1,0\n90,d,1,1\n"
TEST = "60,e,0,0\n"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The folder with a user's own files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    folder = tmp_path / "mine"
    folder.mkdir()
    return folder


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


def put(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def put_songs(folder):
    put(folder, "songs.xml", XML)
    return put(folder, "songs.arff", HEADER + TRAIN + TEST)


def test_an_arff_file_and_its_xml(mine, target):
    card = add(put_songs(mine), target)
    assert (card.name, card.format) == ("songs", "mulan")
    assert card.expect.model_dump(exclude_none=True) == {
        "samples": 3,
        "features": 2,
        "labels": 2,
        "cardinality": 1.0,
    }
    content = (mine / "songs.arff").read_bytes()
    assert card.files["all"].sha256 == hashlib.sha256(content).hexdigest()
    assert (target / "songs" / "songs.arff").read_bytes() == content
    assert verify("songs", [target]).status == "ok"
    assert load_dataset("songs", [target]).label_names == ("happy", "sad")


@pytest.mark.parametrize("named", ["songs-train.arff", "songs-test.arff.gz"])
def test_naming_one_part_takes_both(mine, target, named):
    put(mine, "songs.xml", XML)
    put(mine, "songs-train.arff", HEADER + TRAIN)
    put(mine, "songs-test.arff.gz", gzip.compress((HEADER + TEST).encode()))
    card = add(mine / named, target)
    assert card.name == "songs"
    assert {role: file.path for role, file in card.files.items()} == {
        "train": "songs/songs-train.arff",
        "test": "songs/songs-test.arff.gz",
        "labels": "songs/songs.xml",
    }
    assert card.files["test"].plain_sha256 == hashlib.sha256((HEADER + TEST).encode()).hexdigest()
    np.testing.assert_array_equal(load_dataset("songs", [target]).published_train, [0, 1])


@pytest.mark.parametrize(
    ("train", "test"),
    [("songs-trn", "songs-tst"), ("train_songs", "test_songs"), ("songs_TRAIN", "songs_TEST")],
)
def test_parts_have_their_mark_at_either_end(mine, train, test):
    put(mine, "songs.xml", XML)
    put(mine, f"{train}.arff", HEADER + TRAIN)
    put(mine, f"{test}.arff", HEADER + TEST)
    put(mine, "other.xml", XML)
    for named in (train, test):
        found = detect_files(mine / f"{named}.arff")
        assert found.name == "songs"
        assert {role: path.stem for role, path in found.files.items()} == {
            "train": train,
            "test": test,
            "labels": "songs",
        }


def test_a_part_without_its_other_half_is_a_whole(mine):
    put(mine, "songs-train.arff", MEKA + TRAIN)
    found = detect_files(mine / "songs-train.arff")
    assert found.name == "songs-train"
    assert list(found.files) == ["all"]


def test_a_meka_file(mine, target):
    card = add(put(mine, "songs.arff", MEKA + TRAIN), target)
    assert (card.format, card.expect.labels) == ("meka", 2)


def test_an_svmlight_file(mine, target):
    card = add(put(mine, "songs.svm", "1,2 1:0.5 3:1\n2 2:1\n 1:1\n"), target)
    assert (card.format, card.expect.labels, card.expect.features) == ("libsvm", 2, 3)


def test_a_pair_of_csv_files(mine, target):
    put(mine, "labels.csv", "happy,sad\n1,0\n1,1\n")
    card = add(put(mine, "features.csv", "tempo,loud\n120,1\n90,2\n"), target, name="songs")
    assert (card.name, card.format, card.expect.features) == ("songs", "csv", 2)


def test_the_file_of_labels_may_have_any_name(mine, target):
    moods = put(mine, "moods.csv", "happy,sad\n1,0\n1,1\n")
    path = put(mine, "songs.csv", "tempo,loud\n120,1\n90,2\n")
    assert add(path, target, labels=moods).files["labels"].path == "songs/moods.csv"
    xml = put(mine, "moods.xml", XML)
    put(mine, "other.xml", XML)
    assert detect_files(put(mine, "s.arff", HEADER + TRAIN), xml).format == "mulan"


def test_options_go_to_the_card(mine, target):
    path = put(mine, "flowers.csv", "red,1,2\nblue,3,4\nred,5,6\n")
    card = add(path, target, settings={"class_column": "first"})
    assert (card.format, card.options) == ("delimited", {"class_column": "first"})
    assert load_dataset("flowers", [target]).label_names == ("blue", "red")


def test_an_option_that_nobody_knows_is_refused(mine, target):
    with pytest.raises(DataError, match=r"no option 'clas_column' \(did you mean"):
        add(
            put(mine, "f.csv", "a,1\nb,2\n"),
            target,
            settings={"format": "delimited", "clas_column": "first"},
        )


def test_a_link_leaves_the_files_where_they_are(mine, target):
    card = add(put_songs(mine), target, link=True)
    place = target / card.files["all"].path
    assert place.is_symlink()
    assert place.resolve() == mine / "songs.arff"
    assert verify("songs", [target]).status == "ok"


@pytest.mark.parametrize("link", [False, True])
def test_files_that_are_in_place_already_are_not_lost(mine, target, link):
    (target / "songs").mkdir(parents=True)
    path = put_songs(target / "songs")
    if link:
        with pytest.raises(DataError, match="without --link"):
            add(path, target, link=True)
    else:
        add(path, target)
    assert path.read_text() == HEADER + TRAIN + TEST
    assert not path.is_symlink()


def test_a_data_set_is_replaced_only_by_force(mine, target):
    path = put_songs(mine)
    add(path, target)
    put(mine, "songs.arff", HEADER + TRAIN)
    with pytest.raises(DataError, match=r"'songs' already exists \(.*songs\.yaml\)(.|\n)*--force"):
        add(path, target)
    assert load_card("songs", [target]).expect.samples == 3
    add(path, target, force=True)
    assert load_card("songs", [target]).expect.samples == 2
    assert verify("songs", [target]).status == "ok"


def test_what_was_written_on_a_card_stays_where_it_is_renewed(mine, target):
    path = put_songs(mine)
    add(path, target)
    card = target / "songs.yaml"
    text = card.read_text().replace(
        "title: songs", "title: My songs\nterms: CC0\ncitation: Me 2026"
    )
    card.write_text(text)
    put(mine, "songs.arff", HEADER + TRAIN)
    renewed = add(path, target, force=True)
    assert (renewed.title, renewed.terms, renewed.citation) == ("My songs", "CC0", "Me 2026")
    card.write_text("name: [")
    assert add(path, target, force=True).title == "songs"


def test_the_name_of_a_bundled_set_is_taken(mine, target):
    with pytest.raises(DataError, match="'emotions' already exists"):
        add(put_songs(mine), target, name="emotions")


@pytest.mark.parametrize("name", ["../songs", "a/b", "", ".songs", "my songs"])
def test_a_name_must_be_plain(mine, target, name):
    path = put_songs(mine)
    if name == "":
        path = put(mine, "  .arff", HEADER + TRAIN)
    with pytest.raises(DataError, match="is not a valid data set name"):
        add(path, target, name=name)
    assert not target.exists()


def test_an_error_names_the_file_that_was_given_not_the_copy_that_was_read(mine, target):
    path = put_songs(mine)
    put(mine, "songs.arff", HEADER + TRAIN + "fast,e,0,0\n")
    with pytest.raises(DataError, match=r"'fast' is not a finite number") as caught:
        add(path, target)
    assert str(caught.value).startswith(f"{path}:9: ")
    assert ".adding-" not in str(caught.value)


def test_files_that_cannot_be_read_leave_nothing_behind(mine, target):
    put_songs(mine)
    with pytest.raises(DataError, match=r"songs\.arff"):
        add(put(mine, "songs.arff", HEADER + "120,c,1\n"), target)
    assert list(target.iterdir()) == []


def test_missing_values_are_told_before_anything_is_kept(mine, target):
    path = put_songs(mine)
    path.write_text(HEADER + "?,c,1,0\n90,d,1,1\n")
    with pytest.raises(DataError, match="missing"):
        add(path, target)
    assert list(target.iterdir()) == []
    card = add(path, target, settings={"missing": "keep"})
    assert card.options == {"missing": "keep"}


@pytest.mark.parametrize("name", ["songs.xls", "songs.csv", "songs.arff"])
def test_what_is_not_known_is_refused_in_words(mine, target, name):
    with pytest.raises(DataError, match=name):
        add(put(mine, name, HEADER + TRAIN), target)


def test_labels_of_the_wrong_kind_are_refused(mine, target):
    with pytest.raises(DataError, match="--labels takes"):
        add(put_songs(mine), target, labels=put(mine, "songs.csv", "a\n1\n"))


def test_a_folder_that_cannot_be_written_is_named(mine, tmp_path):
    blocked = put(tmp_path, "file", "in the way")
    with pytest.raises(DataError, match="cannot write to the data folder"):
        add(put_songs(mine), blocked)


def test_what_a_killed_add_left_is_removed_after_a_day(mine, tmp_path):
    target = tmp_path / "target"
    for name in ("old", "new"):
        (target / f".adding-{name}").mkdir(parents=True)
    os.utime(target / ".adding-old", (0, 0))
    add(put(mine, "songs.arff", MEKA + TRAIN), target)
    assert not (target / ".adding-old").exists()
    assert (target / ".adding-new").exists()
