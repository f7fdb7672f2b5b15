from __future__ import annotations

import random
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.config.load import find_config, load_experiment
from mlbench.errors import ConfigError
from mlbench.resources import bundled


def test_an_experiment_with_everything_in_it(tmp_path, everything, load):
    loaded = load(everything)
    experiment = loaded.experiment
    assert loaded.folder == tmp_path.resolve()
    assert [d.display for d in experiment.datasets] == [
        "digits",
        "emotions",
        "toy",
        "nam-toy[samples=200,tasks=4]",
        "corel5k[labels=35,rows=1021,seed=1]",
    ]
    reference = experiment.datasets[2].resolved(loaded.folder)
    assert reference == {"use": "nam-toy", "tasks": 4, "samples": 100}
    splits = experiment.protocol.splits
    assert (splits.kind, splits.train, splits.test) == ("random", 0.6, 100)
    assert experiment.protocol.preprocess == ("impute", "standardize")
    assert experiment.methods["base"].tune["C"] == [0.001, 0.01, 0.1, 1, 10, 100, 1000]
    assert len(experiment.methods["tuned"].tune["rho"]) == 58
    assert experiment.methods["tuned"].parameters == {"width": 2}
    assert experiment.methods["forest"].parameters == {"max_depth": 3}
    assert experiment.limits.memory == 4000


def test_short_forms_and_defaults(good, load):
    experiment = load(good).experiment
    assert experiment.metrics == ["macro_f1", "micro_f1", "macro_auc"]
    splits = experiment.protocol.splits
    assert (splits.kind, splits.train, splits.test, splits.repeats) == ("random", 0.6, None, 10)
    for text in ("preprocess: none", "preprocess: null", "preprocess: []"):
        assert load(f"{good}protocol: {{{text}}}").experiment.protocol.preprocess == ()
    kfold = load(f"{good}protocol: {{splits: {{kind: kfold, folds: 4}}}}").experiment
    assert (kfold.protocol.splits.folds, kfold.protocol.splits.repeats) == (4, 1)


WRONG = {
    # name: (what follows `name: x` and a data set, line, column, key, part of the message)
    "unknown key": ("metric: [macro_f1]", 4, 1, "metric", "did you mean 'metrics'"),
    "key without a space after its colon": (
        "protocol:\n  splits:{repeats: 3}",
        *(5, 3, "protocol.splits:{repeats", "a space is missing after `splits:`"),
    ),
    "unknown key, nested": (
        "protocol: {splits: {kind: kfold, flods: 3}}",
        *(4, 34, "protocol.splits.flods", "did you mean 'folds'?); known here: folds, kind"),
    ),
    "key of another kind of split": (
        "protocol: {splits: {kind: published, repeats: 3}}",
        *(4, 38, "protocol.splits.repeats", "known here: kind, seed"),
    ),
    "key of one other kind of split": (
        "protocol: {splits: {kind: kfold, train: 0.8}}",
        *(
            4,
            34,
            "protocol.splits.train",
            "unknown key (it belongs to kind: random or time); known",
        ),
    ),
    "kind of split": (
        "protocol: {splits: {kind: kfolds}}",
        *(
            4,
            12,
            "protocol.splits",
            "'kfolds' is not one of random, kfold, published, time, file, ratings, ",
        ),
    ),
    "kind that is no word": (
        "protocol: {splits: {kind: [kfold]}}",
        *(
            4,
            12,
            "protocol.splits",
            "is not one of random, kfold, published, time, file, ratings, transfer",
        ),
    ),
    "share above 1": (
        "protocol: {splits: {train: 1.5}}",
        *(4, 21, "protocol.splits.train", "strictly between 0 and 1, not 1.5"),
    ),
    "percent": (
        "protocol: {splits: {train: 60%}}",
        *(4, 21, "protocol.splits.train", "give a share between 0 and 1"),
    ),
    "no samples": (
        "protocol: {splits: {train: 0}}",
        *(4, 21, "protocol.splits.train", "at least 1 sample, got 0"),
    ),
    "shares above the whole": (
        "protocol: {splits: {train: 0.7, test: 0.5}}",
        *(4, 12, "protocol.splits", "more than the whole together: 1.2"),
    ),
    "other labels without folds": (
        "protocol: {splits: {kind: transfer, source_rows: 50, source_labels: 3, "
        "target: other_labels}}",
        *(4, 12, "protocol.splits", "learns from one fold of the other rows: add folds: 5"),
    ),
    "folds of source labels": (
        "protocol: {splits: {kind: transfer, source_rows: 50, source_labels: 3, "
        "target: source_labels, folds: 5}}",
        *(4, 12, "protocol.splits", "tests on all others: leave folds out"),
    ),
    "half a repeat": (
        "protocol: {splits: {repeats: 2.5}}",
        *(4, 21, "protocol.splits.repeats", "2.5"),
    ),
    "number as text": (
        "protocol: {tuning: {folds: '5'}}",
        *(4, 21, "protocol.tuning.folds", "must be a whole number, not '5'"),
    ),
    "one fold": (
        "protocol: {tuning: {folds: 1}}",
        *(4, 21, "protocol.tuning.folds", "must be greater than or equal to 2, not 1"),
    ),
    "negative seed": (
        "protocol: {splits: {seed: -1}}",
        *(4, 21, "protocol.splits.seed", "greater than or equal to 0"),
    ),
    "preprocessing": (
        "protocol: {preprocess: [standardise]}",
        *(4, 25, "protocol.preprocess.0", "did you mean 'standardize'"),
    ),
    "preprocessing twice": (
        "protocol: {preprocess: [standardize, standardize]}",
        *(4, 12, "protocol.preprocess", "occurs twice"),
    ),
    "preprocessing that is no step": (
        "protocol: {preprocess: 5}",
        *(4, 12, "protocol.preprocess", "a step or a list of steps, not 5"),
    ),
    "threshold": (
        "protocol: {threshold: cv_f1}",
        *(4, 12, "protocol.threshold", "did you mean 'cv_f1_label'"),
    ),
    "scoring": (
        "protocol: {tuning: {scoring: macrof1}}",
        *(4, 21, "protocol.tuning.scoring", "did you mean 'macro_f1'"),
    ),
    "scoring in a list": (
        "protocol: {tuning: {scoring: [micro_f1, macrof1]}}",
        *(4, 41, "protocol.tuning.scoring.1", "did you mean 'macro_f1'"),
    ),
    "scoring twice": (
        "protocol: {tuning: {scoring: [hamming_loss, misclassification]}}",
        *(4, 45, "protocol.tuning.scoring.1", "'hamming_loss' occurs twice"),
    ),
    "scoring by nothing": (
        "protocol: {tuning: {scoring: []}}",
        *(4, 21, "protocol.tuning.scoring", "names no metric; each stands for all"),
    ),
    "scoring by a number": (
        "protocol: {tuning: {scoring: 5}}",
        *(4, 21, "protocol.tuning.scoring", "a metric, a list of metrics, or each; not 5"),
    ),
    "each and another": (
        "protocol: {tuning: {scoring: [each, macro_f1]}}",
        *(4, 21, "protocol.tuning.scoring", "each stands alone"),
    ),
    "each of none": (
        "metrics: [auc_tie_share]\nprotocol: {tuning: {scoring: each}}",
        *(5, 21, "protocol.tuning.scoring", "none of them judges methods (auc_tie_share)"),
    ),
    "threshold for F1": (
        "protocol: {threshold: {f1: default}}",
        *(4, 24, "protocol.threshold.f1", "'default' is not one of train_f1_global"),
    ),
    "threshold for another": (
        "protocol: {threshold: {f1: cv_f1_label, hamming: default}}",
        *(4, 41, "protocol.threshold.hamming", "unknown key; known here: f1"),
    ),
    "metric": ("metrics: [macro_f1, makro_auc]", 4, 21, "metrics.1", "did you mean 'macro_auc'"),
    "convention": ("metrics: [macro_f1@mullan]", 4, 11, "metrics.0", "did you mean 'mulan'"),
    "no metrics": ("metrics: []", 4, 1, "metrics", "at least 1"),
    "metrics as a number": ("metrics: 1", 4, 1, "metrics", "must be a list, not 1"),
    "null": ("limits: null", 4, 1, "limits", "must be a mapping (key: value), not null"),
    "unit of memory": ("limits: {memory: 4 TB}", 4, 10, "limits.memory", "units: kb, mb, gb"),
    "memory without unit": ("limits: {memory: 4000}", 4, 10, "limits.memory", "with its unit"),
    "unit of time": ("limits: {time: 3 years}", 4, 10, "limits.time", "units: s, sec, min"),
    "comparison": (
        "tests: [{method: A, against: [B]}]",
        *(4, 31, "tests.0.against.0", "no method 'B'"),
    ),
    "compared method": (
        "tests: [{method: a}]",
        *(4, 10, "tests.0.method", "did you mean 'A'?); it has A"),
    ),
    "test": (
        "tests: [{method: A, test: [wilcoxn]}]",
        *(4, 28, "tests.0.test.0", "did you mean 'wilcoxon'"),
    ),
    "level of a single comparison": (
        "tests: {method: A, alpha: 2}",
        *(4, 20, "tests.alpha", "must be less than or equal to 0.5"),
    ),
    "single comparison without method": (
        "tests: {alpha: 0.01}",
        *(4, 1, "tests", "the key 'method' is required here"),
    ),
    "method of a single comparison": (
        "tests: {method: a}",
        *(4, 9, "tests.method", "did you mean 'A'?); it has A"),
    ),
    "comparison without method": (
        "tests: [{against: [A]}]",
        *(4, 9, "tests.0", "the key 'method' is required here"),
    ),
    "decimals": ("report: {decimals: 11}", 4, 10, "report.decimals", "less than or equal to 10"),
    "a truth value": (
        "tests: [{method: A, all_pairs: true}]",
        *(4, 21, "tests.0.all_pairs", "true is not one of nemenyi, "),
    ),
    "a list of one choice": (
        "tests: [{method: A, all_pairs: [nemenyi, shaffer]}]",
        *(4, 21, "tests.0.all_pairs", "must be one of nemenyi, shaffer, "),
    ),
    "paper": ("published: kee", 4, 1, "published", "did you mean 'ke'"),
    "yes for true": (
        "keep_predictions: yes",
        4,
        1,
        "keep_predictions",
        "{top: N} for N scores a row, not 'yes'",
    ),
}


USERS_SPLITS = {
    "value": ("n: 0", "protocol.splits.n", "greater than or equal to 1, not 0"),
    "type": ("n: few", "protocol.splits.n", "must be a whole number, not 'few'"),
    "key": ("m: 5", "protocol.splits.m", "unknown key; known here: gap, kind, n, repeats, seed"),
    "several": ("gap: 11", "protocol.splits", "gap is larger than n"),
    "code": ("gap: -1", "protocol.splits", "the splitter fails: ZeroDivisionError: "),
}


@pytest.mark.parametrize("case", USERS_SPLITS)
def test_wrong_parameters_of_a_users_splitter(case, problems):
    text, key, words = USERS_SPLITS[case]
    head = "name: x\ndatasets: [digits]\nmethods: {A: {use: mlknn}}\n"
    ((at_line, _, message),) = problems(
        f"{head}protocol:\n  splits: {{kind: splits.py:Last, {text}}}"
    )
    assert at_line == 5
    assert message.startswith(f"{key}: ")
    assert words in message


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Lost", "splits.py has no 'Lost' (did you mean 'Last'?)"),
        ("NoSplitter", "NoSplitter is no splitter; it must be a dataclass"),
    ],
)
def test_a_class_that_is_no_splitter(name, words, problems):
    head = "name: x\ndatasets: [digits]\nmethods: {A: {use: mlknn}}\n"
    ((_, _, message),) = problems(f"{head}protocol: {{splits: {{kind: splits.py:{name}}}}}")
    assert message.startswith("protocol.splits.kind: ")
    assert words in message


def test_defaults_of_a_users_splitter_are_filled_in(load):
    head = "name: x\ndatasets: [digits]\nmethods: {A: {use: mlknn}}\n"
    splits = load(f"{head}protocol: {{splits: {{kind: splits.py:Last, repeats: 3}}}}").experiment
    assert splits.protocol.splits.parameters == {"seed": 0, "n": 10, "gap": 0}
    assert splits.protocol.splits.n_splits == 3


@pytest.mark.parametrize("case", WRONG)
def test_wrong_settings(good, case, problems):
    text, line, column, key, words = WRONG[case]
    head = "name: x\ndatasets: [digits]\nmethods: {A: {use: mlknn}}\n"
    ((at_line, at_column, message),) = problems(head + text)
    assert (at_line, at_column) == (line, column)
    assert message.startswith(f"{key}: ")
    assert words in message


def test_a_name_is_one_line(problems):
    found = problems(
        'name: x\ndatasets: [{use: digits, as: "a\\nb"}]\nmethods: {"c\\nd": {use: mlknn}}\n'
    )
    assert [(row, message.partition(":")[0]) for row, _, message in found] == [
        (2, "datasets.0.as"),
        (3, "methods"),
    ]


def test_all_errors_come_at_once_in_the_order_of_the_file(problems):
    found = problems(
        """\
name: 5
metrics: [macrof1]
datasets: [digts, digits, digits]
protocol: {splits: {train: 2.0, seeds: 1}}


methods:

  B: {use: mlknn, k2: 3, tune: {s: []}}
  A: {use: nothing}
""",
    )
    assert [(line, column) for line, column, _ in found] == [
        *((1, 1), (2, 11), (3, 12), (3, 27), (4, 21), (4, 33), (9, 19), (9, 33), (10, 7))
    ]


@pytest.mark.parametrize("text", ["", "- a\n", "just text", "5"])
def test_what_is_no_mapping_is_no_experiment(text, load):
    with pytest.raises(ConfigError, match=r"x\.yaml:1:1: an experiment is a mapping"):
        load(text)


@pytest.mark.parametrize("key", ["datasets: []", "methods: {}"])
def test_what_is_empty_must_have_an_entry(problems, key):
    head = "name: x\ndatasets: [digits]\nmethods: {A: mlknn}\n"
    name, _, empty = key.partition(": ")
    text = "".join(line for line in head.splitlines(True) if not line.startswith(name)) + key
    ((_, _, message),) = problems(text)
    assert message == f"{name}: must have at least 1 entry, not {empty}"


def test_missing_keys_are_named(problems):
    messages = [message for _, _, message in problems("title: t\n")]
    keys = ("datasets", "methods", "name")
    assert messages == [f"the key '{key}' is required here" for key in keys]


_ODD = st.sampled_from(
    [
        *(None, True, 0, -1, 10**30, 0.5, float("nan"), float("inf"), "", "x", "none", "a.b", "."),
        *(":", "x.py:", "é", [], [[]], {}, [1, 1], ["a"], {"use": 5}, {"use": "br"}, {"": ""}),
    ]
)


@pytest.mark.slow
@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), odd=_ODD, new_key=st.booleans())
def test_an_odd_value_anywhere_is_either_fine_or_a_config_error(
    write, seed, odd, new_key, everything
):
    chosen = random.Random(seed)
    tree = yaml.safe_load(everything.replace('"mine.py:Mine", alpha: 0.1', "br"))
    here = tree
    while True:
        key = chosen.choice(list(here) if isinstance(here, dict) else range(len(here)))
        if not isinstance(here[key], dict | list) or not here[key] or chosen.random() < 0.3:
            break
        here = here[key]
    if new_key and isinstance(here, dict):
        key = chosen.choice(["folder", "self", "params", "use", "tune", "alias", "", "a.b", "seed"])
    here[key] = odd
    outcome = "x.yaml:1:1: fine"
    try:
        load_experiment(write(yaml.safe_dump(tree)))
    except ConfigError as refused:
        outcome = str(refused)
    assert all(re.search(r"x\.yaml:\d+:\d+: ", line) for line in outcome.splitlines())


def test_ready_made_experiments_are_found_by_name(tmp_path):
    assert find_config("quickstart") == bundled("configs") / "quickstart.yaml"
    mine = tmp_path / "mine.yaml"
    mine.touch()
    assert find_config(str(mine)) == mine


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "quickstrat",
            r"no such file \(did you mean 'quickstart'\?\); .* many-labels, nam/\.\.\., quickstart",
        ),
        (
            "ke/tabel-9",
            "did you mean 'ke/table-9'.*: ke/figures-1-2-emotions, .*, ke/tuned-by-auc$",
        ),
        (".", "is a folder"),
        ("a\0b", "no such file"),
    ],
)
def test_unknown_experiments(name, words):
    with pytest.raises(ConfigError, match=words) as refused:
        find_config(name)
    assert "bundled experiments: " in str(refused.value)


def test_what_is_no_experiment_is_told_with_the_command_for_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "finches.csv").touch()
    with pytest.raises(ConfigError, match=r"finches\.csv: is data, .* `mlbench init finches\.csv`"):
        find_config("finches.csv")
    (tmp_path / "finches.yaml").touch()
    with pytest.raises(ConfigError, match=r"did you mean 'finches\.yaml'"):
        find_config("finhces.yaml")
    (tmp_path / "runs/finches").mkdir(parents=True)
    (tmp_path / "runs/finches/plan.json").touch()
    with pytest.raises(ConfigError, match=r"is a results folder, .* `mlbench report runs/finches`"):
        find_config("runs/finches")


def test_a_name_too_long_for_a_file_is_told_in_words():
    with pytest.raises(ConfigError, match="cannot be read: File name too long"):
        find_config("x" * 5000)


FOREIGN = {
    "many-labels": ("napkinxc",),
    "arena": ("mlrl.boosting", "lightgbm", "torch"),
    "strong-baselines": ("mlrl.boosting", "lightgbm", "skmultilearn", "torch"),
}
"""Packages that are not among the dependencies."""


@pytest.mark.parametrize(
    "name",
    sorted(
        str(p.relative_to(bundled("configs")).with_suffix(""))
        for p in bundled("configs").rglob("*.yaml")
    ),
)
def test_every_experiment_that_comes_along_loads(name, monkeypatch):
    for package in FOREIGN.get(name, ()):
        pytest.importorskip(package)
        monkeypatch.setattr("mlbench.registry.import_policy.imports_allowed", lambda: True)
    loaded = load_experiment(find_config(name))
    assert loaded.experiment.methods
