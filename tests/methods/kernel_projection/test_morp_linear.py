"""Linear MORP against the primal equations of the paper."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import linalg, sparse

from mlbench.methods.kernel_projection.morp import LinearMORPSVM

BETA, GAMMA = 0.4, 1e-2


def data(n, d, k=3):
    random = np.random.RandomState(3)
    X, new = random.randn(n, d) + 2, random.randn(9, d) + 2
    Y = (random.rand(n, k) > 0.5).astype(np.int64)
    centered = X - X.mean(axis=0)
    T = Y - Y.mean(axis=0)
    T = T * np.sqrt((centered**2).sum() / (T**2).sum())
    K = (1 - BETA) * centered @ centered.T + BETA * T @ T.T
    return X, Y, new, centered, K


def fitted(X, Y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LinearMORPSVM(beta=BETA, gamma=GAMMA, **parameters).fit(X, Y)


def same_up_to_signs(found, expected, tolerance=1e-8):
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, atol=tolerance)


@pytest.mark.parametrize(("n", "d"), [(50, 6), (20, 18), (12, 30)])
def test_inverse_form_is_equation_9(n, d):
    X, Y, new, centered, K = data(n, d)
    basis = linalg.orth(centered.T)  # where d > n, w has a part in the span of the rows only
    rows = centered @ basis
    left = rows.T @ linalg.pinvh(K, rtol=1e-11) @ rows + GAMMA * np.eye(basis.shape[1])
    values, w = linalg.eigh(left, rows.T @ rows)
    model = fitted(X, Y, n_components=5)
    np.testing.assert_allclose(model.eigenvalues_, 1 / values[:5], rtol=1e-8)
    expected = (new - X.mean(axis=0)) @ basis @ w[:, :5] / np.sqrt(values[:5])
    same_up_to_signs(model.transform(new), expected)


@pytest.mark.parametrize(("n", "d"), [(50, 6), (20, 18), (12, 30)])
def test_direct_form_is_equation_6(n, d):
    X, Y, new, centered, K = data(n, d)
    basis = linalg.orth(centered.T)
    rows = centered @ basis
    values, w = linalg.eigh(rows.T @ K @ rows, rows.T @ rows)
    values, w = values[::-1][:5], w[:, ::-1][:, :5]
    model = fitted(X, Y, n_components=5, form="direct")
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    same_up_to_signs(model.transform(new), (new - X.mean(axis=0)) @ basis @ w * np.sqrt(values))


def test_the_two_forms_differ_without_a_regularizer_too():
    X, Y, *_ = data(50, 6)
    with pytest.warns(UserWarning, match="only 0 of 3 directions of the labels"):
        inverse = LinearMORPSVM(2, BETA, 0.0).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        direct = LinearMORPSVM(2, BETA, 0.0, form="direct").fit(X, Y)
    angles = linalg.subspace_angles(inverse.transform(X), direct.transform(X))
    assert np.sin(angles.max()) > 0.1


def test_with_more_rows_than_features_the_inverse_form_is_pca():
    X, Y, new, centered, _ = data(50, 6)
    assert fitted(X, Y, n_components=4).n_output_directions_ == 0
    one, other = (fitted(X, labels, n_components=4).transform(new) for labels in (Y, Y[::-1]))
    same_up_to_signs(one, other)
    axes = linalg.svd(centered)[2][:4].T
    c = 1 - BETA  # K^+ is that of c X X' on the span of the features
    same_up_to_signs(one, (new - X.mean(axis=0)) @ axes * np.sqrt(c / (1 + GAMMA * c)))


def test_with_more_features_than_rows_labels_count_in_both_forms():
    X, Y, new, *_ = data(12, 30)
    for form in ("inverse", "direct"):
        one = fitted(X, Y, n_components=4, form=form)
        other = fitted(X, Y[::-1], n_components=4, form=form)
        assert one.n_output_directions_ == 3
        assert np.abs(np.abs(one.transform(new)) - np.abs(other.transform(new))).max() > 0.1


@pytest.mark.parametrize("form", ["inverse", "direct"])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(("n", "d"), [(40, 7), (15, 40)])
def test_sparse_features_give_the_same_as_dense_ones(n, d, center, form):
    X, Y, new, *_ = data(n, d)
    X, new = np.maximum(X - 2, 0), np.maximum(new - 2, 0)
    dense = fitted(X, Y, n_components=4, center=center, form=form)
    slim = fitted(sparse.csr_matrix(X), Y, n_components=4, center=center, form=form)
    same_up_to_signs(slim.transform(sparse.csr_matrix(new)), dense.transform(new), 1e-9)
