from __future__ import annotations

import csv
import hashlib
import os
from pathlib import Path

import pytest
import yaml

from mlbench.data.cards import available_cards, card_places, load_card, read_card
from mlbench.data.search_path import uncompressed_name
from mlbench.errors import DataError
from mlbench.resources import bundled

SHA = "0" * 64
BUNDLED = sorted(path.stem for path in bundled("datasets").glob("*.yaml"))
YAHOO = [
    *("arts", "business", "computers", "education", "entertainment", "health"),
    *("recreation", "reference", "science", "social", "society"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of cards that is the only one on the search path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path / "cards"))
    (tmp_path / "cards").mkdir()
    return tmp_path / "cards"


def toy(**changes):
    card = {
        "name": "toy",
        "title": "A toy",
        "format": "mulan",
        "files": {"all": {"path": "toy/toy.arff", "sha256": SHA}},
    }
    return {key: value for key, value in {**card, **changes}.items() if value is not None}


def write(folder: Path, card: object, name: str = "toy") -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(card if isinstance(card, str) else yaml.safe_dump(card))
    return path


def test_a_small_card_is_enough(folder):
    write(folder, toy())
    card = load_card("toy")
    assert card.files["all"].path == "toy/toy.arff"
    assert card.files["all"].plain_sha256 == SHA
    assert card.expect.samples is None
    assert card.domain == "other"
    assert card.notes == ()


def test_the_hash_of_a_compressed_file_is_not_that_of_its_content(folder):
    one, two = "1" * 64, "2" * 64
    files = {"all": {"path": "t.arff.gz", "sha256": one, "sha256_uncompressed": two}}
    write(folder, toy(files=files))
    file = load_card("toy").files["all"]
    assert (file.plain_path, file.plain_sha256) == ("t.arff", two)


def test_addresses_are_the_files_own_then_one_a_mirror(folder):
    files = {"all": {"path": "toy/toy.arff", "urls": ["https://a.org/x.arff"]}}
    write(folder, toy(files=files, mirrors=["https://b.org/data/", "https://c.org"]))
    assert load_card("toy").urls("all") == [
        "https://a.org/x.arff",
        "https://b.org/data/toy/toy.arff",
        "https://c.org/toy/toy.arff",
    ]


def test_the_remedy_says_what_can_be_done(folder):
    write(folder, toy(by_hand="Write to the authors.", mirrors=["https://b.org"]))
    remedy = load_card("toy").remedy
    assert "`mlbench data fetch toy`" in remedy
    assert "Write to the authors." in remedy
    write(folder, toy())
    assert "data fetch" not in load_card("toy").remedy


def test_the_union_and_the_papers_are_not_needed_beside_two_parts(folder):
    files = {role: {"path": f"{role}.arff"} for role in ("train", "test", "all", "labels", "about")}
    write(folder, toy(files=files))
    assert set(load_card("toy").needed_roles) == {"train", "test", "labels"}
    del files["test"]
    write(folder, toy(files=files))
    assert set(load_card("toy").needed_roles) == {"train", "all", "labels"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"title": None}, ["title: this key is missing"]),
        ({"tittle": "A toy"}, ["tittle: unknown key (did you mean 'title'?)"]),
        ({"format": "mulam"}, ["format: no such format (did you mean 'mulan'?)", "landmine-mat"]),
        ({"domain": "txt"}, ["domain: Input should be 'text', 'images'", "found 'txt'"]),
        ({"title": 3}, ["title: must be text, found 3: put it in quotes"]),
        ({"expect": {"sample": 3}}, ["expect.sample: unknown key (did you mean 'samples'?)"]),
        ({"expect": {"samples": "3"}}, ["expect.samples", "integer", "'3'"]),
        ({"expect": {"samples": True}}, ["expect.samples", "True"]),
        ({"expect": {"samples": -1}}, ["expect.samples", "-1"]),
        ({"files": {"all": {"path": "a", "sha": SHA}}}, ["files.all.sha:", "'sha256'"]),
        ({"files": {"all": {"sha256": SHA}}}, ["files.all.path: this key is missing"]),
        ({"files": {"all": {"path": "../a"}}}, ["files.all.path", "leave the data folder"]),
        ({"files": {"all": {"path": "a", "sha256": 12}}}, ["files.all.sha256", "in quotes"]),
        ({"files": {"all": {"path": "a", "sha256": "abc"}}}, ["files.all.sha256", "'abc'"]),
        ({"files": {"all": {"path": "a", "urls": ["file:///etc/x"]}}}, ["files.all.urls.0"]),
        ({"files": {}}, ["no files"]),
        ({"format": "generated", "files": None}, ["needs a generator"]),
        ({"name": "other"}, ["name is 'other'", "write `name: toy`"]),
        ({"name": "../toy"}, ["name:"]),
        ({"notes": "one"}, ["notes"]),
        ({"files": ["a"]}, ["files", "['a']"]),
        ({"files": {1: {"pth": "a"}}}, ["files.1.pth"]),
        ({1: "x"}, ["1: unknown key"]),
    ],
)
def test_a_faulty_card_is_told_by_file_and_key(folder, changes, words):
    card = {key: value for key, value in {**toy(), **changes}.items() if value is not None}
    path = write(folder, card)
    with pytest.raises(DataError) as caught:
        load_card("toy")
    for word in [str(path), *words]:
        assert word in str(caught.value)


def test_all_faults_are_told_at_once(folder):
    write(folder, toy(title=None, homme="x"))
    with pytest.raises(DataError, match=r"title: this key(.|\n)*homme: unknown key"):
        load_card("toy")


@pytest.mark.parametrize("content", ["a: [", "", "- a\n- b\n", "\x00", "name: *a", "&a {name: *a}"])
def test_what_is_no_card_is_told_by_file(folder, content):
    path = write(folder, content)
    with pytest.raises(DataError, match=r"toy\.yaml"):
        read_card(path)


def test_a_card_can_run_no_code(folder):
    path = write(folder, "name: !!python/object/apply:os.system ['true']\n")
    with pytest.raises(DataError, match=r"the tag .* is not supported"):
        read_card(path)


def test_a_key_that_stands_twice_is_no_card(folder):
    path = write(folder, yaml.safe_dump(toy()) + "title: Another toy\n")
    with pytest.raises(DataError, match=r"toy\.yaml:\d+:1: title: this key is already on line"):
        read_card(path)


def test_values_of_a_card_are_those_that_an_experiment_would_have(folder):
    write(folder, yaml.safe_dump(toy()) + "options: {step: 1e-3, header: no}\n")
    assert load_card("toy").options == {"step": 0.001, "header": "no"}


def test_a_misspelt_name_gets_a_suggestion(folder):
    with pytest.raises(DataError, match=r"'emotion' \(did you mean 'emotions'\?\)"):
        load_card("emotion")


def test_a_users_card_goes_before_the_bundled_one(folder):
    theirs = write(folder, toy(name="emotions", title="Mine"), "emotions")
    assert load_card("emotions").title == "Mine"
    assert card_places()["emotions"] == [theirs, bundled("datasets") / "emotions.yaml"]


def test_a_card_may_come_from_a_folder_given_by_hand(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    write(other, toy())
    assert "toy" not in available_cards()
    assert "toy" in available_cards([other])
    assert load_card("toy", [other]).title == "A toy"


def test_the_bundled_folder_on_the_search_path_is_not_a_users(folder, monkeypatch):
    monkeypatch.setenv("MLBENCH_DATA", str(bundled("datasets")))
    assert card_places()["emotions"] == [bundled("datasets") / "emotions.yaml"]


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_card_is_complete(name):
    card = read_card(bundled("datasets") / f"{name}.yaml")
    assert "domain" in card.model_fields_set
    assert card.citation
    assert card.terms
    assert card.home
    assert card.notes
    for role, file in card.files.items():
        if not file.sha256:
            assert card.by_hand, f"{role} can be had neither by fetch nor by hand"
        for url in card.urls(role):
            assert uncompressed_name(url).endswith((".arff", ".xml", ".mat", ".txt")) or (
                Path(url).name == Path(file.path).name
            )


def test_the_sets_of_the_papers_all_have_cards():
    wanted = {"emotions", "yeast", "flags", "cal500", "scene", "enron", "tmc2007-500"}
    wanted |= {"optdigits", "segmentation", "landmine", "corel5k", "corel16k001", "birds"}
    wanted |= {"medical", "bibtex", "mediamill", "nus-wide-6", "nus-wide-16", "msra-mm-2"}
    wanted |= {"corel-1021", "paintings", "paintings-like", "digits", "nam-toy"}
    forms = ("yahoo-{}", "yahoo-{}-arff", "yahoo-reduced-{}")
    wanted |= {form.format(topic) for form in forms for topic in YAHOO}
    wanted |= {"rcv1-subset1"}
    assert wanted <= set(BUNDLED)


@pytest.mark.parametrize("topic", YAHOO)
def test_the_reduced_yahoo_set_cannot_be_taken_for_the_full_one(topic):
    reduced = read_card(bundled("datasets") / f"yahoo-reduced-{topic}.yaml")
    full = read_card(bundled("datasets") / f"yahoo-{topic}.yaml")
    assert "REDUCED" in reduced.title
    assert f"yahoo-{topic}" in reduced.notes[0]
    assert 20 * reduced.expect.features < full.expect.features
    assert f"of {full.expect.features} words" in reduced.title
    assert reduced.expect.labels == full.expect.labels


def test_the_hashes_are_those_of_the_files_at_hand():
    """Against manifests that were written when the files were collected, where they are there."""
    folders = [Path(f) for f in os.environ.get("MLBENCH_DATA", "").split(os.pathsep) if f]
    rows = [
        (manifest, row)
        for folder in folders
        for manifest in sorted(folder.glob("MANIFEST*.csv"))
        for row in csv.DictReader(manifest.read_text().splitlines())
    ]
    if not rows:
        pytest.skip("needs the files and their MANIFEST.csv: set MLBENCH_DATA")
    for manifest, row in rows:
        card = read_card(bundled("datasets") / f"{row['name']}.yaml")
        listed = dict(part.split("=") for part in row["sha256_of_each_file"].split(" ; "))
        for file in card.files.values():
            name = Path(file.path).name
            assert file.sha256 == listed[name]
            assert file.sha256_uncompressed == listed.get(
                f"{Path(file.plain_path).name}(uncompressed)"
            )
            content = (manifest.parent / file.path).read_bytes()
            assert hashlib.sha256(content).hexdigest() == file.sha256
        assert card.expect.samples == int(row["n_samples"])
        assert card.expect.features == int(row["n_features"])
