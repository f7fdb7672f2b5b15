from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GroupKFold, KFold
from sklearn.multioutput import MultiOutputClassifier

from mlbench.errors import MethodError
from mlbench.hashing import canonical_json
from mlbench.methods.adaptation.mlknn import MLkNN
from mlbench.plan.identity import code_behind, differing_parts, method_identity, plain
from mlbench.registry import make_method
from mlbench.store.plain_values import differing_values

TRANSFORMER = "sklearn.preprocessing.FunctionTransformer"


def test_parameters_of_every_kind_become_plain():
    value = {
        "array": np.array([[1.5, 2], [3, 4]]),
        "number": np.float64(0.1),
        "count": np.int64(3),
        "flag": np.bool_(True),
        "far": float("inf"),
        "pair": (1, None),
        "function": np.sum,
        "class": LogisticRegression,
    }
    made = plain(value)
    canonical_json(made)
    assert made["array"] == [[1.5, 2], [3, 4]]
    assert (made["number"], made["count"], made["flag"]) == (0.1, 3, True)
    assert (made["far"], made["pair"]) == ({"float": "inf"}, [1, None])
    assert made["function"] == {"function": "numpy.sum"}
    assert made["class"]["class"]["name"] == "sklearn.linear_model.LogisticRegression"


def test_an_estimator_inside_another_is_described_too():
    one, other = (method_identity(MultiOutputClassifier(LogisticRegression(C=c))) for c in (1, 2))
    assert one["name"] == "sklearn.multioutput.MultiOutputClassifier"
    assert one["distribution"] == other["distribution"] == "scikit-learn"
    assert list(differing_values(one, other)) == [("params.estimator.params.C", 1, 2)]


def test_a_built_in_method_is_its_name_its_revision_and_what_is_not_at_its_default():
    assert method_identity(make_method("mlknn")) == {"name": "mlknn", "revision": 2, "params": {}}
    assert method_identity(make_method("mlknn", k=7, s=1.0))["params"] == {"k": 7}


def test_a_raised_revision_is_another_identity(monkeypatch):
    before = method_identity(make_method("mlknn"))
    monkeypatch.setattr(MLkNN, "revision", 3)
    assert list(differing_values(before, method_identity(make_method("mlknn")))) == [
        ("revision", 2, 3)
    ]


def test_a_class_of_ones_own_counts_with_the_revision_of_the_method_it_extends(monkeypatch):
    class Mine(MLkNN):
        pass

    assert method_identity(Mine())["revision"] == 2
    monkeypatch.setattr(MLkNN, "revision", 1)
    assert "revision" not in method_identity(Mine())


def test_what_an_experiment_states_counts_where_get_params_does_not_tell_of_it():
    class TakesAnyName(BaseEstimator):
        def __init__(self, depth=1):
            self.depth = depth

    found = method_identity(TakesAnyName(), {"depth": 1, "gain": 0.5})
    assert found["stated"] == {"gain": 0.5}


def test_code_is_told_of_every_class_in_a_method():
    found = code_behind(make_method("br", base="logistic"))
    assert list(found) == ["br", "sklearn.linear_model.LogisticRegression"]
    assert len(found["br"]) == 64
    assert found["sklearn.linear_model.LogisticRegression"].startswith("scikit-learn ")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({0: 1}, {"0": 1}),
        ({0: 1}, {False: 1}),
        ({None: 1}, {"None": 1}),
        (slice(0, 5), slice(0, 6)),
        (range(3), range(4)),
        ({1, 2}, {1, 3}),
        (KFold(3), KFold(4)),
        (KFold(3), GroupKFold(3)),
        (make_scorer(f1_score), make_scorer(f1_score, average="micro")),
        (np.log1p, np.expm1),
        (partial(np.clip, 1), partial(np.clip, 2)),
        (stats.uniform(0, 1), stats.uniform(0, 2)),
        (Path("a"), Path("b")),
        (np.float32, np.float64),
        (special.expit, special.logit),
    ],
)
def test_values_that_differ_have_other_identities(one, other):
    assert canonical_json(plain(one)) != canonical_json(plain(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((8, (2,)), [8, [2]]),
        (np.array([1.5]), [1.5]),
        ({0: 1, 1: 2}, {1: 2, 0: 1}),
        (KFold(3), KFold(n_splits=3, shuffle=False)),
    ],
)
def test_values_that_are_the_same_to_a_method_have_one_identity(one, other):
    assert plain(one) == plain(other)


@pytest.mark.parametrize(
    ("default", "told"),
    [({0: 1}, {"0": 1}), (slice(3), {"value": "builtins.slice"}), ((1, 2), [1, 2])],
)
def test_defaults_keep_their_identity(default, told):
    """The code of the class vouches for them."""

    class Mine(BaseEstimator):
        def __init__(self, value=default):
            self.value = value

    assert method_identity(Mine())["params"] == {"value": told}


def test_a_function_of_a_file_counts_with_its_code(tmp_path):
    found = []
    for digit in "12":
        (tmp_path / "mine.py").write_text(f"def twice(x):\n    return {digit} * x\n")
        func = {"use": "mine.py:twice"}
        model = make_method("br", tmp_path, base={"use": TRANSFORMER, "func": func})
        found.append(method_identity(model))
    assert [path for path, *_ in differing_values(*found)] == ["params.base.params.func.code"]


@pytest.mark.parametrize("number", ["inf", "-inf", "nan"])
def test_a_number_that_is_not_finite_differs_from_the_text_of_it(number):
    assert plain(float(number)) != plain(number)
    assert plain(float(number)) == plain(np.float64(number))


FUNCTIONS = """
from functools import lru_cache
from sklearn.base import BaseEstimator

class Scale:
    def twice(self, x):
        return 2 * x

@lru_cache
def cached(x):
    return x

class Mine(BaseEstimator):
    fit = predict = None
    def __init__(self, kernel={}):
        self.kernel = kernel
"""


@pytest.mark.parametrize("default", ["cached", "Scale().twice", "lambda x: x", "Scale", "Scale()"])
def test_a_default_that_is_a_function_brings_no_place_into_the_key(tmp_path, default):
    found = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(FUNCTIONS.format(default))
        found.append(method_identity(make_method("mine.py:Mine", tmp_path / name)))
    assert found[0] == found[1]
    assert "mlbench_file" not in canonical_json(found)


class TakesAny(BaseEstimator):
    def __init__(self, *args):
        self.args = args


class KeepsNothing(BaseEstimator):
    def __init__(self, depth=3):
        pass


@pytest.mark.parametrize("kind", [TakesAny, KeepsNothing])
def test_an_estimator_against_the_convention_is_named(kind):
    with pytest.raises(MethodError, match=rf"{kind.__name__}: .*scikit-learn's convention"):
        method_identity(MultiOutputClassifier(kind()))


def test_a_parameter_that_one_identity_leaves_out_is_told_with_its_default():
    ten, twelve = ({"method": method_identity(MLkNN(k=k))} for k in (10, 12))
    assert ten["method"]["params"] == {}
    assert [*differing_parts(ten, twelve)] == [("method.params.k", 10, 12)]
    assert [*differing_parts(twelve, ten)] == [("method.params.k", 12, 10)]


def test_a_default_of_another_revision_or_another_class_is_not_known():
    twelve = {"method": method_identity(MLkNN(k=12))}
    old = {"method": {"name": "mlknn", "revision": 1, "params": {}}}
    assert ("method.params.k", None, 12) in [*differing_parts(old, twelve)]
    before, after = ({"method": {"name": "mine", "params": p}} for p in ({}, {"k": 3}))
    assert [*differing_parts(before, after)] == [("method.params.k", None, 3)]


def test_how_a_share_is_rounded_is_not_told_beside_the_share():
    before, after = {"split": {"train": 0.6}}, {"split": {"train": 0.7, "shares": "decimal"}}
    assert [*differing_parts(before, after)] == [("split.train", 0.6, 0.7)]
    older = {"split": {"train": 0.7}}
    assert [*differing_parts(older, after)] == [("split.shares", None, "decimal")]


def test_a_change_of_a_metric_is_told_by_its_name():
    before, after, more = (
        {"metrics": [{"name": "m.py:gain", "code": code}, *rest]}
        for code, *rest in (["1a"], ["2b"], ["1a", {"name": "precision_at_7"}])
    )
    assert [*differing_parts(before, after)] == [("metrics.m.py:gain.code", "1a", "2b")]
    assert [*differing_parts(before, more)] == [("metrics", [], [{"name": "precision_at_7"}])]
    assert [*differing_parts(before, {"metrics": 7})] == [("metrics", before["metrics"], 7)]
