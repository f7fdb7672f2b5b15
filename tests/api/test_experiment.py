"""Python objects as an experiment file could hold them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

import mlbench
from mlbench.api.estimators import as_plain
from mlbench.api.experiment import Experiment, load_any
from mlbench.api.prepare import prepare
from mlbench.data import Dataset
from mlbench.errors import ConfigError, DataError, MethodError
from mlbench.plan.identity import method_identity
from mlbench.registry import make_method

MINE = """
from sklearn.base import BaseEstimator
class Mine(BaseEstimator):
    def __init__(self, level=0.5): self.level = level
    def fit(self, X, Y): self.n_ = Y.shape[1]; return self
    def predict(self, X): return X[:, : self.n_] > self.level
"""


def toy(name="toy"):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    return Dataset(name, X, (X[:, :2] > 0).astype(int), ("a", "b"), ("u", "v", "w"))


@pytest.mark.parametrize(
    "model",
    [
        make_method("mlknn", k=3),
        make_method("br", base="logistic"),
        make_method("ecc", base={"use": "tree", "max_depth": 2}),
        RandomForestClassifier(n_estimators=7, max_features=0.5),
        make_method("br", base=LogisticRegression(C=3.0, max_iter=50)),
    ],
    ids=repr,
)
def test_an_estimator_has_the_identity_of_its_entry(model):
    """So its cells have the same keys, whoever starts them."""
    entry = as_plain(model)
    use = entry.pop("use")
    assert method_identity(make_method(use, **entry)) == method_identity(model)


IN_YAML = """
name: written
datasets: [digits]
protocol: {splits: {repeats: 1}, tuning: {folds: 2}}
methods:
  weights: {use: br, class_weight: {0: 1, 1: 2}, tune: {C: [0.1, 1.0]}}
  searched: {use: br, tune: {class_weight: [{0: 1, 1: 2}, balanced]}}
  layers: {use: sklearn.neural_network.MLPClassifier, tune: {hidden_layer_sizes: [[4], [8, 2]]}}
  fixed: {use: sklearn.neural_network.MLPClassifier, hidden_layer_sizes: [8, 2]}
  folds:
    use: sklearn.model_selection.GridSearchCV
    estimator: {use: sklearn.neighbors.KNeighborsClassifier}
    param_grid: {n_neighbors: [1, 5]}
    params: {scoring: f1_macro}
    cv: {use: sklearn.model_selection.KFold, n_splits: 3}
"""


def test_objects_have_the_keys_of_what_a_file_states(tmp_path):
    (tmp_path / "written.yaml").write_text(IN_YAML)
    weights = {0: 1, 1: 2}
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": np.array([1, 5])}, scoring="f1_macro", cv=KFold(3)
    )
    methods = {
        "weights": {
            "use": make_method("br", class_weight=weights),
            "tune": {"C": np.logspace(-1, 0, 2)},
        },
        "searched": {"use": "br", "tune": {"class_weight": (weights, "balanced")}},
        "layers": {"use": MLPClassifier(), "tune": {"hidden_layer_sizes": [(4,), (8, 2)]}},
        "fixed": MLPClassifier(hidden_layer_sizes=(8, 2)),
        "folds": search,
    }
    protocol = {"splits": {"repeats": 1}, "tuning": {"folds": 2}}
    given = Experiment(["digits"], methods, protocol=protocol)
    keys = [
        [(cell.method, cell.key) for cell in prepare(load_any(each, tmp_path)).plan.cells]
        for each in (tmp_path / "written.yaml", given)
    ]
    assert keys[0] == keys[1]


def test_what_is_at_its_default_is_not_written():
    assert as_plain(make_method("mlknn", k=3)) == {"use": "mlknn", "k": 3}
    assert as_plain(RandomForestClassifier()) == {"use": "sklearn.ensemble.RandomForestClassifier"}


def test_grids_and_tuples_become_lists():
    entry = {"use": "mlknn", "tune": {"k": np.arange(1, 4)}, "preprocess": ("standardize",)}
    assert as_plain(entry) == {
        "use": "mlknn",
        "tune": {"k": [1, 2, 3]},
        "preprocess": ["standardize"],
    }


def test_the_class_of_an_own_file_is_named_by_its_path(tmp_path, monkeypatch):
    (tmp_path / "my_methods_of_a_test.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    from my_methods_of_a_test import Mine  # type: ignore[import-not-found]

    use = f"{tmp_path / 'my_methods_of_a_test.py'}:Mine"
    assert as_plain(Mine(level=0.3)) == {"use": use, "level": 0.3}


def test_a_class_that_workers_cannot_import_is_refused():
    class Local(BaseEstimator):
        pass

    with pytest.raises(MethodError, match="put it in a file of its own"):
        as_plain(Local())


def test_a_data_set_in_memory_is_saved_once_in_the_results_folder(tmp_path):
    data = toy()
    experiment = Experiment([data, "digits"], {"kNN": "mlknn"})
    for _ in range(2):
        loaded = experiment.load(tmp_path, (), ())
    first, second = loaded.experiment.datasets
    path = tmp_path / "data" / "toy.npz"
    assert (first.use, first.alias, second.use) == (str(path), "toy", "digits")
    back = mlbench.load_dataset(first.use)
    assert back.fingerprint == data.fingerprint
    assert back.label_names == ("a", "b")


def test_a_saved_data_set_that_is_damaged_is_written_again(tmp_path):
    experiment = Experiment([toy()], {"kNN": "mlknn"})
    experiment.load(tmp_path, (), ())
    path = tmp_path / "data" / "toy.npz"
    path.write_bytes(path.read_bytes()[:100])
    experiment.load(tmp_path, (), ())
    assert mlbench.load_dataset(str(path)).fingerprint == toy().fingerprint


@pytest.mark.parametrize("change", ["an array", "an unknown compression", "torn"])
def test_a_file_that_is_no_data_set_is_refused(tmp_path, change):
    path = tmp_path / "mine.npz"
    if change == "an array":
        np.save(tmp_path / "mine.npy", np.ones(3))
        (tmp_path / "mine.npy").rename(path)
    else:
        np.savez_compressed(path, X=np.arange(999.0))
        content = bytearray(path.read_bytes())
        if change == "torn":
            content[60:300] = bytes(240)
        else:  # the number of the compression, in both headers
            central = content.rfind(b"PK\x01\x02")
            content[8], content[central + 10] = 97, 97
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"mine\.npz: not a data set that mlbench has saved"):
        mlbench.load_dataset(str(path))


def test_a_data_set_in_a_file_has_no_attributes_to_ignore(tmp_path):
    mlbench.save_dataset(toy(), tmp_path / "toy.npz")
    with pytest.raises(DataError, match="unknown key 'ignore'"):
        mlbench.load_dataset({"use": str(tmp_path / "toy.npz"), "ignore": ["a"]})


def test_errors_name_the_key_and_no_line(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_any({"datasets": ["digitz"], "methods": {"A": "mlknn"}}, tmp_path)
    assert str(caught.value).startswith("experiment: datasets.0: there is no data set 'digitz'")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"methods": {"A": "mlknn"}}, "experiment: the key 'datasets' is required"),
        (
            {"datasets": ["digits"], "methods": {"A": "mlknn"}, "metrics": ["macro_f1", print]},
            "experiment: metrics.1: is an object of the type builtins.builtin_function",
        ),
        (3, "an experiment is a file, a name, a mapping or mlbench.Experiment, not 3"),
    ],
)
def test_what_is_no_experiment(given, words, tmp_path):
    with pytest.raises(ConfigError, match=words):
        load_any(given, tmp_path)


def test_a_data_frame_needs_its_labels_named(tmp_path):
    with pytest.raises(DataError, match="before its labels are named"):
        load_any(Experiment([pd.DataFrame({"a": [1]})], {"A": "mlknn"}), tmp_path)


@pytest.mark.parametrize("name", ["", "x" * 300])
def test_data_in_memory_need_a_name_that_a_file_can_have(tmp_path, name):
    with pytest.raises(DataError, match="the name of a data set in memory has 1 to 200 letters"):
        mlbench.run({"name": "n", "datasets": [toy(name)], "methods": {"A": "mlknn"}}, out=tmp_path)


@pytest.mark.parametrize("names", [("Zwo ä", "Zwo ö"), ("歌", "曲"), ("a-b", "A b")])
def test_names_that_differ_in_letters_that_no_file_has_keep_their_data(tmp_path, names):
    first, second = (toy(name) for name in names)
    second = replace(second, X=-second.X)
    experiment = {"name": "n", "datasets": [first, second], "methods": {"A": "mlknn"}}
    results = mlbench.run(experiment, out=tmp_path / "out", progress=False)
    found = {name: facts.fingerprint for name, facts in results.plan.datasets.items()}
    assert found == {names[0]: first.fingerprint, names[1]: second.fingerprint}
