"""`mlbench compare` as a user meets it."""

from __future__ import annotations

import csv
import io

import pytest

EXPERIMENT = """
name: small
datasets:
  - {use: nam-toy, as: two, tasks: 2, samples: 60, dimensions: 4}
  - {use: nam-toy, as: four, tasks: 4, samples: SAMPLES, dimensions: 4}
protocol: {splits: {train: 0.5, repeats: REPEATS, seed: SEED}}
methods:
  ML-kNN: {use: mlknn, k: NEIGHBORS}
  NAME: {use: br, base: tree}
metrics: [macro_f1, hamming_loss]
"""
BEFORE = {"SAMPLES": "60", "REPEATS": "5", "SEED": "0", "NEIGHBORS": "5", "NAME": "tree"}


def experiment(**changes):
    text = EXPERIMENT
    for word, value in {**BEFORE, **changes}.items():
        text = text.replace(word, value)
    return text


@pytest.fixture(scope="module")
def finished(tmp_path_factory, make_lab):
    """Results before a change, after it, and on other splits."""
    lab = make_lab(tmp_path_factory.mktemp("compare"))
    for name, changes in {
        "before": {},
        "after": {"SAMPLES": "70", "REPEATS": "3", "NEIGHBORS": "9", "NAME": "BR tree"},
        "reseeded": {"SEED": "1"},
    }.items():
        lab.write(f"{name}.yaml", experiment(**changes))
        ran = lab.mlbench("run", f"{name}.yaml", "--out", name, "--quiet", "--jobs", "1")
        assert ran.returncode == 0, ran.stderr
    return lab


@pytest.fixture
def compare(finished, call):
    return lambda *words: call(finished.folder, "compare", *words)


def lines(shown):
    return [line for line in csv.DictReader(io.StringIO(shown.stdout)) if line["n_a"] != "n_a"]


def test_common_splits_are_paired_and_all_else_is_named(compare):
    shown = compare("before", "after")
    assert shown.exit_code == 0, shown.stderr
    for words in (
        "Macro F1: before (A) and after (B)",
        "† two/ML-kNN: 3 common splits; 5 in A, 3 in B.",
        "other data (the fingerprints differ): four/ML-kNN.",
        "Only in A: two/tree, four/tree.",
        "Only in B: two/BR tree, four/BR tree.",
        "What the results depend on differs between A and B: ",
        "method.params.k 5 -> 9 (of four/ML-kNN).",
    ):
        assert words in " ".join(shown.stdout.split())


def test_a_renamed_method_is_matched_when_told(compare):
    shown = compare("before", "after", "--map", "tree=BR tree", "--format", "csv")
    (line,) = [
        line
        for line in lines(shown)
        if (line["dataset"], line["method"], line["metric"]) == ("two", "BR tree", "macro_f1")
    ]
    assert (line["n_common"], line["note"]) == ("3", "same cells")
    assert line["mean_a"] == line["mean_b"]


def test_a_method_is_compared_with_another_one_that_both_folders_have(compare):
    shown = compare("before", "before", "--map", "tree=ML-kNN", "--metric", "macro_f1")
    assert "Only in A: two/ML-kNN (A), four/ML-kNN (A)." in shown.stdout
    assert "ML-kNN is tree in A." in shown.stdout
    itself, mapped = (
        lines(compare("before", "before", *words, "--metric", "macro_f1", "--format", "csv"))
        for words in ((), ("--map", "tree=ML-kNN"))
    )
    means = {(line["dataset"], line["method"]): line["mean_a"] for line in itself}
    for line in mapped:
        assert line["mean_a"] == means[line["dataset"], "tree"]
        assert line["mean_b"] == means[line["dataset"], "ML-kNN"]


def test_some_data_sets_and_methods_alone_are_shown_and_tested(compare):
    words = ("--map", "tree=ML-kNN", "--dataset", "two", "--method", "ML-kNN")
    shown = compare("before", "before", *words, "--metric", "macro_f1").stdout
    assert "corrected for 1 test." in " ".join(shown.split())
    assert "four" not in shown
    assert "Only in" not in shown


def test_splits_of_another_seed_are_not_paired(compare):
    shown = lines(compare("before", "reseeded", "--format", "csv"))
    assert {line["note"] for line in shown} == {"splits: seed 0 in A, 1 in B"}
    assert {line["p_value"] for line in shown} == {""}


@pytest.mark.parametrize(("form", "sign"), [("markdown", "| two | ML-kNN |"), ("latex", "toprule")])
def test_other_forms_and_metrics(compare, form, sign):
    shown = compare("before", "after", "--metric", "micro_auc", "--format", form)
    assert sign in shown.stdout
    assert "Macro F1" not in shown.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["before"], "the comparison with a paper is now `mlbench reproduce before`"),
        (["before", "--published", "ke"], "is now `mlbench reproduce before`"),
        (["before", "nowhere"], "nowhere: not a results folder"),
        (["before", "after", "--map", "treee=tree"], "'treee' (did you mean 'tree'?)"),
        (["before", "after", "--map", "tree=a", "--map", "tree=b"], "'tree' is given twice"),
        (["before", "after", "--map", "X=tree"], "data sets two, four; methods ML-kNN, tree"),
        (["before", "after", "--map", "two=X", "--map", "four=X"], "the same new name"),
        (["before", "after", "--method", "ML-KNN"], "folders (did you mean 'ML-kNN'?); in both"),
        (["before", "after", "--method", "two"], "on a chosen data set"),
        (["before", "after", "--map", "tree"], "'tree': write OLD=NEW"),
        (["before", "after", "--metric", "macrof1"], "did you mean 'macro_f1'?"),
        (["before", "after", "--test", "z"], "corrected_t"),
        (["before", "after", "--map", "tree=BR-tree"], "'BR-tree' (did you mean 'BR tree'?)"),
    ],
)
def test_wrong_input(compare, words, message):
    shown = compare(*words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert message in shown.stderr


OWN = """
import mlbench
@mlbench.metric(greater_is_better=BETTER, range=(0, 1), needs="labels", title="TITLE")
def rate(Y, scores, labels):
    return (Y == labels).mean(axis=0)
"""


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ([("BETTER", "False")], 2, "greater_is_better is True in a, and False in b"),
        ([("==", "<="), ("TITLE", "Other")], 0, "warning: my.py:rate was computed by different"),
        ([], 0, ""),
    ],
)
def test_a_metric_of_ones_own_must_be_the_same_in_both(lab, changes, code, words):
    text = experiment().replace("macro_f1, hamming_loss", "my.py:rate")
    for folder, its in (("a", []), ("b", changes)):
        own = OWN
        for old, new in [*its, ("BETTER", "True"), ("TITLE", "Mine")]:
            own = own.replace(old, new)
        lab.write("my.py", own)
        lab.write("own.yaml", text)
        ran = lab.mlbench("run", "own.yaml", "--out", folder, "--quiet", "--jobs", "1")
        assert ran.returncode == 0, ran.stderr
    shown = lab.mlbench("compare", "a", "b")
    assert shown.returncode == code
    assert words in shown.stderr if words else not shown.stderr
    assert code or "Mine: a (A) and b (B)" in shown.stdout
