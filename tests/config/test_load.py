from __future__ import annotations

import json
import random
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.config import find_config, load_experiment
from mlbench.errors import ConfigError
from mlbench.resources import bundled

MINE = """
from sklearn.base import BaseEstimator, ClassifierMixin

class Mine(ClassifierMixin, BaseEstimator):
    def __init__(self, alpha, beta=1):
        if beta < 0:
            raise ValueError("beta is negative")
        self.alpha, self.beta = alpha, beta
    def fit(self, X, Y):
        return self
    def predict(self, X):
        return X

class NoEstimator:
    pass
"""

EVERYTHING = """\
name: every-thing_1.0
title: Everything
description: All that a file may hold.
datasets:
  - digits
  - emotions
  - {use: nam-toy, as: toy, tasks: 4, samples: 100}
  - {use: nam-toy, tasks: 4, samples: 200}
  - {use: corel5k, labels: 35, rows: 1021, seed: 1}
protocol:
  splits: {train: 0.6, test: 100, repeats: 3, seed: 2017}
  tuning: {folds: 10, scope: first-split, select: hamming_loss}
  preprocess: [impute, standardize]
  threshold: cv_f1_label
methods:
  short: mlknn
  tuned: {use: lspc, width: 2, tune: {rho: ke-grid}, select: macro_f1@mulan}
  base: {use: br, base: logistic, tune: {C: {log10: [-3, 3, 7]}, base__max_iter: [50, 100]}}
  own: {use: "mine.py:Mine", alpha: 0.1, threshold: native, preprocess: none}
  forest: {use: sklearn.ensemble.RandomForestClassifier, params: {max_depth: 3}}
  limited: {use: mlknn, limits: {time: 2 h}}
metrics: [macro_f1, micro_auc, misclassification]
compare:
  - {method: tuned, against: [short, base], tests: [t, wilcoxon], correction: none}
  - {method: own}
limits: {time: 1 h, memory: 4 GB}
report: {unit: fraction, decimals: 3}
published: ke
keep_predictions: true
threads: 2
"""


def load(tmp_path, text):
    (tmp_path / "mine.py").write_text(MINE)
    path = tmp_path / "x.yaml"
    path.write_text(text)
    return load_experiment(path)


def problems(tmp_path, text):
    """Return the errors as (line, column, key and message)."""
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, text)
    found = []
    for line in str(refused.value).splitlines():
        assert line.startswith(f"{tmp_path / 'x.yaml'}:")
        row, column, message = line.removeprefix(f"{tmp_path / 'x.yaml'}:").split(":", 2)
        found.append((int(row), int(column), message.strip()))
    return found


def test_an_experiment_with_everything_in_it(tmp_path):
    loaded = load(tmp_path, EVERYTHING)
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


def test_a_method_takes_from_the_experiment_what_it_does_not_say(tmp_path):
    experiment = load(tmp_path, EVERYTHING).experiment
    short, own, limited = (experiment.settings_of(n) for n in ("short", "own", "limited"))
    assert (short.select, short.threshold) == ("hamming_loss", "cv_f1_label")
    assert short.preprocess == ("impute", "standardize")
    assert (short.limits.time, short.limits.memory) == (3600, 4000)
    assert (own.threshold, own.preprocess) == ("native", ())
    assert (limited.limits.time, limited.limits.memory) == (7200, 4000)
    assert experiment.settings_of("tuned").select == "macro_f1@mulan"


def test_a_limit_can_be_lifted_for_one_method(tmp_path, good):
    text = good.replace("mlknn", "mlknn, limits: {time: null}") + "limits: {time: 1 h}\n"
    assert load(tmp_path, text).experiment.settings_of("A").limits.time is None


def test_patience_ends_a_path_of_one_parameter(tmp_path, good):
    one = good.replace("mlknn", "mlknn, tune: {k: [5, 10]}")
    two = good.replace("mlknn", "mlknn, tune: {k: [5, 10], s: [1, 2]}")
    text = "protocol: {tuning: {patience: 3}}\n"
    assert load(tmp_path, one + text).experiment.protocol.tuning.patience == 3
    with pytest.raises(ConfigError, match=r"2 parameters \(k, s\) cannot be tuned with `patience`"):
        load(tmp_path, two + text)
    assert load(tmp_path, two).experiment.protocol.tuning.patience is None


def test_short_forms_and_defaults(tmp_path, good):
    experiment = load(tmp_path, good).experiment
    assert experiment.metrics == ["macro_f1", "micro_f1", "macro_auc"]
    splits = experiment.protocol.splits
    assert (splits.kind, splits.train, splits.test, splits.repeats) == ("random", 0.6, None, 10)
    for text in ("preprocess: none", "preprocess: null", "preprocess: []"):
        assert load(tmp_path, f"{good}protocol: {{{text}}}").experiment.protocol.preprocess == ()
    kfold = load(tmp_path, f"{good}protocol: {{splits: {{kind: kfold, folds: 4}}}}").experiment
    assert (kfold.protocol.splits.folds, kfold.protocol.splits.repeats) == (4, 1)


WRONG = {
    # name: (what follows `name: x` and a data set, line, column, key, part of the message)
    "unknown key": ("metric: [macro_f1]", 4, 1, "metric", "did you mean 'metrics'"),
    "unknown key, nested": (
        "protocol: {splits: {kind: kfold, flods: 3}}",
        *(4, 34, "protocol.splits.flods", "did you mean 'folds'?); known here: folds, kind"),
    ),
    "key of another kind of split": (
        "protocol: {splits: {kind: published, repeats: 3}}",
        *(4, 38, "protocol.splits.repeats", "known here: kind, seed"),
    ),
    "kind of split": (
        "protocol: {splits: {kind: kfolds}}",
        *(4, 12, "protocol.splits", "'kfolds' is not one of random, kfold, published (did you"),
    ),
    "kind that is no word": (
        "protocol: {splits: {kind: [kfold]}}",
        *(4, 12, "protocol.splits", "is not one of random, kfold, published"),
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
        *(4, 21, "protocol.splits.train", "at least 1, not 0"),
    ),
    "shares above the whole": (
        "protocol: {splits: {train: 0.7, test: 0.5}}",
        *(4, 12, "protocol.splits", "more than the whole together: 1.2"),
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
        *(4, 21, "protocol.tuning.folds", "greater than or equal to 2"),
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
        *(4, 12, "protocol.preprocess", "stands twice"),
    ),
    "preprocessing that is no step": (
        "protocol: {preprocess: 5}",
        *(4, 12, "protocol.preprocess", "a step or a list of steps, not 5"),
    ),
    "threshold": (
        "protocol: {threshold: cv_f1}",
        *(4, 12, "protocol.threshold", "did you mean 'cv_f1_label'"),
    ),
    "selection": (
        "protocol: {tuning: {select: macrof1}}",
        *(4, 21, "protocol.tuning.select", "did you mean 'macro_f1'"),
    ),
    "metric": ("metrics: [macro_f1, makro_auc]", 4, 21, "metrics.1", "did you mean 'macro_auc'"),
    "convention": ("metrics: [macro_f1@mullan]", 4, 11, "metrics.0", "did you mean 'mulan'"),
    "no metrics": ("metrics: []", 4, 1, "metrics", "at least 1"),
    "metrics as text": ("metrics: macro_f1", 4, 1, "metrics", "must be a list, not 'macro_f1'"),
    "null": ("limits: null", 4, 1, "limits", "must be a mapping (key: value), not None"),
    "unit of memory": ("limits: {memory: 4 TB}", 4, 10, "limits.memory", "units: kb, mb, gb"),
    "memory without unit": ("limits: {memory: 4000}", 4, 10, "limits.memory", "with its unit"),
    "unit of time": ("limits: {time: 3 years}", 4, 10, "limits.time", "units: s, sec, min"),
    "comparison": (
        "compare: [{method: A, against: [B]}]",
        *(4, 33, "compare.0.against.0", "no method 'B'"),
    ),
    "compared method": (
        "compare: [{method: a}]",
        *(4, 12, "compare.0.method", "did you mean 'A'?); it has A"),
    ),
    "test": (
        "compare: [{method: A, tests: [wilcoxn]}]",
        *(4, 31, "compare.0.tests.0", "did you mean 'wilcoxon'"),
    ),
    "comparison without method": (
        "compare: [{against: [A]}]",
        *(4, 11, "compare.0", "the key 'method' is needed here"),
    ),
    "decimals": ("report: {decimals: 11}", 4, 10, "report.decimals", "less than or equal to 10"),
    "paper": ("published: kee", 4, 1, "published", "did you mean 'ke'"),
    "yes for true": ("keep_predictions: yes", 4, 1, "keep_predictions", "true or false, not 'yes'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_settings(tmp_path, good, case):
    text, line, column, key, words = WRONG[case]
    head = "name: x\ndatasets: [digits]\nmethods: {A: {use: mlknn}}\n"
    ((at_line, at_column, message),) = problems(tmp_path, head + text)
    assert (at_line, at_column) == (line, column)
    assert message.startswith(f"{key}: ")
    assert words in message


@pytest.mark.parametrize(
    ("method", "column", "key", "words"),
    [
        ("mlkn", 11, "methods.A", "no method 'mlkn' (did you mean 'mlknn'?)"),
        ("{use: mlkn}", 15, "methods.A.use", "did you mean 'mlknn'"),
        ("{use: svc}", 15, "methods.A.use", "{use: br, base: svc}"),
        ("{use: null}", 15, "methods.A.use", "must be text, not None"),
        ("{k: 3}", 11, "methods.A", "the key 'use' is needed here"),
        ("[mlknn]", 11, "methods.A", "a method is a name or {use: name, ...}, not ['mlknn']"),
        ("null", 11, "methods.A", "not None"),
        ("{use: mlknn, kk: 3}", 27, "methods.A.kk", "no parameter 'kk'"),
        ("{use: mlknn, tunes: {k: [1]}}", 27, "methods.A.tunes", "unknown key (did you mean 't"),
        ("{use: mlknn, params: {tune: 3}}", 36, "methods.A.params.tune", "no parameter 'tune'"),
        ("{use: mlknn, params: 3}", 27, "methods.A.params", "must be a mapping"),
        ("{use: mlknn, tune: {K2: [1]}}", 34, "methods.A.tune.K2", "no parameter 'K2'"),
        ("{use: mlknn, tune: {k: 3}}", 34, "methods.A.tune.k", "write [3]"),
        ("{use: mlknn, tune: {k: [3, 3]}}", 34, "methods.A.tune.k", "stands twice"),
        ("{use: mlknn, tune: {s: ke-gird}}", 34, "methods.A.tune.s", "did you mean 'ke-grid'"),
        ("{use: mlknn, tune: [k]}", 27, "methods.A.tune", "must be a mapping"),
        ("{use: mlknn, k: 5, tune: {k: [3, 4]}}", 40, "methods.A.tune.k", "both fixed and tuned"),
        ("{use: mlknn, select: f1}", 27, "methods.A.select", "no metric 'f1'"),
        ("{use: mlknn, preprocess: true}", 27, "methods.A.preprocess", "not True"),
        ("{use: mlknn, limits: {time: 0}}", 36, "methods.A.limits.time", "more than 0"),
        ("{use: mlknn, folder: x}", 27, "methods.A.folder", "folder"),
        ("{use: br, base: logistik}", 24, "methods.A.base", "did you mean 'logistic'"),
        ("{use: br, base: logistik, C: 1}", 24, "methods.A.base", "did you mean 'logistic'"),
        (
            "{use: br, tune: {base: [logistic, logistik]}}",
            48,
            "methods.A.tune.base.1",
            "'logistik'",
        ),
        ("{use: br, tune: {base: [logistik, tree]}}", 31, "methods.A.tune.base", "'logistik'"),
        ("{use: br, tune: {base: [tree], C: [1, 2]}}", 45, "methods.A.tune.C", "no parameter 'C'"),
        ("{use: br, base: tree, C: 1}", 36, "methods.A.C", "br has no parameter 'C'"),
        ("{use: sklearn.svm.SVCC}", 15, "methods.A.use", "did you mean 'SVC'"),
        ("{use: sklearn.smv.SVC}", 15, "methods.A.use", "no module 'sklearn.smv'"),
        ("{use: 'mine.py:Mein', alpha: 1}", 15, "methods.A.use", "did you mean 'Mine'"),
        ("{use: 'mine.py:NoEstimator'}", 15, "methods.A.use", "it has no fit, predict"),
        ("{use: 'mind.py:Mine'}", 15, "methods.A.use", "there is no file"),
        ("{use: 'broken.py:Mine'}", 15, "methods.A.use", "SyntaxError"),
        ("{use: 'leaves.py:Mine'}", 15, "methods.A.use", "SystemExit"),
        ("{use: 'mine.py:Mine'}", 15, "methods.A.use", "'alpha'"),
        ("{use: 'mine.py:Mine', alpha: 1, beta: -1}", 46, "methods.A.beta", "beta is negative"),
        ("{use: 'mine.py:Mine', alpha: 1, gamma: 1}", 46, "methods.A.gamma", "it has alpha, beta"),
    ],
)
def test_wrong_methods(tmp_path, method, column, key, words):
    (tmp_path / "broken.py").write_text("class Mine(:\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    text = f"name: x\ndatasets: [digits]\nmethods: {{A: {method}}}\n"
    ((at_line, at_column, message),) = problems(tmp_path, text)
    assert (at_line, at_column) == (3, column)
    assert message.startswith(f"{key}: ")
    assert words in message


@pytest.mark.parametrize(
    ("datasets", "column", "key", "words"),
    [
        ("[digts]", 12, "datasets.0", "did you mean 'digits'"),
        ("[{use: digts}]", 13, "datasets.0.use", "did you mean 'digits'"),
        ("[digits, digits]", 20, "datasets.1", "stands twice (first at position 1)"),
        ("[digits, {use: digits}]", 20, "datasets.1", "stands twice"),
        ("[digits, {use: nam-toy, as: digits}]", 20, "datasets.1", "stands twice"),
        ("[{use: digits, rows: 9}, {rows: 9, use: digits}]", 36, "datasets.1", "stands twice"),
        ("[{use: corel5k, label: 5}]", 27, "datasets.0.label", "did you mean 'labels'"),
        ("[{use: corel5k, rows: 0}]", 27, "datasets.0.rows", "at least 1"),
        ("[{use: digits, ignore: a}]", 26, "datasets.0.ignore", "a list of attribute names"),
        ("[{use: nam-toy, task: 5}]", 27, "datasets.0.task", "did you mean 'tasks'"),
        ("[5]", 12, "datasets.0", "a data set is a name or {use: name, ...}, not 5"),
        ("[{as: x}]", 12, "datasets.0", "the key 'use' is needed here"),
        ("['']", 12, "datasets.0", "at least 1 character"),
        ("[]", 1, "datasets", "at least 1"),
        ("digits", 1, "datasets", "must be a list, not 'digits'"),
        ("", 1, "datasets", "must be a list, not None"),
    ],
)
def test_wrong_data_sets(tmp_path, datasets, column, key, words):
    text = f"name: x\ndatasets: {datasets}\nmethods: {{A: mlknn}}\n"
    ((at_line, at_column, message),) = problems(tmp_path, text)
    assert (at_line, at_column) == (2, column)
    assert message.startswith(f"{key}: ")
    assert words in message


def test_a_card_in_a_folder_that_is_named_will_do(tmp_path):
    (tmp_path / "data").mkdir()
    card = "name: songs\ntitle: Songs\nformat: libsvm\nfiles: {all: {path: songs/a.svm}}\n"
    (tmp_path / "data/songs.yaml").write_text(card)
    path = tmp_path / "x.yaml"
    path.write_text("name: x\ndatasets: [songs, {use: songs, rows: 5}]\nmethods: {A: mlknn}\n")
    with pytest.raises(ConfigError, match="there is no data set 'songs'"):
        load_experiment(path)
    assert len(load_experiment(path, [tmp_path / "data"]).experiment.datasets) == 2
    (tmp_path / "data/songs.yaml").write_text(card + "homme: x\n")
    with pytest.raises(ConfigError, match=r"x\.yaml:2:20: datasets.1.use: .*homme: unknown key"):
        load_experiment(path, [tmp_path / "data"])


@pytest.mark.parametrize(
    ("use", "name", "place"),
    [
        ("songs.arff", "songs", "HERE/songs.arff"),
        ("./songs.arff", "songs", "HERE/songs.arff"),
        ("more/songs.arff.gz", "songs", "HERE/more/songs.arff.gz"),
        ("../songs.svm.bz2", "songs", "HERE/../songs.svm.bz2"),
        ("/other/songs.arff", "songs", "/other/songs.arff"),
        ("~/songs.arff", "songs", "~/songs.arff"),
        ("more/songs/", "songs", "HERE/more/songs"),
        ("digits", "digits", "digits"),
    ],
)
def test_a_path_starts_beside_the_experiment_and_gives_the_files_own_name(
    tmp_path, good, use, name, place
):
    place = place.replace("HERE", str(tmp_path.resolve()))
    for options in ({}, {"rows": 5}):
        given = {"use": use, **options} if options else use
        loaded = load(tmp_path, good.replace("[digits]", json.dumps([given])))
        (dataset,) = loaded.experiment.datasets
        assert dataset.canonical == dataset.display == name + ("[rows=5]" if options else "")
        reference = dataset.resolved(loaded.folder)
        assert reference == ({"use": place, **options} if options else place)


def test_two_files_of_one_name_need_names_of_their_own(tmp_path):
    head, tail = "name: x\ndatasets: ", "\nmethods: {A: mlknn}\n"
    ((_, _, message),) = problems(tmp_path, f"{head}[a/X.csv, b/X.csv]{tail}")
    assert "'X' stands twice (first at position 1)" in message
    assert "`as:`" in message
    load(tmp_path, f"{head}[a/X.csv, {{use: b/X.csv, as: other}}]{tail}")


@pytest.mark.parametrize("name", ["a b", "-x", "'a/b'", "''", "x" * 101, "'../x'"])
def test_a_name_must_do_as_a_folder(tmp_path, name):
    text = f"name: {name}\ndatasets: [digits]\nmethods: {{A: mlknn}}\n"
    ((line, column, message),) = problems(tmp_path, text)
    assert (line, column) == (1, 1)
    assert message.startswith("name: must be letters, digits")


def test_all_errors_come_at_once_in_the_order_of_the_file(tmp_path):
    found = problems(
        tmp_path,
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
def test_what_is_no_mapping_is_no_experiment(tmp_path, text):
    with pytest.raises(ConfigError, match=r"x\.yaml:1:1: an experiment is a mapping"):
        load(tmp_path, text)


def test_missing_keys_are_named(tmp_path):
    messages = [message for _, _, message in problems(tmp_path, "title: t\n")]
    keys = ("datasets", "methods", "name")
    assert messages == [f"the key '{key}' is needed here" for key in keys]


_ODD = st.sampled_from(
    [
        *(None, True, 0, -1, 10**30, 0.5, float("nan"), float("inf"), "", "x", "none", "a.b", "."),
        *(":", "x.py:", "é", [], [[]], {}, [1, 1], ["a"], {"use": 5}, {"use": "br"}, {"": ""}),
    ]
)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), odd=_ODD, new_key=st.booleans())
def test_an_odd_value_anywhere_is_either_fine_or_a_config_error(write, seed, odd, new_key):
    chosen = random.Random(seed)
    tree = yaml.safe_load(EVERYTHING.replace('"mine.py:Mine", alpha: 0.1', "br"))
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
    [("quickstrat", "did you mean 'quickstart'"), (".", "is a folder"), ("a\0b", "no such file")],
)
def test_unknown_experiments(name, words):
    with pytest.raises(ConfigError, match=words) as refused:
        find_config(name)
    assert "ready-made experiments: " in str(refused.value)


def test_a_name_too_long_for_a_file_is_told_in_words():
    with pytest.raises(ConfigError, match="cannot be read: File name too long"):
        find_config("x" * 5000)


@pytest.mark.parametrize(
    "name",
    sorted(
        str(p.relative_to(bundled("configs")).with_suffix(""))
        for p in bundled("configs").rglob("*.yaml")
    ),
)
def test_every_experiment_that_comes_along_loads(name):
    loaded = load_experiment(find_config(name))
    assert loaded.experiment.methods
