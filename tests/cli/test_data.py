from __future__ import annotations

import functools
import hashlib
import http.server
import json
import threading

import pytest
import yaml
from click.testing import CliRunner

from mlbench.bundle import pack
from mlbench.cli.data import data
from mlbench.errors import DataError, MlbenchError
from mlbench.results import Results
from mlbench.results.exported import export_texts
from mlbench.results.reference import reference_of
from mlbench.results.reference_file import reference_text
from tests.plans import FACTS, make_plan
from tests.rows import keyed_row

ARFF = """@relation songs
@attribute tempo numeric
@attribute happy {0,1}
@attribute sad {0,1}
@data
120,1,0
90,1,1
"""
XML = '<labels><label name="happy"></label><label name="sad"></label></labels>'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder with one small data set and its card."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    folder = tmp_path / "data"
    (folder / "songs").mkdir(parents=True)
    (folder / "songs" / "songs.arff").write_text(ARFF)
    (folder / "songs" / "songs.xml").write_text(XML)
    write_card(folder)
    return folder


def write_card(folder, **changes):
    card = {
        "name": "songs",
        "title": "Songs and moods",
        "format": "mulan",
        "files": {
            "all": {"path": "songs/songs.arff", "sha256": sha256(ARFF)},
            "labels": {"path": "songs/songs.xml", "sha256": sha256(XML)},
        },
        "expect": {"samples": 2, "features": 1, "labels": 2},
        "notes": ["Only two songs."],
    }
    (folder / "songs.yaml").write_text(yaml.safe_dump({**card, **changes}))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def run(*arguments, code=0):
    result = CliRunner().invoke(data, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout


def row_of(output, name):
    return next(line.split() for line in output.splitlines() if line.startswith(f"{name} "))


def test_list_shows_counts_and_presence(folder):
    output = run("list", "--data", folder)
    assert row_of(output, "songs") == ["songs", "other", "2", "1", "2", "mulan", "here"]
    assert row_of(output, "emotions") == ["emotions", "music", "593", "72", "6", "mulan", "absent"]
    assert row_of(output, "landmine")[4:6] == ["29", "tasks"]
    assert row_of(output, "digits")[-1] == "generated"


def test_list_as_json(folder):
    rows = {
        row["name"]: row for row in json.loads(run("list", "--data", folder, "--format", "json"))
    }
    assert rows["songs"] == {
        "name": "songs",
        "title": "Songs and moods",
        "domain": "other",
        "samples": 2,
        "features": 1,
        "labels": 2,
        "tasks": None,
        "format": "mulan",
        "files": "here",
    }


def test_one_faulty_card_does_not_hide_the_others(folder):
    write_card(folder, tittle="x")
    result = CliRunner().invoke(data, ["list", "--data", str(folder)])
    assert result.exit_code == 0
    assert "unknown key (did you mean 'title'?)" in result.stderr
    assert row_of(result.stdout, "emotions")


def test_long_names_are_not_cut_where_there_is_no_terminal(folder):
    assert "yahoo-reduced-entertainment " in run("list")


def test_describe_shows_data_sets_side_by_side(folder):
    output = run("describe", "songs", "{use: nam-toy, tasks: 3, samples: 20}", "--data", folder)
    assert output.splitlines()[0].split() == ["songs", "nam-toy[samples=20,tasks=3]"]
    assert row_of(output, "cardinality")[1] == "1.500"
    assert "most common pairs of labels in songs\n        1  happy and sad" in output


def test_describe_writes_json_and_a_figure(folder):
    path = folder / "frequencies.svg"
    (facts,) = json.loads(
        run("describe", "songs", "--format", "json", "--figure", path, "--data", folder)
    )
    assert [label["positives"] for label in facts["frequencies"]] == [2, 1]
    assert facts["mean_imbalance"] == 1.5
    assert "happy" in path.read_text()


def test_show_tells_files_fingerprint_and_notes(folder):
    output = run("show", "songs", "--data", folder)
    assert "Songs and moods" in output
    assert str(folder / "songs" / "songs.arff") in output
    assert "Only two songs." in output
    fingerprint = json.loads(run("show", "songs", "--data", folder, "--format", "json"))[
        "fingerprint"
    ]
    assert len(fingerprint) == 64
    assert fingerprint in output


def test_show_says_how_to_get_what_is_not_here(folder):
    output = run("show", "yahoo-arts")
    assert "(not found)" in output
    assert "mlbench data fetch yahoo-arts" in output
    assert "By hand" in output
    facts = json.loads(run("show", "yahoo-arts", "--format", "json"))
    assert facts["fingerprint"] is None
    assert facts["found"] == {"all": None}
    assert facts["expect"]["samples"] == 7484


def test_show_says_which_card_overrides_which(folder):
    write_card(folder, name="emotions", title="My own")
    (folder / "songs.yaml").rename(folder / "emotions.yaml")
    output = run("show", "emotions", "--data", folder)
    assert "My own" in output
    assert "overrides" in output
    assert (
        len(json.loads(run("show", "emotions", "--data", folder, "--format", "json"))["cards"]) == 2
    )


def test_show_says_why_files_cannot_be_loaded(folder):
    (folder / "songs" / "songs.arff").write_text(ARFF + "80,1\n")
    assert "cannot be loaded" in run("show", "songs", "--data", folder)


def test_an_unknown_name_is_an_error_with_a_suggestion(folder):
    for command in ("show", "verify", "fetch"):
        with pytest.raises(DataError, match="did you mean 'emotions'"):
            run(command, "emotion")


def test_verify_says_ok(folder):
    output = run("verify", "songs", "--data", folder)
    assert output.startswith("songs: ok\n")
    assert "samples: 2" in output


def test_verify_finds_damage_and_ends_with_1(folder):
    (folder / "songs" / "songs.arff").write_text(ARFF + "80,0,0\n")
    output = run("verify", "songs", "--data", folder, code=1)
    assert "songs: damaged" in output
    assert f"expected {sha256(ARFF)}" in output
    assert "samples: 3, the card says 2" in output
    (report,) = json.loads(run("verify", "songs", "--data", folder, "--format", "json", code=1))
    assert report["status"] == "damaged"
    assert report["files"][0]["state"] == "differs"


def test_verify_ends_with_1_where_a_named_set_is_not_here(folder):
    assert "emotions: absent" in run("verify", "emotions", code=1)


def test_verify_all_passes_over_what_is_not_here(folder):
    reports = json.loads(run("verify", "--all", "--data", folder, "--format", "json"))
    generated = {"digits", "nam-toy", "paintings-like"}
    assert {report["name"] for report in reports} == {"songs", *generated}
    assert {report["status"] for report in reports} == {"ok"}


def test_verify_all_goes_on_after_a_card_that_it_cannot_read(folder):
    (folder / "broken.yaml").write_text("format: [")
    result = CliRunner().invoke(data, ["verify", "--all", "--data", str(folder)])
    assert result.exit_code == 2
    assert "left out:" in result.stderr
    assert "broken.yaml:" in result.stderr
    assert "songs: ok" in result.stdout


@pytest.mark.parametrize("arguments", [["verify"], ["verify", "songs", "--all"], ["fetch"]])
def test_wrong_usage_ends_with_2(folder, arguments):
    run(*arguments, code=2)


def test_add_then_show_and_verify(folder, tmp_path):
    (tmp_path / "mine-train.svm").write_text("1,2 1:0.5 3:1\n2 2:1\n")
    (tmp_path / "mine-test.svm").write_text("1 3:1\n")
    output = run("add", tmp_path / "mine-train.svm")
    assert "mine: 3 samples, 3 features, 2 labels" in output
    assert f"card: {tmp_path / 'share' / 'mlbench' / 'datasets' / 'mine.yaml'}" in output
    run("verify", "mine")
    assert row_of(run("list"), "mine")[-1] == "here"
    with pytest.raises(DataError, match="--force"):
        run("add", tmp_path / "mine-train.svm")
    run("add", tmp_path / "mine-train.svm", "--force")


def test_text_columns_are_counted_by_add_and_by_verify(folder, tmp_path):
    rows = "".join(f"{i},word{i} other,{i % 2}\n" for i in range(6))
    (tmp_path / "m.csv").write_text(f"a,note,y\n{rows}")
    words = ("add", tmp_path / "m.csv", "--labels", "y", "--set", "text=[note]")
    assert "m: 6 samples, 2 features, 1 label" in run(*words)
    assert "differs" not in run("verify", "m")


def test_add_takes_a_name_a_place_and_options(folder, tmp_path):
    (tmp_path / "f.csv").write_text("red,1,2\nblue,3,4\n")
    place = tmp_path / "place"
    run(
        "add",
        tmp_path / "f.csv",
        "--name",
        "flowers",
        "--to",
        place,
        "--set",
        "class_column=first",
    )
    card = yaml.safe_load((place / "flowers.yaml").read_text())
    assert card["options"] == {"class_column": "first"}


def test_add_and_show_name_the_attributes_that_are_left_out(folder, tmp_path):
    header, _, rows = ARFF.partition("@data\n")
    named = rows.replace("120", "a,120").replace("90", "b,90")
    header = header.replace("@attribute tempo", "@attribute title string\n@attribute tempo")
    (tmp_path / "mine.arff").write_text(f"{header}@data\n{named}")
    (tmp_path / "mine.xml").write_text(XML)
    output = run("add", tmp_path / "mine.arff")
    assert "2 samples, 2 features, 2 labels" in output
    assert "left out 1 of 2 columns: 'title' (text or dates)" in output
    assert "to keep such columns: --set 'nominal=[NAME]' or --set 'text=[NAME]'" in output
    assert "left out     1 of 2 columns: 'title' (text or dates)" in run("show", "mine")
    assert "left out" not in run("show", "songs", "--data", folder)


def test_add_takes_a_folder_with_both_files(folder, tmp_path):
    pair = tmp_path / "flowers"
    pair.mkdir()
    (pair / "X.csv").write_text("size\n0.5\n0.25\n")
    (pair / "Y.csv").write_text("red\n1\n0\n")
    assert "flowers: 2 samples, 1 feature, 1 label, " in run("add", pair)


@pytest.mark.parametrize(
    ("labels", "option"),
    [
        ("prefix: y_", {"prefix": "y_"}),
        ("{last: 2}", {"last": 2}),
        ("y_sings,y_flies", ["y_sings", "y_flies"]),
        ("-2, -1", [-2, -1]),
    ],
)
def test_add_takes_the_labels_from_columns(folder, tmp_path, labels, option):
    path = tmp_path / "finches.csv"
    path.write_text("size,y_sings,y_flies\n1.5,1,0\n2.5,1,1\n")
    output = run("add", path, "--labels", labels)
    assert "finches: 2 samples, 1 feature, 2 labels, 1.5 cardinality (table)" in output
    facts = json.loads(run("show", "finches", "--format", "json"))
    assert facts["options"] == {"label_columns": option}
    assert "finches: ok" in run("verify", "finches")


@pytest.mark.parametrize("labels", ["gone.csv", "{last"])
def test_labels_that_are_neither_columns_nor_a_file_are_wrong_usage(folder, labels):
    run("add", folder / "songs" / "songs.arff", "--labels", labels, code=2)


def test_add_asks_for_the_labels_of_a_table(folder, tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text("tempo,loud,fast,slow\n1,2,0,1\n2,3,1,0\n")
    with pytest.raises(MlbenchError, match="for example `--labels fast,slow`"):
        run("add", path)


def test_options_that_a_renewed_card_loses_are_told(folder, tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text("tempo,key,fast,slow\n" + "1,c,0,1\n2,d,1,0\n" * 5)
    words = ("add", path, "--name", "mine", "--labels", "fast,slow")
    assert "no longer on the card" not in run(*words, "--set", "nominal=[key]")
    renewed = run(*words, "--force")
    assert "no longer on the card: nominal; to keep: --set 'nominal=[key]', and" in renewed
    kept = run(*words, "--force", "--set", "nominal=[key]")
    assert "no longer on the card" not in kept


def test_add_says_how_it_keeps_missing_values(folder, tmp_path):
    path = tmp_path / "gaps.arff"
    path.write_text(ARFF.replace("120", "?").replace("songs", "'gaps: -C -2'"))
    with pytest.raises(DataError, match="`--set missing=keep`"):
        run("add", path)
    assert "gaps: 2 samples" in run("add", path, "--set", "missing=keep")


def test_a_setting_without_a_value_is_wrong_usage(folder):
    run("add", folder / "songs" / "songs.arff", "--set", "missing", code=2)


def test_fetch_downloads_into_the_folder_that_is_asked_for(folder, tmp_path):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        card_only = tmp_path / "cards"
        card_only.mkdir()
        write_card(card_only, mirrors=[f"http://127.0.0.1:{server.server_port}"])
        outputs = [
            run("fetch", "songs", "--data", card_only, "--to", tmp_path / "new") for _ in range(2)
        ]
        server.shutdown()
        thread.join()
    assert [each.partition(", in ")[0] for each in outputs] == [
        "songs: downloaded: 2",
        "songs: already here: 2",
    ]
    assert (tmp_path / "new" / "songs" / "songs.arff").read_text() == ARFF


def test_fetching_a_generated_set_needs_no_files(folder):
    assert run("fetch", "digits") == "digits: needs no files\n"


def test_the_data_of_published_results_are_fetched_by_their_names(folder, tmp_path):
    uses = {"toy": "nam-toy", "digits": "digits", "again": "digits", "own": "own/table.csv"}
    datasets = {name: {"use": use, "as": name} for name, use in uses.items()}
    data_of_toy = {"name": "toy", "fingerprint": FACTS.fingerprint}
    row = keyed_row(identity={"dataset": data_of_toy, "method": {"name": "br"}})
    plan = make_plan(datasets, cells=[("toy", "A", 0, row.key)])
    results = Results(tmp_path, plan, {row.key: row}, "export")
    published = tmp_path / "published.json.xz"
    reference = reference_text(reference_of(results))
    published.write_bytes(
        pack({**dict(export_texts(results, ["macro_f1"])), "reference.json": reference})
    )
    result = CliRunner().invoke(data, ["fetch", "--base", str(published)])
    assert result.stdout.splitlines() == ["nam-toy: needs no files", "digits: needs no files"]
    assert result.stderr.startswith("own/table.csv: is a file of whoever published ")


def test_a_file_only_to_be_had_by_hand_is_told(folder):
    write_card(folder, by_hand="Ask the singer.")
    (folder / "songs" / "songs.xml").unlink()
    with pytest.raises(DataError, match="Ask the singer"):
        run("fetch", "songs", "--data", folder)


@pytest.mark.parametrize("command", ["list", "show", "describe", "add", "fetch", "verify"])
def test_every_command_teaches_by_an_example(command):
    assert f"\n    mlbench data {command}" in run(command, "--help")
