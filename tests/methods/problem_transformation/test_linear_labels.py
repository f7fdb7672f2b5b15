"""With many labels, linear classifiers are fitted together."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from mlbench.methods.problem_transformation import base_fits
from mlbench.methods.problem_transformation.linear_labels import MANY, fit_together, shared_solver
from mlbench.registry import make_method


@pytest.fixture(scope="module")
def many():
    """600 labels, some of them equal or constant."""
    random = np.random.default_rng(0)
    X = sparse.random(120, 50, 0.2, "csr", random_state=random)
    evidence = X @ random.standard_normal((50, MANY + 100))
    Y = (evidence > np.quantile(evidence, 0.9, axis=0)).astype(np.int64)
    Y[:, 1], Y[:, 2], Y[:, 3] = Y[:, 0], 0, 1
    return X, Y


@pytest.mark.parametrize("base", [LinearSVC(C=0.5, tol=1e-6), LogisticRegression(tol=1e-7)])
def test_scores_are_those_of_scikit_learn(many, base):
    X, Y = many
    model = make_method("br", base=base).fit(X, Y)
    for label in (0, 1, 5, 599):
        alone = base.fit(X, Y[:, label])
        together = model.estimators_[label]
        np.testing.assert_allclose(
            together.decision_function(X), alone.decision_function(X), atol=2e-3
        )
        np.testing.assert_array_equal(together.classes_, alone.classes_)
        assert together.get_params() == alone.get_params()
    assert model.estimators_[0] is model.estimators_[1]
    assert model.estimators_[2] is model.estimators_[3] is None


@pytest.mark.parametrize("name", ["homer", "mlcssp"])
def test_other_methods_share_them(many, name, monkeypatch):
    X, Y = many
    base = LogisticRegression(tol=1e-7)
    together = make_method(name, base=base).set_params(random_state=0).fit(X, Y)
    monkeypatch.setattr(base_fits, "MANY", MANY + 101)
    alone = make_method(name, base=base).set_params(random_state=0).fit(X, Y)
    scores = together.decision_function(X)
    assert np.abs(scores - alone.decision_function(X)).max() < 2e-2
    assert together.n_fits_ == alone.n_fits_ if name == "homer" else True


def test_few_labels_keep_the_fits_of_scikit_learn(many):
    X, Y = many
    base = LinearSVC(random_state=0)
    model = make_method("br", base=base).fit(X, Y[:, 4 : MANY + 3])
    np.testing.assert_array_equal(model.estimators_[0].coef_, base.fit(X, Y[:, 4]).coef_)


@pytest.mark.parametrize(
    "base",
    [
        LinearSVC(loss="hinge"),
        LinearSVC(class_weight="balanced"),
        LinearSVC(C=-1),
        LogisticRegression(solver="saga"),
        LogisticRegression(l1_ratio=0.5),
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(C=np.inf),
    ],
)
def test_other_objectives_are_left_to_scikit_learn(base):
    assert shared_solver(base) is None


def test_a_label_that_does_not_converge_is_fitted_alone(many):
    X, Y = many
    base = LinearSVC(random_state=0)

    def stopped(X, Y):
        return shared_solver(base)(X, Y)._replace(gap=np.array([0.0, 1.0]))

    first, second = fit_together(base, stopped, X, [Y[:, 4], Y[:, 5]])
    assert (first.coef_ != base.fit(X, Y[:, 4]).coef_).any()
    np.testing.assert_array_equal(second.coef_, base.fit(X, Y[:, 5]).coef_)
