from __future__ import annotations

import json

import pytest

from mlbench.config.schema import METHOD_WORDS, ExperimentConfig, Report
from mlbench.data.dataset_reference import ENCODING_KEYS, ROW_KEYS, SUBSET_KEYS
from mlbench.metrics import get_metric
from mlbench.number_text import score_format
from mlbench.resources import bundled
from mlbench.yaml_loader import load_yaml

SHIPPED = sorted(bundled("configs").rglob("*.yaml"))


@pytest.fixture(scope="module")
def schema():
    return ExperimentConfig.model_json_schema(by_alias=True)


@pytest.fixture(scope="module")
def accepts(schema):
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft202012Validator(schema).is_valid


def test_the_schema_is_a_schema(schema):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(json.loads(json.dumps(schema)))


def test_the_schema_names_every_key_as_files_write_it(schema):
    assert schema["required"] == ["name", "methods"]
    assert schema["anyOf"] == [{"required": ["datasets"]}, {"required": ["base"]}]
    assert schema["additionalProperties"] is False
    kinds = schema["$defs"]["Protocol"]["properties"]["splits"]["anyOf"][0]
    assert set(kinds["discriminator"]["mapping"]) == {
        "random",
        "file",
        "kfold",
        "published",
        "time",
        "transfer",
        "ratings",
    }
    assert {"type": "string"} in schema["properties"]["methods"]["additionalProperties"]["anyOf"]
    assert "as" in json.dumps(schema["properties"]["datasets"])
    assert "alias" not in json.dumps(schema)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_schema_accepts_every_experiment_that_comes_along(accepts, path):
    assert accepts(load_yaml(path).value)


def test_the_schema_knows_every_general_key_of_a_data_set(schema):
    known = schema["$defs"]["DatasetReference"]["properties"]
    assert set(known) == {
        "use",
        "as",
        "imbalance",
        "train",
        *SUBSET_KEYS,
        *ENCODING_KEYS,
        *ROW_KEYS,
    }


def test_the_words_of_a_method_are_its_fields(schema):
    assert set(METHOD_WORDS) == set(schema["$defs"]["Method"]["properties"])


TRANSFER = {"kind": "transfer", "source_rows": 500, "source_labels": 25}
BASE = {"name": "x", "datasets": ["digits"], "methods": {"A": "mlknn"}}


@pytest.mark.parametrize(
    ("more", "is_right"),
    [
        ({}, True),
        ({"protocol": {"preprocess": None}}, True),
        ({"protocol": {"preprocess": ["impute", "minmax"]}}, True),
        ({"protocol": {"splits": {"train": 0.6, "test": 100}}}, True),
        ({"protocol": {"splits": {"kind": "kfold", "folds": 3}}}, True),
        ({"protocol": {"splits": {"kind": "kfold", "train": 0.6}}}, False),
        ({"protocol": {"splits": {**TRANSFER, "target": "other_labels", "folds": 5}}}, True),
        ({"protocol": {"splits": {**TRANSFER, "target": "all"}}}, False),
        ({"protocol": {"splits": TRANSFER}}, False),
        ({"protocol": {"splits": {"kind": "ratings", "given": 20}}}, True),
        ({"protocol": {"splits": {"kind": "ratings", "train": 20}}}, False),
        ({"methods": {"A": {"use": "br", "C": 1, "tune": {"tol": {"log10": [1, 2, 3]}}}}}, True),
        ({"methods": {"A": {"use": "br", "tune": {"C": {"log": [1, 2, 3]}}}}}, False),
        ({"methods": {"A": {"use": "br", "tune": {"C": "ke-grid"}}}}, True),
        ({"methods": {"A": {"use": "br", "tune": {"C": "ke"}}}}, False),
        ({"methods": {"A": {"C": 1}}}, False),
        ({"methods": {}}, False),
        ({"datasets": [{"use": "corel5k", "labels": 35, "as": "small"}]}, True),
        ({"datasets": [{"use": "corel5k", "labels": 0}]}, False),
        ({"datasets": [{"use": "corel5k", "labels": 9, "labels_by": "position"}]}, True),
        ({"datasets": [{"use": "corel5k", "labels": 9, "labels_by": "size"}]}, False),
        ({"datasets": [{"use": "corel5k", "min_positives": 0}]}, True),
        ({"datasets": [{"use": "corel5k", "drop_unlabeled": True, "min_documents": 5}]}, True),
        ({"datasets": [{"use": "corel5k", "drop_unlabeled": 1}]}, False),
        ({"datasets": [{"use": "corel5k", "min_documents": 0}]}, False),
        ({"protocol": {"preprocess": ["tfidf", "unit-norm"]}}, True),
        ({"datasets": [{"use": "corel5k", "missing": "keep", "ignore": ["id"]}]}, True),
        ({"datasets": [{"use": "corel5k", "row_ids": "drop"}]}, False),
        ({"datasets": [{"use": "corel5k", "ignore": 3}]}, False),
        ({"datasets": ["digits", {"use": "digits", "imbalance": {"ratio": 5}}]}, True),
        ({"datasets": [{"use": "digits", "imbalance": {"ratio": 0}}]}, False),
        ({"datasets": [{"use": "digits", "imbalance": 5}]}, False),
        ({"datasets": [{"use": "digits", "imbalance": {"ratios": 5}}]}, False),
        ({"datasets": ["digits", {"use": "digits", "train": 0.2}]}, True),
        ({"datasets": [{"use": "digits", "train": 0}]}, False),
        ({"datasets": [{"use": "digits", "train": "20 %"}]}, False),
        ({"protocol": {"tuning": {"patience": 3}}}, True),
        ({"protocol": {"tuning": {"patience": 0}}}, False),
        ({"tests": [{"method": "A", "layout": "wide"}]}, True),
        ({"tests": [{"method": "A", "layout": "broad"}]}, False),
        ({"tests": [{"method": "A", "test": ["wilcoxon", "wilcoxon_normal"]}]}, True),
        ({"tests": [{"method": "A", "effect": ["difference", "a12"]}]}, True),
        ({"tests": [{"method": "A", "test": "t", "effect": "a12"}]}, True),
        ({"tests": [{"method": "A", "test": "z"}]}, False),
        ({"tests": [{"method": "A", "test": []}]}, False),
        ({"tests": [{"method": "A", "effect": ["a13"]}]}, False),
        ({"tests": [{"method": "A", "over_datasets": ["friedman", "win_tie_loss"]}]}, True),
        ({"tests": [{"method": "A", "over_datasets": ["friedmann"]}]}, False),
        ({"tests": [{"method": "A", "correction": "bonferroni"}]}, False),
        ({"limits": {"time": 3, "memory": "4 GB"}}, True),
        ({"limits": {"memory": 4}}, False),
        ({"metric": []}, False),
        ({"name": "a b"}, False),
    ],
)
def test_an_editor_says_what_the_loader_says(accepts, tmp_path, more, is_right):
    from mlbench.config.load import load_experiment
    from mlbench.errors import ConfigError

    experiment = {**BASE, **more}
    path = tmp_path / "x.yaml"
    path.write_text(json.dumps(experiment))
    try:
        load_experiment(path)
        loads = True
    except ConfigError:
        loads = False
    assert loads == is_right
    assert accepts(experiment) == is_right


def test_an_editor_accepts_any_parameters_of_a_users_splitter(accepts):
    assert accepts({**BASE, "protocol": {"splits": {"kind": "my.py:Mine", "train": 20}}})


def test_a_method_takes_from_the_experiment_what_it_does_not_say(everything, load):
    experiment = load(everything).experiment
    short, own, limited = (experiment.settings_of(n) for n in ("short", "own", "limited"))
    assert (short.scoring, short.threshold) == ("hamming_loss", "cv_f1_label")
    assert short.preprocess == ("impute", "standardize")
    assert (short.limits.time, short.limits.memory) == (3600, 4000)
    assert (own.threshold, own.preprocess) == ("default", ())
    assert (limited.limits.time, limited.limits.memory) == (7200, 4000)
    assert experiment.settings_of("tuned").scoring == "macro_f1@mulan"


def test_a_limit_can_be_lifted_for_one_method(good, load):
    text = good.replace("mlknn", "mlknn, limits: {time: null}") + "limits: {time: 1 h}\n"
    assert load(text).experiment.settings_of("A").limits.time is None


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
    tmp_path, good, use, name, place, load
):
    place = place.replace("HERE", str(tmp_path.resolve()))
    for options in ({}, {"rows": 5}):
        given = {"use": use, **options} if options else use
        loaded = load(good.replace("[digits]", json.dumps([given])))
        (dataset,) = loaded.experiment.datasets
        assert dataset.canonical == dataset.display == name + ("[rows=5]" if options else "")
        reference = dataset.resolved(loaded.folder)
        assert reference == ({"use": place, **options} if options else place)


@pytest.mark.parametrize("name", ["a b", "-x", "'a/b'", "''", "x" * 101, "'../x'"])
def test_a_name_must_do_as_a_folder(name, problems):
    text = f"name: {name}\ndatasets: [digits]\nmethods: {{A: mlknn}}\n"
    ((line, column, message),) = problems(text)
    assert (line, column) == (1, 1)
    assert message.startswith("name: must be letters, digits")


@pytest.mark.parametrize(
    ("unit", "metric", "decimals"),
    [("percent", "macro_f1", 2), ("fraction", "macro_f1", 4), ("percent", "coverage", 3)],
)
def test_decimals_suit_the_unit_unless_they_are_stated(unit, metric, decimals):
    for stated, expected in ((None, decimals), (1, 1)):
        report = Report(unit=unit, decimals=stated)
        style = score_format(
            get_metric(metric).is_fraction, report.unit == "percent", report.decimals
        )
        assert style.decimals == expected
    assert Report().decimals is None
