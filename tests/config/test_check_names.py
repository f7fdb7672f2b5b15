from __future__ import annotations

import re

import pytest

from mlbench.config.load import load_experiment
from mlbench.errors import ConfigError
from mlbench.metrics import METRIC_SETS


@pytest.mark.parametrize(
    ("datasets", "column", "key", "words"),
    [
        ("[digts]", 12, "datasets.0", "did you mean 'digits'"),
        ("[{use: digts}]", 13, "datasets.0.use", "did you mean 'digits'"),
        ("[digits, digits]", 20, "datasets.1", "occurs twice (first as datasets.0)"),
        ("[digits, {use: digits}]", 20, "datasets.1", "occurs twice"),
        ("[digits, {use: nam-toy, as: digits}]", 20, "datasets.1", "occurs twice"),
        ("[{use: digits, rows: 9}, {rows: 9, use: digits}]", 36, "datasets.1", "occurs twice"),
        ("[{use: corel5k, label: 5}]", 27, "datasets.0.label", "did you mean 'labels'"),
        ("[{use: corel5k, rows: 0}]", 27, "datasets.0.rows", "at least 1"),
        ("[{use: corel5k, ignore: a}]", 27, "datasets.0.ignore", "a list of attribute names"),
        ("[{use: digits, ignore: [a]}]", 26, "datasets.0.ignore", "unknown key 'ignore'"),
        ("[{use: corel5k, imbalanc: 1}]", 27, "datasets.0.imbalanc", "did you mean 'imbalance'"),
        ("[{use: nam-toy, task: 5}]", 27, "datasets.0.task", "did you mean 'tasks'"),
        ("[{use: c.csv, label_colums: [a]}]", 25, "datasets.0.label_colums", "'label_columns'"),
        ("[{use: c.npz, labls: 5}]", 25, "datasets.0.labls", "did you mean 'labels'"),
        ("[{use: c/, delimter: x}]", 22, "datasets.0.delimter", "did you mean 'delimiter'"),
        ("[{use: c.csv, rows: 0}]", 25, "datasets.0.rows", "at least 1"),
        ("[5]", 12, "datasets.0", "a data set is a name or {use: name, ...}, not 5"),
        ("[{as: x}]", 12, "datasets.0", "the key 'use' is required here"),
        ("['']", 12, "datasets.0", "must not be empty"),
        ("[]", 1, "datasets", "at least 1"),
        ("digits", 1, "datasets", "must be a list, not 'digits'"),
        ("", 1, "datasets", "must be a list, not null"),
        (
            "[{use: a.csv, text: {columns: [note], ngram_range: [2, 1]}}]",
            25,
            "datasets.0.text",
            "lower boundary larger than the upper",
        ),
    ],
)
def test_wrong_data_sets(datasets, column, key, words, problems):
    text = f"name: x\ndatasets: {datasets}\nmethods: {{A: mlknn}}\n"
    ((at_line, at_column, message),) = problems(text)
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


def test_two_files_of_one_name_need_names_of_their_own(load, problems):
    head, tail = "name: x\ndatasets: ", "\nmethods: {A: mlknn}\n"
    ((_, _, message),) = problems(f"{head}[a/X.csv, b/X.csv]{tail}")
    assert "'X' occurs twice (first as datasets.0)" in message
    assert "`as:`" in message
    load(f"{head}[a/X.csv, {{use: b/X.csv, as: other}}]{tail}")


def test_the_keys_of_a_file_are_those_of_its_format(load):
    delimited = "{use: ./a.dat, format: delimited, delimiter: ' ', label_columns: 3}"
    with pytest.raises(ConfigError, match="unknown key 'label_columns'"):
        load(f"name: x\ndatasets: [{delimited}]\nmethods: {{A: mlknn}}\n")
    table = "{use: a.csv, label_columns: {last: 2}, missing: keep, as: a}"
    load(f"name: x\ndatasets: [{table}, b.npz]\nmethods: {{A: mlknn}}\n")


def test_patience_ends_a_path_of_one_parameter(good, load):
    one = good.replace("mlknn", "mlknn, tune: {k: [5, 10]}")
    two = good.replace("mlknn", "mlknn, tune: {k: [5, 10], s: [1, 2]}")
    text = "protocol: {tuning: {patience: 3}}\n"
    assert load(one + text).experiment.protocol.tuning.patience == 3
    with pytest.raises(ConfigError, match=r"2 parameters \(k, s\) cannot be tuned with `patience`"):
        load(two + text)
    assert load(two).experiment.protocol.tuning.patience is None


def test_a_distribution_needs_a_number_of_draws(good, load):
    ranged = good.replace("mlknn", "mlknn, tune: {k: {integer: [1, 30]}}")
    with pytest.raises(ConfigError, match=r"methods\.\w+\.tune\.k: values are drawn .*draws: 30"):
        load(ranged)
    method = load(ranged + "protocol: {tuning: {draws: 4}}\n").experiment
    (name,) = method.methods
    points = method.settings_of(name).candidates
    assert len(points) == 4
    assert all(1 <= point["k"] <= 30 for point in points)
    own = load(ranged.replace("mlknn,", "mlknn, draws: {number: 2, seed: 9},", 1)).experiment
    assert len(own.settings_of(name).candidates) == 2


def test_tables_show_metrics_of_the_experiment(good, problems):
    text = good + "report: {metrics: [macro_f1, ranking_loss]}\n"
    ((_, _, message),) = problems(text)
    assert message.startswith(
        "report.metrics.1: 'ranking_loss' is not among the experiment's metrics"
    )


def test_a_method_is_not_tested_against_itself(problems):
    methods = "methods: {A: mlknn, B: mlknn}\n"
    text = f"name: x\ndatasets: [digits]\n{methods}tests: [{{method: A, against: [B, A]}}]\n"
    ((line, _, message),) = problems(text)
    assert (line, message) == (4, "tests.0.against.1: 'A' is the tested method itself")


def test_a_word_stands_for_several_metrics(load):
    text = "name: x\ndatasets: [digits]\nmethods: {{A: mlknn}}\nmetrics: {}\n"
    alone = load(text.format("extreme")).experiment.metrics
    assert alone == list(METRIC_SETS["extreme"])
    assert load(text.format("[macro_f1, extreme, macro_auc]")).experiment.metrics == [
        "macro_f1",
        *(name for name in alone if name != "macro_f1"),
        "macro_auc",
    ]
    assert load(text.format("macro_auc")).experiment.metrics == ["macro_auc"]
    reported = load(text.format("extreme\nreport: {metrics: extreme}"))
    assert reported.experiment.report.metrics == alone


@pytest.mark.parametrize(
    ("metrics", "column", "key", "words"),
    [
        ("exteme", 1, "metrics", "there is no metric 'exteme'.*did you mean 'extreme'"),
        ("[macro_auc, exteme]", 22, "metrics.1", "did you mean 'extreme'"),
        ("[extreme, macro_f1, macro_f1]", 30, "metrics.2", "occurs twice"),
        ("[extreme, extreme]", 20, "metrics.1", "occurs twice"),
    ],
)
def test_a_wrong_word_for_metrics(problems, metrics, column, key, words):
    head = "name: x\ndatasets: [digits]\nmethods: {A: mlknn}\nmetrics: "
    ((line, at, message),) = problems(f"{head}{metrics}\n")
    assert (line, at) == (4, column)
    assert re.match(f"{key}: .*{words}", message)
