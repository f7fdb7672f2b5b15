"""`mlbench check` as a user and a CI system meet it."""

from __future__ import annotations

import json
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest

from mlbench.check.rules import TOLERANCE
from mlbench.cli.check import check
from mlbench.hashing import canonical_json, digest

EXPERIMENT = """
name: guarded
datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 6}}
methods:
  weak: {use: br, base: logistic, C: 0.01}
  BR: {use: br, base: logistic}
metrics: [macro_f1, macro_auc]
"""


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory, make_lab):
    lab = make_lab(tmp_path_factory.mktemp("check"))
    lab.write("guarded.yaml", EXPERIMENT)
    finished = lab.mlbench("run", "guarded.yaml", "--quiet", "--jobs", "2")
    assert finished.returncode == 0, finished.stderr
    return lab


@pytest.fixture
def guarded(finished_run, call, make_lab, tmp_path):
    """A run with its reference, to spoil; ``guarded.check`` compares the two."""
    shutil.copytree(finished_run.folder, tmp_path / "lab")
    lab = make_lab(tmp_path / "lab")
    made = call(lab.folder, "check", "runs/guarded", "--write", "reference.json")
    assert made.exit_code == 0, made.stderr
    lab.check = lambda *words: call(
        lab.folder, "check", "runs/guarded", "--against", "reference.json", *words
    )
    lab.reference = lab.folder / "reference.json"
    return lab


def test_an_unfinished_run_makes_no_reference(guarded, call):
    next(guarded.folder.glob("runs/guarded/rows/*/*.json")).unlink()
    refused = call(guarded.folder, "check", "runs/guarded", "--write", "more.json")
    assert refused.exit_code == 2
    assert "runs/guarded: 1 cell was not run" in refused.stderr
    assert not (guarded.folder / "more.json").exists()


@pytest.mark.parametrize("name", ["no/where/x.json", "guarded.yaml/x.json", "x" * 300])
@pytest.mark.parametrize("option", ["--write", "--junit"])
def test_a_file_that_cannot_be_written_is_named(guarded, call, option, name):
    (guarded.folder / "no").write_text("a file")
    against = () if option == "--write" else ("--against", "reference.json")
    refused = call(guarded.folder, "check", "runs/guarded", *against, option, name)
    assert refused.exit_code == 2
    assert f"{name}: cannot be written: " in refused.stderr


def change_rows(lab, change, method="BR"):
    """Rewrite the rows of a method, whole and with their hash."""
    for path in sorted(lab.folder.glob("runs/guarded/rows/*/*.json")):
        row = json.loads(path.read_text())["row"]
        if row["method"] == method:
            change(row)
            path.write_text(f'{{"sha256":"{digest(row)}","row":{canonical_json(row)}}}')


def lower_f1(row):
    row["metrics"]["macro_f1"] -= 0.02 + 0.001 * row["split"]


def nudge_f1(row):
    row["metrics"]["macro_f1"] = float(np.nextafter(row["metrics"]["macro_f1"], 2))


def pretend_another_environment(lab):
    text = lab.reference.read_text()
    older = text.replace(f'"numpy": "{np.__version__}"', '"numpy": "1.0.0"')
    assert older != text
    lab.reference.write_text(older)


def remove_one_row(lab):
    next(lab.folder.glob("runs/guarded/rows/*/*.json")).unlink()


def test_the_same_numbers_end_with_0(guarded):
    found = guarded.check()
    assert (found.exit_code, found.stdout) == (0, "guarded: 4 numbers checked: 4 same\n")


def test_junit_does_not_replace_the_reference(guarded):
    before = guarded.reference.read_text()
    refused = guarded.check("--junit", "./reference.json")
    assert refused.exit_code == 2
    assert "--junit names the reference" in refused.stderr
    assert guarded.reference.read_text() == before


def test_of_other_splits_the_rule_is_told(guarded, call):
    done = call(
        guarded.folder, "run", "guarded.yaml", "--set", "protocol.splits.seed=9", "--out", "other"
    )
    assert done.exit_code == 0, done.stderr
    told = call(guarded.folder, "check", "other", "--against", "reference.json")
    words = " ".join(told.stdout.split())
    assert "p is of Welch's t-test. What it does not find significant has drifted" in words
    assert "Welch" not in guarded.check().stdout


def test_an_exported_folder_stands_for_its_reference(guarded, call):
    assert call(guarded.folder, "export", "runs/guarded", "--folder", "kept").exit_code == 0
    assert call(guarded.folder, "check", "runs/guarded", "--against", "kept").exit_code == 0
    refused = call(guarded.folder, "check", "runs/guarded", "--against", "runs")
    assert refused.exit_code == 2
    assert "runs is a folder without a reference.json" in refused.stderr


def test_an_exported_folder_is_verified_as_a_whole(guarded, call):
    call(guarded.folder, "export", "runs/guarded", "--folder", "kept")
    seconds = guarded.folder / "kept/seconds.csv"
    seconds.write_text(seconds.read_text().replace(",0.", ",1.", 1))
    refused = call(guarded.folder, "check", "runs/guarded", "--against", "kept")
    assert refused.exit_code == 2
    assert "kept/seconds.csv: has another SHA-256 than reference.json says" in refused.stderr


def test_a_reference_of_failed_cells_says_so(guarded, call):
    failed = {"status": "error", "failure": {"kind": "error", "message": "m", "traceback": ""}}
    change_rows(guarded, lambda row: row.update(failed, metrics={}, seconds={}))
    made = call(guarded.folder, "check", "runs/guarded", "--write", "failed.json")
    assert made.exit_code == 0, made.stderr
    assert "6 cells failed, and no check will ask for them: see mlbench status" in made.stderr


def test_one_bit_ends_with_3_where_nothing_changed(guarded):
    change_rows(guarded, nudge_f1)
    found = guarded.check()
    assert found.exit_code == 3
    assert "same key, same environment, other bits on splits 0 to 5" in found.stdout


def test_one_bit_ends_with_0_elsewhere_and_is_told(guarded):
    change_rows(guarded, nudge_f1)
    pretend_another_environment(guarded)
    found = guarded.check()
    assert found.exit_code == 0
    assert "1 drifted, 3 same" in found.stdout
    assert f"numpy 1.0.0 -> {np.__version__}" in found.stdout


def test_a_moved_number_ends_with_3_elsewhere_too(guarded):
    change_rows(guarded, lower_f1)
    pretend_another_environment(guarded)
    found = guarded.check("--format", "json")
    assert found.exit_code == 3
    verdicts = {
        (number["method"], number["metric"]): number["verdict"]
        for number in json.loads(found.stdout)["numbers"]
    }
    moved = [name for name, verdict in verdicts.items() if verdict == "moved"]
    assert moved == [("BR", "macro_f1")]
    assert guarded.check("--tolerance", "0.5").exit_code == 3
    assert "| moved | toy | BR | macro\\_f1 |" in guarded.check("--format", "markdown").stdout


def test_missing_cells_end_with_1_and_moved_numbers_go_first(guarded):
    remove_one_row(guarded)
    found = guarded.check()
    assert (found.exit_code, "1 cell lost" in found.stdout) == (1, True)
    change_rows(guarded, lower_f1)
    assert guarded.check().exit_code == 3


def test_failed_cells_end_with_1(guarded):
    def fail(row):
        failure = {"kind": "timeout", "message": "took too long", "traceback": ""}
        row.update(status="timeout", metrics={}, failure=failure)

    change_rows(guarded, fail)
    found = guarded.check()
    told = " ".join(found.stdout.split())
    assert found.exit_code == 1
    assert "lost: toy/BR, splits 0 to 5: failed (timeout): took too long." in told
    assert "the first one's message is shown" in told


def test_a_change_of_settings_is_told(guarded):
    other = EXPERIMENT.replace("base: logistic}", "base: logistic, C: 0.1}")
    guarded.write("guarded.yaml", other)
    assert guarded.mlbench("run", "guarded.yaml", "--quiet").returncode == 0
    found = " ".join(guarded.check().stdout.split())
    assert "method.params.base.params.C 1.0 -> 0.1 (of toy/BR)" in found


def test_strictly_another_definition_moves_a_number_that_stays_the_same(guarded):
    other = EXPERIMENT.replace("base: logistic}", "base: logistic, C: 1.00000001}")
    guarded.write("guarded.yaml", other)
    assert guarded.mlbench("run", "guarded.yaml", "--quiet").returncode == 0
    assert guarded.check().exit_code == 0
    found = guarded.check("--strict", "--format", "json")
    assert found.exit_code == 3
    why = {(each["method"], each["why"]) for each in json.loads(found.stdout)["numbers"]}
    assert ("weak", "") in why
    assert ("BR", "what it depends on has changed: method.params.base.params.C") in why
    told = " ".join(guarded.check("--strict").stdout.split())
    assert "The check is strict: a number has moved, too, if what it depends on has changed" in told
    assert "The check is strict: " not in guarded.check().stdout


def test_a_damaged_reference_ends_with_2_and_its_line(guarded):
    lines = guarded.reference.read_text().splitlines()
    lines[6] = "=======" + lines[6]
    guarded.reference.write_text("\n".join(lines))
    found = guarded.check()
    assert (found.exit_code, found.stdout) == (2, "")
    assert "reference.json:7:1: two versions are not merged; take one of them whole" in found.stderr
    guarded.reference.write_text("\n".join(lines[:6]))
    cut = guarded.check()
    assert cut.exit_code == 2
    assert "not a whole reference: restore a whole version of it" in cut.stderr


def test_an_experiment_in_the_place_of_a_reference_is_told_as_such(guarded, call):
    found = call(guarded.folder, "check", "runs/guarded", "--against", "guarded.yaml")
    assert found.exit_code == 2
    assert "guarded.yaml: an experiment, or another YAML file; a reference is the" in found.stderr


def test_junit_is_written_beside_what_is_printed(guarded):
    change_rows(guarded, lower_f1)
    assert guarded.check("--junit", "out/check.xml").exit_code == 3
    (suite,) = ElementTree.parse(guarded.folder / "out/check.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "0")


def test_numbers_that_were_taken_over_are_told_to_check_nothing(guarded, call):
    call(guarded.folder, "export", "runs/guarded", "--folder", "kept")
    words = ("run", "guarded.yaml", "--from", "kept", "--out", "taken", "-q")
    assert call(guarded.folder, *words).exit_code == 0
    found = call(guarded.folder, "check", "taken", "--against", "kept")
    assert found.exit_code == 0
    told = " ".join(found.stdout.split())
    assert "cells were taken over from guarded" in told
    assert "not run here, so their numbers check nothing" in told


def test_an_update_needs_a_reason_and_records_it(guarded):
    change_rows(guarded, lower_f1)
    before = guarded.reference.read_bytes()
    for words in ([], ["--reason", " "]):
        refused = guarded.check("--update", *words)
        assert refused.exit_code == 2
        assert "--update needs --reason" in refused.stderr
    assert guarded.reference.read_bytes() == before
    assert guarded.check("--update", "--reason", "a cheaper model").exit_code == 0
    (entry,) = json.loads(guarded.reference.read_text())["history"]
    assert entry["reason"] == "a cheaper model"
    assert entry["versions"]["numpy"] == np.__version__
    assert [line.split(":")[0] for line in entry["moved"]] == ["toy/BR macro_f1"]
    assert guarded.check().exit_code == 0
    updated = guarded.reference.read_bytes()
    again = guarded.check("--update", "--reason", "once more")
    assert (again.exit_code, guarded.reference.read_bytes()) == (0, updated)
    assert "reference.json: nothing differs, so it stays as it is" in again.stderr
    change_rows(guarded, lower_f1)
    said = " ".join(guarded.check().stdout.split())
    assert "was updated 1 time, last on" in said
    assert ": a cheaper model. The history is at the end of its file." in said


def test_an_update_says_that_the_rest_of_an_export_is_of_before(guarded, call):
    assert call(guarded.folder, "export", "runs/guarded", "--folder", "kept").exit_code == 0
    change_rows(guarded, lower_f1)
    words = ("check", "runs/guarded", "--against", "kept", "--update", "--reason", "cheaper")
    found = call(guarded.folder, *words)
    assert found.exit_code == 0
    assert "mlbench export runs/guarded --folder kept writes them anew" in found.stderr


def test_the_export_after_an_update_has_nothing_to_warn_of(guarded, call):
    assert call(guarded.folder, "export", "runs/guarded", "--folder", "kept").exit_code == 0
    change_rows(guarded, lower_f1)
    words = ("check", "runs/guarded", "--against", "kept", "--update", "--reason", "cheaper")
    assert call(guarded.folder, *words).exit_code == 0
    anew = call(guarded.folder, "export", "runs/guarded", "--folder", "kept")
    assert (anew.exit_code, "warning" in anew.stderr) == (0, False)
    again = call(guarded.folder, "check", "runs/guarded", "--against", "kept", "--strict")
    assert "4 same" in again.stdout
    assert "cheaper" in (guarded.folder / "kept/reference.json").read_text()


def test_a_renamed_method_is_told_where_its_rows_are_kept(guarded, call):
    guarded.write("guarded.yaml", EXPERIMENT.replace("  weak:", "  weaker:"))
    assert "0 to run" in call(guarded.folder, "run", "guarded.yaml").stderr
    found = guarded.check("--junit", "check.xml")
    assert found.exit_code == 1
    renamed = "renamed: the cells of toy/weak are those of toy/weaker now, with the same keys"
    assert renamed in found.stdout.replace("\n", " ")
    assert (guarded.folder / "check.xml").exists()


def test_scores_beside_a_reference_alone_are_no_export(guarded, call):
    (guarded.folder / "scores.csv").write_text("dataset,method\n")
    change_rows(guarded, lower_f1)
    found = guarded.check("--update", "--reason", "a cheaper model")
    assert found.exit_code == 0
    assert "numbers of before" not in found.stderr


def test_an_update_that_would_forget_cells_leaves_the_file_alone(guarded):
    remove_one_row(guarded)
    before = guarded.reference.read_bytes()
    refused = guarded.check("--update", "--reason", "why not")
    assert refused.exit_code == 2
    assert "not updated while cells are lost" in refused.stderr
    assert guarded.reference.read_bytes() == before
    assert not list(guarded.folder.glob("*.tmp"))


def test_more_metrics_can_be_guarded(guarded, call):
    words = ["check", "runs/guarded", "--write", "more.json", "--metric", "one_error"]
    assert call(guarded.folder, *words).exit_code == 0
    found = call(guarded.folder, "check", "runs/guarded", "--against", "more.json")
    assert found.stdout.startswith("guarded: 2 numbers checked: 2 same\n")
    assert "Not checked: macro_f1, macro_auc, which the experiment shows" in found.stdout
    nothing = guarded.check("--metric", "nope", "--update", "--reason", "why")
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    words = ["--metric", "macro_f1", "--metric", "one_error", "--update", "--reason", "F1, too"]
    more = call(guarded.folder, "check", "runs/guarded", "--against", "more.json", *words)
    assert (more.exit_code, more.stderr) == (0, "more.json: updated\n")
    assert "Not checked: macro_auc, which the experiment shows" in more.stdout
    kept = json.loads((guarded.folder / "more.json").read_text())
    assert kept["metrics"] == ["macro_f1", "one_error"]
    assert kept["history"][0]["changed"] == ["Metrics: one_error -> macro_f1, one_error."]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give --against FILE to check, or --write FILE to make a reference"),
        (
            ["--write", "a.json", "--against", "reference.json"],
            "give --against FILE to check, or --write FILE, not both",
        ),
        (["--write", "reference.json"], "exists already"),
        (["--write", "a.json", "--update"], "go with --against"),
        (["--against", "reference.json", "--reason", "x"], "--reason goes with --update"),
        (["--against", "reference.json", "--metric", "macro_f1"], "--metric goes with --write"),
        (["--against", "nothing.json"], "nothing.json: cannot be read"),
        (["--against", "reference.json", "--tolerance", "nan"], "must be a finite number, not nan"),
        (["--against", "reference.json", "--tolerance", "inf"], "must be a finite number, not inf"),
    ],
)
def test_wrong_usage_ends_with_2(guarded, call, words, message):
    found = call(guarded.folder, "check", "runs/guarded", *words)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr


def test_the_tolerance_is_the_one_that_is_documented():
    (option,) = [each for each in check.params if each.name == "tolerance"]
    assert option.default == TOLERANCE


def test_another_experiment_ends_with_2(guarded, call):
    text = guarded.reference.read_text().replace('"guarded"', '"other"')
    guarded.reference.write_text(text)
    assert guarded.check().exit_code == 2
    assert call(guarded.folder, "check", "nowhere", "--against", "reference.json").exit_code == 2


def test_help_teaches(call, tmp_path):
    helped = call(tmp_path, "check", "--help")
    assert "mlbench check runs/quickstart --against results/quickstart.json" in helped.stdout


def test_a_part_is_checked_alone(guarded, call):
    for path in guarded.folder.glob("runs/guarded/rows/*/*.json"):
        if '"method": "weak"' in (text := path.read_text()) or '"method":"weak"' in text:
            path.unlink()
    assert guarded.check().exit_code == 1
    part = guarded.check("--method", "BR", "--dataset", "toy")
    assert (part.exit_code, "weak" in part.stdout) == (0, False)
    assert guarded.check("--method", "weak").exit_code == 1


def test_a_part_has_names_of_the_reference_and_is_not_written(guarded, call):
    wrong = guarded.check("--method", "BRR")
    assert wrong.exit_code == 2
    assert "no method 'BRR' in the results (did you mean 'BR'?)" in wrong.stderr
    update = guarded.check("--method", "BR", "--update", "--reason", "why not")
    assert update.exit_code == 2
    assert "go with --against alone" in update.stderr


@pytest.mark.parametrize("words", [["--strict"], ["--tolerance", "0.01"], ["--format", "json"]])
def test_options_that_compare_do_not_go_with_write(guarded, call, words):
    refused = call(guarded.folder, "check", "runs/guarded", "--write", "more.json", *words)
    assert refused.exit_code == 2
    assert f"{words[0]} goes with --against" in refused.stderr


def test_a_metric_taken_out_of_the_list_does_not_pass(guarded):
    text = guarded.reference.read_text()
    guarded.reference.write_text(text.replace('  "macro_f1",\n', "", 1))
    refused = guarded.check()
    assert refused.exit_code == 2
    assert "macro_f1 is not in metrics" in refused.stderr


def test_an_altered_key_or_identity_does_not_pass(guarded):
    whole = json.loads(guarded.reference.read_text())
    whole["series"][0]["identity"]["split"]["seed"] = 7
    guarded.reference.write_text(json.dumps(whole))
    refused = guarded.check()
    assert refused.exit_code == 2
    assert "key is not the hash of its identity" in refused.stderr


def test_json_has_the_counts_and_the_exit_code(guarded):
    plain = json.loads(guarded.check("--format", "json").stdout)
    assert plain["counts"] == {
        **{"moved": 0, "missing": 0, "drifted": 0, "new": 0, "same": 4},
        **{"failed": 0, "lost_cells": 0},
    }
    assert plain["exit_code"] == 0
