from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.errors import MethodError
from mlbench.methods.parameters import check_parameters
from mlbench.papers.weka_naive_bayes import WekaNaiveBayes
from mlbench.plan.identity import method_identity
from mlbench.registry import make_method

X = np.array([[0.0], [1.2], [2.0], [5.0], [6.0], [8.0]])
Y = np.array([0, 0, 0, 1, 1, 1])
PRECISION = 8 / 5
ROUNDED = PRECISION * np.array([0, 1, 1, 3, 4, 5])
NEW = PRECISION * np.array([-2.0, 1.0, 2.0, 3.0, 9.0])


def cell_probability(value, mean, deviation, precision=PRECISION):
    above, below = value + precision / 2, value - precision / 2
    return norm.cdf(above, mean, deviation) - norm.cdf(below, mean, deviation)


def share(first, second):
    """Return the probabilities of two classes of equal size."""
    return np.column_stack([first, second]) / (first + second)[:, None]


def test_a_value_has_the_probability_of_its_cell():
    model = WekaNaiveBayes().fit(X, Y)
    np.testing.assert_allclose(model.precision_, PRECISION)
    low, high = ROUNDED[:3], ROUNDED[3:]
    expected = share(
        cell_probability(NEW, low.mean(), low.std()),
        cell_probability(NEW, high.mean(), high.std()),
    )
    np.testing.assert_allclose(model.predict_proba(NEW[:, None]), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(NEW[:, None]), [0, 0, 0, 1, 1])


def test_new_values_are_rounded_like_those_of_training():
    model = WekaNaiveBayes().fit(X, Y)
    nearby = NEW[:, None] + 0.49 * PRECISION
    np.testing.assert_array_equal(model.predict_proba(nearby), model.predict_proba(NEW[:, None]))


def kernel_probability(new, values):
    width = max(np.ptp(values) / np.sqrt(len(values)), PRECISION / 6)
    return np.mean([cell_probability(new, value, width) for value in values], axis=0)


def test_kernels_stand_on_the_rounded_values():
    model = WekaNaiveBayes(kernel=True).fit(X, Y)
    expected = share(kernel_probability(NEW, ROUNDED[:3]), kernel_probability(NEW, ROUNDED[3:]))
    np.testing.assert_allclose(model.predict_proba(NEW[:, None]), expected, atol=1e-12)


def test_a_kernel_on_one_value_is_a_sixth_of_the_precision_wide():
    model = WekaNaiveBayes(kernel=True).fit([[0.0], [0.0], [0.0], [1.0], [2.0]], [0, 0, 0, 1, 1])
    at_zero = cell_probability(0, 0, 1 / 6, precision=1)
    width = 1 / np.sqrt(2)
    others = [cell_probability(0, value, width, precision=1) for value in (1, 2)]
    odds = (4 * at_zero) / (3 * np.mean(others))
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[odds / (1 + odds), 1 / (1 + odds)]])


def test_a_deviation_is_at_least_a_sixth_of_the_precision():
    constant_within_classes = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = WekaNaiveBayes().fit(constant_within_classes, [0, 0, 1, 1])
    own = cell_probability(0, 0, 1 / 6, precision=1)
    other = cell_probability(0, 1, 1 / 6, precision=1)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[own, other] / (own + other)])


def test_a_constant_feature_says_nothing_and_has_a_precision_of_a_hundredth():
    constant = np.column_stack([X, np.full(6, 3.0)])
    model = WekaNaiveBayes().fit(constant, Y)
    assert model.precision_[1] == 0.01
    new = np.column_stack([NEW, np.full(5, 3.0)])
    expected = WekaNaiveBayes().fit(X, Y).predict_proba(NEW[:, None])
    np.testing.assert_allclose(model.predict_proba(new), expected)


@pytest.mark.parametrize("kernel", [False, True])
def test_no_value_is_less_likely_than_1e_75(kernel):
    model = WekaNaiveBayes(kernel=kernel).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba([[1e6], [-1e6]]), 0.5)


def test_one_row_is_added_to_each_class():
    model = WekaNaiveBayes().fit(np.zeros((4, 1)), ["a", "a", "a", "b"])
    np.testing.assert_allclose(model.class_prior_, [4 / 6, 2 / 6])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[4 / 6, 2 / 6]])


def test_nominal_features_are_counted_with_one_row_more_for_each_value():
    binary = np.array([[1.0], [1.0], [0.0], [0.0], [0.0], [0.0]])
    model = WekaNaiveBayes(binary="nominal").fit(np.hstack([X, binary]), Y)
    numeric = WekaNaiveBayes().fit(X, Y).predict_proba([[3.2], [3.2]])
    odds = numeric[:, 1] / numeric[:, 0] * [(4 / 5) / (2 / 5), (1 / 5) / (3 / 5)]
    found = model.predict_proba([[3.2, 0], [3.2, 1]])
    np.testing.assert_allclose(found[:, 1] / found[:, 0], odds)


def test_with_many_distinct_values_it_is_the_gaussian_one():
    random = np.random.RandomState(0)
    y = random.randint(3, size=2000)
    many = random.randn(2000, 4) + y[:, None]
    theirs = GaussianNB(priors=(np.bincount(y) + 1) / 2003).fit(many, y).predict_proba(many[:50])
    ours = WekaNaiveBayes().fit(many, y).predict_proba(many[:50])
    np.testing.assert_allclose(ours, theirs, atol=0.01)


def test_experiments_name_it_as_a_base():
    labels = np.column_stack([Y, 1 - Y])
    model = make_method("br", base="weka_naive_bayes", kernel=True).fit(X, labels)
    expected = WekaNaiveBayes(kernel=True).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(model.decision_function(X), expected[:, ::-1])


def test_keys_of_results_hold_its_short_name_and_not_where_its_code_stands():
    identity = method_identity(make_method("br", base="weka_naive_bayes", kernel=True))
    assert identity["params"]["base"] == {
        "name": "weka_naive_bayes",
        "revision": 1,
        "params": {"kernel": True},
    }


def test_a_bad_parameter_is_an_error():
    with pytest.raises(MethodError, match="'binary' parameter of WekaNaiveBayes must be a str"):
        check_parameters(make_method("br", base="weka_naive_bayes", binary="yes"))


@parametrize_with_checks([WekaNaiveBayes(), WekaNaiveBayes(kernel=True, binary="nominal")])
def test_scikit_learn_takes_it_for_one_of_its_own(estimator, check):
    check(estimator)
