"""Parameters of estimator objects reach the estimator as they are."""

from __future__ import annotations

import random
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder
from sklearn.utils import all_estimators
from sklearn.utils._param_validation import generate_valid_param, make_constraint

from mlbench.api.estimators import as_plain, is_foreign
from mlbench.api.experiment import Experiment
from mlbench.config.parameter_keys import has_typed_keys, with_plain_keys
from mlbench.config.schema import Method
from mlbench.errors import ConfigError, MethodError
from mlbench.plan.identity import method_identity
from mlbench.registry import make_method
from mlbench.yaml_loader import dump_yaml, parse_yaml


def through_yaml(model):
    """Return the estimator that an experiment file makes of an object."""
    entry = as_plain(model)
    text = dump_yaml({"methods": {"M": {"use": entry["use"], "params": entry}}})
    read = with_plain_keys(parse_yaml(text, Path("a.yaml"), has_typed_keys).value)
    method = Method.model_validate(read["methods"]["M"])
    params = {key: value for key, value in method.params.items() if key != "use"}
    return make_method(method.use, **params)


class Holder(BaseEstimator):
    """An estimator with one parameter."""

    def __init__(self, value=None):
        self.value = value

    def fit(self, X, Y):
        """Learn nothing."""
        return self

    predict = None


def _same(one, other):
    if isinstance(one, BaseEstimator) or hasattr(one, "get_n_splits"):
        return type(one) is type(other) and repr(one) == repr(other)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, list | tuple):
        same = len(one) == len(other) and all(map(_same, one, other))
        return type(one) is type(other) and same
    if isinstance(one, dict):
        pairs = zip(one.items(), other.items(), strict=True)
        return all(_same(left, right) for left, right in pairs)
    return type(one) is type(other) and (one == other or one != one)


@pytest.mark.parametrize(
    "value",
    [
        {0: 1, 1: 2.5},
        {"0": 1},
        [{0: 1}, {True: 2, None: 3, 0.5: 4, (1, 2): 5}],
        {"use": "logistic", "C": 3},
        {"use": 3},
        (1, (2, [3, (4,)])),
        [],
        (),
        slice(0, 5),
        range(3),
        {1, 2},
        Path("a"),
        np.float64(0.1),
        np.int32(3),
        np.bool_(True),
        np.array([[0.5, 1]]),
        np.array(["a", "bc"]),
        np.zeros((0, 3), np.float32),
        np.log1p,
        special.expit,
        f_classif,
        np.float32,
        float,
        np.dtype("int8"),
        KFold(3, shuffle=True, random_state=0),
        make_scorer(f1_score, average="micro"),
        float("nan"),
        float("inf"),
        -0.0,
        "my.py:Class",
        "1e5",
        "true",
        "a\\0b",
        10**307,
        SelectKBest(f_classif, k=2),
    ],
)
def test_a_value_reaches_the_estimator_as_it_is(value):
    found = through_yaml(Holder(value)).value
    assert _same(value, found) or repr(value) == repr(found)


def test_a_function_with_some_arguments_reaches_the_estimator():
    found = through_yaml(Holder(partial(np.clip, 0.5, a_min=(1,)))).value
    assert (found.func, found.args, found.keywords) == (np.clip, (0.5,), {"a_min": (1,)})


def test_a_distribution_is_the_same():
    found = through_yaml(Holder(stats.loguniform(0.1, b=10))).value
    assert found.ppf([0, 0.5, 1]).tolist() == stats.loguniform(0.1, 10).ppf([0, 0.5, 1]).tolist()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.lists(inside, max_size=3).map(tuple)
        | st.dictionaries(
            st.none() | st.booleans() | st.integers() | st.text(max_size=3), inside, max_size=3
        )
    ),
    max_leaves=6,
)


@given(VALUES)
def test_any_value_reaches_the_estimator_as_it_is(value):
    assert _same(value, through_yaml(Holder(value)).value)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(MinMaxScaler(feature_range=(-1, 1)), KNeighborsClassifier()),
        make_pipeline(
            ColumnTransformer([("a", MinMaxScaler(), slice(0, 5)), ("b", "drop", [6])]),
            KNeighborsClassifier(),
        ),
        make_pipeline(FunctionTransformer(np.log1p), OneHotEncoder(dtype=np.float32)),
        MLPClassifier(hidden_layer_sizes=(8,)),
        MLPClassifier(hidden_layer_sizes=[8]),
        GridSearchCV(
            KNeighborsClassifier(),
            {"n_neighbors": np.arange(1, 4), "p": (1, 2)},
            cv=KFold(3),
            scoring="balanced_accuracy",
        ),
        RandomForestClassifier(class_weight=[{0: 1, 1: 2}]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_an_object_and_its_entry_are_the_same(model):
    again = through_yaml(model)
    assert repr(again) == repr(model)
    assert method_identity(again) == method_identity(model)
    assert not is_foreign(model)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (lambda a: a, "value: the function .*lambda.* is defined in a notebook, a script or a"),
        (
            KNeighborsClassifier,
            r"value: KNeighborsClassifier is a class; write KNeighborsClassifier\(\)",
        ),
        (np.random.RandomState(0), r"value: is an object of the type numpy\.random.* cannot be"),
        ((i for i in [1]), "value: is an object of the type builtins.generator"),
        ({"a": [partial(lambda a: a)]}, r"value\.a\.0\.func: the function .*lambda"),
        (stats.gaussian_kde([1, 2, 3]), "value: is an object of the type .*gaussian_kde"),
        (FrozenEstimator(LogisticRegression()), "value: is a frozen estimator"),
        (MinMaxScaler().set_output(transform="pandas"), "value: what set_output has set is no par"),
        (10**308, "value: a whole number has at most 308 digits"),
        (3j, "value: is an object of the type builtins.complex"),
        ("\ud800", "value: .* half of a character"),
    ],
)
def test_what_cannot_be_carried_is_refused_by_its_name(value, words):
    with pytest.raises(MethodError, match=words):
        as_plain(Holder(value))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.log1p, False),
        (f_classif, False),
        (make_scorer(f1_score), False),
        (KFold(3), False),
        (partial(np.log1p), False),
        ({"a": [(np.float32, "a.b", 3, None)]}, False),
        (np.sum, True),
        (make_scorer(np.sum), True),
        ([partial(np.sum)], True),
        ((as_plain,), True),
        (Holder(), True),
        (FunctionTransformer(len), True),
    ],
)
def test_foreign_code_is_found_in_values(value, expected):
    """An experiment from Python may import it; one from a file needs a permission."""
    assert is_foreign({"M": {"use": "br", "x": value}}) is expected


def test_an_open_file_and_a_circle_are_refused_too(tmp_path):
    circle = []
    circle.append(circle)
    with pytest.raises(MethodError, match="is nested more than 50 levels deep"):
        as_plain(Holder(circle))
    with (tmp_path / "a").open("w") as file, pytest.raises(MethodError, match="TextIOWrapper"):
        as_plain(Holder(file))


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (KNeighborsClassifier, "methods.M: KNeighborsClassifier is a class"),
        ({"use": KNeighborsClassifier}, "methods.M: KNeighborsClassifier is a class"),
        (KNeighborsClassifier(metric=lambda a, b: 0), "methods.M.metric: the function"),
        ({"use": "mlknn", "k": (i for i in [1])}, "methods.M.k: is an object of the type"),
        ({"use": "mlknn", "tune": {"k": [1, lambda: 0]}}, "methods.M.tune.k: the function"),
    ],
)
def test_the_error_names_the_method(method, words, tmp_path):
    with pytest.raises(ConfigError, match=f"^experiment: {words}"):
        Experiment(["digits"], {"M": method}).load(tmp_path, (), ())


class Words(BaseEstimator):
    """An estimator whose parameters are called like keys of an experiment."""

    def __init__(self, use=1, scoring=2, preprocess="none", tune=3, params=4, limits=5, C=6):
        self.use = use
        self.scoring = scoring
        self.preprocess = preprocess
        self.tune = tune
        self.params = params
        self.limits = limits
        self.C = C

    def fit(self, X, Y):
        """Learn nothing."""
        return self

    predict = decision_function = None


def test_parameters_called_like_keys_are_the_estimators_own(tmp_path):
    model = Words("a", "b", "c", "d", "e", "f", "g")
    outer = {"use": Pipeline([("x", model)]), "preprocess": "standardize"}
    loaded = Experiment(["digits"], {"A": model, "B": outer}).load(tmp_path, (), ())
    first, second = (loaded.experiment.methods[name] for name in "AB")
    assert make_method(first.use, **first.parameters).get_params() == model.get_params()
    assert (first.preprocess, second.preprocess) == (None, ("standardize",))
    inner = make_method(second.use, **second.parameters).steps[0][1]
    assert inner.get_params() == model.get_params()


PARTS = {"estimator": LogisticRegression(), "estimators": [("a", LogisticRegression())]}
"""What classifiers require that have no default for it."""


def _drawn(kind, seed):
    """Return a classifier with some parameters drawn from those that it allows."""
    draw = random.Random(seed)
    given = {name: part for name, part in PARTS.items() if name in kind._parameter_constraints}
    for name, constraints in kind._parameter_constraints.items():
        if name in given or constraints == "no_validation" or not seed or draw.random() < 0.7:
            continue
        try:
            value = generate_valid_param(make_constraint(draw.choice(constraints)))
            as_plain(Holder(value))
        except (TypeError, MethodError):  # an abstract class; a generator of numbers, a lambda
            continue
        given[name] = value
    return kind(**given)


CLASSIFIERS = [kind for _, kind in all_estimators("classifier")]


def _from_file_and_parameters(model):
    """Return the classifier from parameters, and from an experiment file."""
    entry = as_plain(model)
    return make_method(entry.pop("use"), **entry), through_yaml(model)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore::FutureWarning")  # a deprecated classifier
def test_every_classifier_has_the_same_key_however_it_is_given(kind):
    for seed in range(6):
        model = _drawn(kind, seed)
        for again in _from_file_and_parameters(model):
            assert repr(again) == repr(model)
            assert method_identity(again) == method_identity(model)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_classifier_learns_the_same_however_it_is_given(kind):
    rng = np.random.RandomState(0)
    X, y = np.abs(rng.randn(30, 4)), np.arange(30) % 2
    for seed in (0, 1):
        model = _drawn(kind, seed)
        for again in _from_file_and_parameters(model):
            assert _fitted(again, X, y) == _fitted(model, X, y)


def _fitted(model, X, y):
    """Return what a classifier predicts, or why it does not."""
    np.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.asarray(clone(model).fit(X, y).predict(X)).tolist()
        except Exception as error:
            return type(error)
