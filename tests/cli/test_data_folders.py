"""Where commands look for the data of an experiment."""

from __future__ import annotations

import hashlib
import json

SONGS = "1 1:1\n2 1:2\n" * 10
CARD = "name: songs\ntitle: Songs\nformat: libsvm\nfiles: {all: {path: songs/songs.svm}}\n"
EXPERIMENT = "name: x\ndatasets: [songs]\nprotocol: {splits: {repeats: 2}}\nmethods: {A: mlknn}\n"


def keys(lab, *words):
    plan = lab.mlbench("plan", *words, "--format", "json")
    assert plan.returncode == 0, plan.stderr
    return [cell["key"] for cell in json.loads(plan.stdout)["cells"]]


def test_a_card_that_stands_only_in_the_given_folder_can_be_checked_and_planned(lab):
    lab.write("elsewhere/songs.yaml", CARD)
    lab.write("elsewhere/songs/songs.svm", SONGS)
    lab.write("x.yaml", EXPERIMENT)
    assert "no data set 'songs'" in lab.mlbench("config", "validate", "x.yaml").stderr
    valid = lab.mlbench("config", "validate", "x.yaml", "--data", "elsewhere")
    assert valid.returncode == 0
    assert "no data were read, which `mlbench plan` does" in valid.stdout
    assert len(keys(lab, "x.yaml", "--data", "elsewhere")) == 2


def test_a_folder_that_does_not_exist_is_refused(lab):
    lab.write("x.yaml", EXPERIMENT.replace("songs", "digits"))
    for command in (["plan"], ["config", "validate"]):
        refused = lab.mlbench(*command, "x.yaml", "--data", "elswhere")
        assert refused.returncode == 2
        assert "'elswhere' does not exist" in refused.stderr


def test_a_file_is_found_beside_the_experiment_and_keys_do_not_depend_on_its_path(lab):
    place = lab.write("mine/songs.svm", SONGS)
    lab.write("mine/x.yaml", EXPERIMENT.replace("songs", "./songs.svm"))
    lab.write("y.yaml", EXPERIMENT.replace("songs", "mine/songs.svm"))
    lab.write("z.yaml", EXPERIMENT.replace("songs", str(place)))
    assert keys(lab, "mine/x.yaml") == keys(lab, "y.yaml") == keys(lab, "z.yaml")


def test_a_file_that_is_not_that_of_its_card_is_told_also_without_progress(lab):
    digest = hashlib.sha256(SONGS.encode()).hexdigest()
    card = CARD.replace("songs.svm}", f"songs.svm, sha256: {digest}}}")
    lab.write("data/songs.yaml", f"{card}expect: {{samples: 20}}\n")
    lab.write("data/songs/songs.svm", SONGS.replace("1:2", "1:3"))
    lab.write("x.yaml", EXPERIMENT)
    words = ("x.yaml", "--data", "data", "--out", "out")
    warning = "songs/songs.svm: its SHA-256 is not the one on the card"
    for quiet in ([], ["--quiet"]):
        ran = lab.mlbench("run", *words, *quiet)
        assert (ran.returncode, warning in ran.stderr) == (0, True)
    lab.write("data/songs/songs.svm", SONGS[:-12])
    refused = lab.mlbench("run", *words)
    assert refused.returncode == 2
    assert "songs: samples should be 20 according to its card, but is 18" in refused.stderr
    assert "`mlbench data verify songs --data " in refused.stderr
    assert "`mlbench data add FILE --name songs --force`, with the options that" in refused.stderr
