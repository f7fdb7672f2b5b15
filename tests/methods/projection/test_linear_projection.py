"""The linear projections together: what the formulas of all of them have in common."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlbench.errors import MethodError
from mlbench.methods.projection.centered_svd import centered_svd
from mlbench.methods.projection.hsml import hypergraph_factor
from mlbench.methods.projection.linear_projection import best_directions
from mlbench.registry import make_method

PROJECTIONS = ("opls_ls", "cca_ls", "lda_ls", "cca_svm", "hsml")
SHAPES = {"tall": (60, 6), "wide": (20, 45)}


def example(shape, k=4, seed=0):
    n, d = SHAPES[shape]
    random = np.random.RandomState(seed)
    X = random.randn(n, d) * random.uniform(0.5, 2, d) + 1
    Y = (X @ random.randn(d, k) + np.sqrt(d) * random.randn(n, k) > 1).astype(int)
    Y[0], Y[1] = 0, 1
    return X, Y, random.randn(11, d)


def span(A):
    """The orthogonal projector onto the columns."""
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    U = U[:, s > 1e-9 * s[0]]
    return U @ U.T


def ridge_fit(X, T, mu):
    Xc = X - X.mean(axis=0)
    return np.linalg.solve(Xc.T @ Xc + mu * np.eye(X.shape[1]), Xc.T @ (T - T.mean(axis=0)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mu", [1e-3, 0.5, 30.0])
def test_directions_are_those_of_the_generalized_eigenproblem(shape, mu):
    X, Y, _ = example(shape)
    Xc, T = X - X.mean(axis=0), Y - Y.mean(axis=0)
    svd = centered_svd(X)
    found = best_directions(svd, svd.U.T @ T, mu)
    M = Xc.T @ Xc + mu * np.eye(X.shape[1])
    values, vectors = linalg.eigh(Xc.T @ T @ T.T @ Xc, M)
    np.testing.assert_allclose(found.correlations**2, values[::-1][:4], rtol=1e-9)
    np.testing.assert_allclose(found.Q.T @ M @ found.Q, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(svd.U @ found.in_left_basis, Xc @ found.Q, atol=1e-10)
    for r in range(1, 5):
        np.testing.assert_allclose(span(found.Q[:, :r]), span(vectors[:, ::-1][:, :r]), atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_other_directions_are_better_and_the_best_value_is_known(shape):
    """The objective of equation (6) for the best W, at ``||T||^2 - sum of g^2``."""
    X, Y, _ = example(shape)
    Xc, T, mu, r = X - X.mean(axis=0), Y - Y.mean(axis=0), 2.0, 2
    svd = centered_svd(X)
    found = best_directions(svd, svd.U.T @ T, mu)

    def value(Q):
        Q = np.linalg.qr(Q)[0]
        Z = Xc @ Q
        W = np.linalg.solve(Z.T @ Z + mu * np.eye(r), Z.T @ T)
        return ((Z @ W - T) ** 2).sum() + mu * (W**2).sum()

    least = (T**2).sum() - (found.correlations[:r] ** 2).sum()
    np.testing.assert_allclose(value(found.Q[:, :r]), least, rtol=1e-12)
    random = np.random.RandomState(0)
    for _ in range(200):
        assert value(random.randn(X.shape[1], r)) > least
    for _ in range(50):
        near = found.Q[:, :r] + 0.01 * np.abs(found.Q).mean() * random.randn(X.shape[1], r)
        assert value(near) > least


@pytest.mark.parametrize("name", ["opls_ls", "cca_ls", "lda_ls"])
@pytest.mark.parametrize("shape", SHAPES)
def test_with_all_features_least_squares_is_ridge_regression(name, shape):
    X, Y, new = example(shape)
    model = make_method(name, ridge=0.3).fit(X, Y)
    coef = ridge_fit(X, Y, model.ridge_)
    expected = Y.mean(axis=0) + (new - X.mean(axis=0)) @ coef
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)
    np.testing.assert_allclose(model.coef_, coef.T, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_four_methods_are_one_ridge_regression(shape):
    X, Y, new = example(shape)
    opls = make_method("opls_ls", ridge=0.3).fit(X, Y)
    hsml = make_method("hsml", ridge=0.3).fit(X, Y)
    lda = make_method("lda_svm", ridge=0.3).fit(X, Y)
    assert opls.ridge_ == hsml.ridge_ == lda.ridge_
    coef = ridge_fit(X, Y, opls.ridge_)
    np.testing.assert_allclose(opls.coef_.T, coef, atol=1e-9)
    onto_hypergraph = ridge_fit(X, hypergraph_factor(Y.astype(float)), hsml.ridge_)
    np.testing.assert_allclose(span(hsml.scalings_), span(onto_hypergraph), atol=1e-9)
    directions = lda.scalings_ / np.linalg.norm(lda.scalings_, axis=0)
    np.testing.assert_allclose(directions, coef / np.linalg.norm(coef, axis=0), atol=1e-9)
    np.testing.assert_allclose(
        span(opls.transform(new)), span((new - X.mean(axis=0)) @ coef), atol=1e-9
    )


@pytest.mark.parametrize("name", PROJECTIONS)
def test_features_have_no_mean_and_unit_variance_without_a_ridge(name):
    X, Y, _ = example("tall")
    options = {"scaled": False} if name in ("cca_svm", "hsml") else {}
    Z = make_method(name, ridge=0.0, **options).fit(X, Y).transform(X)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(Z.T @ Z / len(X), np.eye(4), atol=1e-9)


@pytest.mark.parametrize("name", PROJECTIONS)
def test_the_ridge_is_a_multiple_of_a_features_mean_square(name):
    X, Y, _ = example("tall")
    model = make_method(name, ridge=0.7).fit(X, Y)
    np.testing.assert_allclose(model.ridge_, 0.7 * X.var(axis=0).mean() * len(X))


@pytest.mark.parametrize("name", PROJECTIONS)
def test_the_first_features_are_those_of_fewer_components(name):
    X, Y, new = example("wide")
    whole = make_method(name).fit(X, Y)
    assert whole.r_effective_ == 4
    part = make_method(name, n_components=2).fit(X, Y)
    assert part.r_effective_ == 2
    np.testing.assert_allclose(part.transform(new), whole.transform(new)[:, :2], atol=1e-10)
    assert np.abs(part.decision_function(new) - whole.decision_function(new)).max() > 1e-3


@pytest.mark.parametrize("name", PROJECTIONS)
def test_the_number_of_features_is_cut_to_what_there_are(name):
    X, Y, new = example("tall")
    Y = np.column_stack([Y[:, :2], Y[:, 0], np.zeros(60, int)])
    model = make_method(name, n_components=7).fit(X, Y)
    assert model.r_effective_ == 2
    assert model.transform(new).shape == (11, 2)
    assert list(model.get_feature_names_out()) == [
        f"{type(model).__name__.lower()}{i}" for i in (0, 1)
    ]
    low = make_method(name).fit(X[:, :1], Y)
    assert low.r_effective_ == 1


@pytest.mark.parametrize("name", [*PROJECTIONS, "lda_svm"])
def test_without_features_or_labels_to_learn_from_scores_are_constant(name):
    X, Y, new = example("tall")
    flat = make_method(name).fit(np.ones_like(X), Y)
    assert np.isfinite(flat.decision_function(new)).all()
    np.testing.assert_array_equal(np.ptp(flat.decision_function(new), axis=0), 0)
    np.testing.assert_array_equal(flat.predict(new)[0], Y.mean(axis=0) > 0.5)
    nothing = make_method(name).fit(X, np.ones_like(Y))
    np.testing.assert_array_equal(nothing.predict(new), 1)
    assert nothing.transform(new).shape == (11, 4 if name == "lda_svm" else 0)


@pytest.mark.parametrize("name", [*PROJECTIONS, "lda_svm"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sparse_data_give_the_features_and_scores_of_dense_ones(name, shape):
    X, Y, new = example(shape)
    X, new = np.maximum(X, 0), np.maximum(new, 0)
    dense = make_method(name).fit(X, Y)
    slim = make_method(name).fit(sparse.csr_matrix(X), Y)
    for method in ("transform", "decision_function"):
        np.testing.assert_allclose(
            getattr(slim, method)(sparse.csr_matrix(new)), getattr(dense, method)(new), atol=1e-8
        )


@pytest.mark.parametrize("name", [*PROJECTIONS, "lda_svm"])
def test_it_is_a_step_of_a_pipeline(name):
    X, Y, new = example("tall")
    pipeline = make_pipeline(make_method(name), StandardScaler(), make_method("svm_ovr"))
    assert pipeline.fit(X, Y).predict(new).shape == (11, 4)


@pytest.mark.parametrize("name", [*PROJECTIONS, "lda_svm"])
def test_a_path_decomposes_the_data_once(name, monkeypatch):
    X, Y, _ = example("tall")
    calls = []
    module = "lda_svm" if name == "lda_svm" else "linear_projection"
    counted = lambda *arguments: calls.append(1) or centered_svd(*arguments)  # noqa: E731 - short
    monkeypatch.setattr(f"mlbench.methods.projection.{module}.centered_svd", counted)
    model = make_method(name)
    grid = model.example_grid
    assert len(list(model.fit_path(X, Y, grid))) == len(grid) > 3
    assert len(calls) == 1


@pytest.mark.parametrize("name", [*PROJECTIONS, "lda_svm"])
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"ridge": -1.0}, "ridge must be a number of at least 0"),
        ({"rank_tol": 0.0}, "rank_tol must be a number above 0"),
        ({"n_components": 0}, "n_components must be a whole number of at least 1"),
        ({"C": 0.0}, "C must be a number above 0"),
        ({"loss": "log"}, "loss must be one of 'hinge', 'squared_hinge'"),
    ],
)
def test_wrong_parameters_are_refused(name, parameters, words):
    X, Y, _ = example("tall")
    if set(parameters) <= set(make_method(name).get_params()):
        with pytest.raises(MethodError, match=words):
            make_method(name, **parameters).fit(X, Y)
