"""`mlbench audit` as a user and a CI system meet it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from tests.audit.experiments import Method, Search, changed, made, with_true_keys, write

ACROSS = {
    "A": Method(scores={"macro_auc": 0.8}, search=Search(scoring="macro_auc")),
    "B": Method(scores={"macro_auc": 0.7}, search=Search(scoring="macro_f1"), use="mlknn"),
}
WEAK = changed(ACROSS, "B", search=Search(scoring="micro_auc"))
CLEAN = changed(ACROSS, "B", search=Search(scoring="macro_auc"))
RULE = {"check": "tuning-metric", "because": "as the paper did"}


@pytest.fixture
def audit(call, tmp_path):
    """Write an experiment and audit it."""

    def audit(methods, *words, **experiment):
        write(made(methods, path=tmp_path / "run", **experiment))
        return call(tmp_path, "audit", "run", *words)

    return audit


@pytest.mark.parametrize(
    ("methods", "words", "code"),
    [
        (ACROSS, [], 0),
        (ACROSS, ["--strict"], 3),
        (ACROSS, ["--strict", "--check", "grid-edge"], 0),
        (WEAK, ["--strict"], 0),
        (WEAK, ["--strict", "weakens"], 3),
        (CLEAN, ["--strict", "weakens"], 0),
        (ACROSS, ["--strict", "notes"], 2),
        (ACROSS, ["--check", "nonsense"], 2),
        (ACROSS, ["--metric", "nonsense"], 2),
    ],
)
def test_exit_codes(audit, methods, words, code):
    done = audit(methods, *words)
    assert done.exit_code == code, done.output


def test_an_accepted_threat_is_printed_and_lets_strict_pass(audit):
    done = audit(ACROSS, "--strict", audit={"accept": [RULE]})
    assert done.exit_code == 0
    assert "(1) invalidates, tuning-metric: " in done.output
    assert "Accepted: as the paper did" in done.output


def test_the_table_of_threats_has_notes_too(call, tmp_path):
    longer = Search(scoring="macro_auc", values=[*map(float, range(1, 31))])
    write(made(changed(CLEAN, "A", search=longer), path=tmp_path / "run"))
    told = call(tmp_path, "report", "run", "--table", "threats").stdout
    assert "note, search-budget: " in " ".join(told.split())


@pytest.mark.parametrize("check", ["grid-edge", "tuning-metrics"])
def test_a_rule_without_a_threat_is_an_error(audit, check):
    done = audit(ACROSS, audit={"accept": [{**RULE, "check": check}]})
    assert done.exit_code == 2
    assert done.stderr.startswith("error: audit.accept")


def test_a_rule_of_a_misspelled_check_is_refused_before_anything_runs(call, tmp_path):
    (tmp_path / "wrong.yaml").write_text(
        "name: wrong\ndatasets: [digits]\nprotocol: {splits: {train: 0.5, repeats: 2}}\n"
        "methods: {kNN: {use: mlknn}}\n"
        "audit: {accept: [{check: untuned-rivals, because: it is}]}\n"
    )
    for command in (("config", "validate"), ("plan",)):
        refused = call(tmp_path, *command, "wrong.yaml")
        assert refused.exit_code == 2
        assert "wrong.yaml:5:" in refused.stderr
        assert "did you mean 'untuned-rival'" in refused.stderr


def test_a_rule_for_a_misspelled_method_is_told_before_anything_runs(call, tmp_path):
    (tmp_path / "wrong.yaml").write_text(
        "name: wrong\ndatasets: [digits]\nprotocol: {splits: {train: 0.5, repeats: 2}}\n"
        "methods: {kNN: {use: mlknn}}\n"
        "audit: {accept: [{check: untuned-rival, methods: [kN], because: it is}]}\n"
    )
    for command in (("config", "validate"), ("plan",), ("run", "--quiet")):
        told = call(tmp_path, *command, "wrong.yaml")
        assert told.exit_code == 0
        assert "this experiment has no method 'kN' (did you mean 'kNN'?)" in told.stderr


def test_a_check_that_is_spelt_wrong(audit):
    done = audit(ACROSS, "--check", "tuning-metrics")
    assert "did you mean 'tuning-metric'" in done.stderr


def test_the_formats_say_the_same(audit):
    (plain,) = json.loads(audit(ACROSS, "--format", "json").stdout)
    (line,) = csv.DictReader(io.StringIO(audit(ACROSS, "--format", "csv").stdout))
    assert [*line] == [*plain]
    assert line["sentence"] == plain["sentence"]
    assert line["methods"] == "A; B"
    assert plain["sentence"] in audit(ACROSS, "--format", "markdown").stdout
    assert plain["sentence"] in " ".join(audit(ACROSS).stdout.split())


def test_where_nothing_is_wrong(audit):
    assert audit(CLEAN).stdout == (
        "No threat to these comparisons was found by the checks that could judge.\n"
        "Not judged in full, since rows lack a number that this takes: tied-scores.\n"
    )
    one = audit(CLEAN, "--check", "grid-edge").stdout
    assert one == "No threat to these comparisons was found by grid-edge.\n"
    assert json.loads(audit(CLEAN, "--format", "json").stdout) == []
    assert audit(CLEAN, "--format", "csv").stdout == ""


def test_a_folder_that_has_not_run(audit):
    methods = {name: Method(scores={"macro_f1": [...] * 5}) for name in "AB"}
    done = audit(methods, "--strict", "weakens")
    assert done.exit_code == 3
    assert "A and B have no result on toy (10 missing)" in done.stdout


def test_an_exported_folder_says_what_its_run_says(call, tmp_path):
    stopped = {"fit": {"converged": False, "gap": 0.5}, "search": Search(best=2)}
    methods = changed(ACROSS, "B", **stopped, scores={"macro_auc": 0.75})
    write(with_true_keys(made(methods, path=tmp_path / "run")))
    of_run = json.loads(call(tmp_path, "audit", "run", "--format", "json").stdout)
    call(tmp_path, "export", "run", "--folder", "kept")
    of_export = json.loads(call(tmp_path, "audit", "kept", "--format", "json").stdout)
    assert [each["check"] for each in of_run] == ["tuning-metric", "not-converged", "grid-edge"]
    assert of_export == of_run


def test_a_table_in_latex_has_the_threats_to_what_it_shows(audit, call, tmp_path):
    scores = {
        "A": {"macro_auc": 0.8, "hamming_loss": 0.5},
        "B": {"macro_auc": 0.7, "hamming_loss": 0.5},
    }
    methods = {name: replace(each, scores=scores[name]) for name, each in WEAK.items()}
    audit(methods, datasets=[f"set-{n}" for n in range(20)])  # too many for one table
    printed = call(tmp_path, "report", "run", "--format", "latex", "--table", "scores").stdout
    area, loss = printed.split("\\end{table*}")[:2]
    assert "weakens, tuning-metric: " in area
    assert "tuning-metric" not in loss


def test_a_note_in_latex_has_a_number_only_where_a_verdict_refers_to_it(audit, call, tmp_path):
    audit(WEAK)
    words = ["report", "run", "--format", "latex"]
    alone = call(tmp_path, *words).stdout
    assert "\nweakens, tuning-metric: " in alone
    assert "(1)" not in alone
    beside = call(tmp_path, *words, "--table", "scores", "--table", "verdict").stdout
    assert "\n(1) weakens, tuning-metric: " in beside
    assert "(1)" not in call(tmp_path, *words, "--table", "scores").stdout
    verdict = call(tmp_path, *words, "--table", "verdict").stdout
    assert "\n(1) weakens, tuning-metric: " in verdict
