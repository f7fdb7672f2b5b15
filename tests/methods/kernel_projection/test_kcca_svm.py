from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer

from mlbench.methods.kernel_projection.kcca_svm import KCCASVM
from mlbench.methods.kernels import median_distance


def centered_kernels(X, new, width=1.0):
    gamma = 0.5 / (width * median_distance(X)) ** 2
    centerer = KernelCenterer().fit(rbf_kernel(X, gamma=gamma))
    return (centerer.transform(rbf_kernel(rows, X, gamma=gamma)) for rows in (X, new))


@pytest.mark.parametrize("kappa", [1e-2, 1.0])
@pytest.mark.parametrize("scaled", [True, False])
def test_features_solve_the_generalized_eigenproblem(labelled, kappa, scaled):
    X, Y, new = labelled
    model = KCCASVM(kappa=kappa, scaled=scaled, width=0.5).fit(X, Y)
    K, K_new = centered_kernels(X, new, 0.5)
    ridge = kappa * np.trace(K) / len(X)
    centered = Y - Y.mean(axis=0)
    hat = centered @ linalg.solve(centered.T @ centered, centered.T)
    right = K @ K + ridge * K
    keep = linalg.eigh(K)[1][
        :, 1:
    ]  # without the direction of equal entries, where both sides are 0
    values, vectors = linalg.eigh(keep.T @ K @ hat @ K @ keep, keep.T @ right @ keep)
    alpha = np.sqrt(60) * keep @ vectors[:, ::-1][:, :3] * (values[::-1][:3] if scaled else 1)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:3], rtol=1e-6)
    for rows, kernel in ((X, K), (new, K_new)):
        mine, expected = model.transform(rows), kernel @ alpha
        signs = np.sign(np.sum(mine * expected, axis=0))
        np.testing.assert_allclose(mine * signs, expected, atol=1e-6)


def test_without_regularizing_features_correlate_perfectly_with_labels(labelled):
    X, Y, _ = labelled
    model = KCCASVM(kappa=1e-12, width=0.2).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, 1, atol=1e-6)
    np.testing.assert_allclose(model.transform(X).var(axis=0), 1, atol=1e-6)


def test_there_are_as_many_dimensions_as_the_rank_of_the_centered_labels(labelled):
    X, Y, _ = labelled
    wide = np.column_stack([Y, Y[:, 0], 1 - Y[:, 1], np.ones(len(Y), dtype=int)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KCCASVM().fit(X, wide)
    assert model.n_components_ == 3 == np.linalg.matrix_rank(wide - wide.mean(axis=0))
    np.testing.assert_allclose(model.transform(X).mean(axis=0), 0, atol=1e-10)
    with pytest.warns(UserWarning, match="n_components=5 was cut to 3"):
        assert KCCASVM(n_components=5).fit(X, wide).n_components_ == 3


def test_a_duplicate_or_complementary_label_changes_no_feature(labelled):
    X, Y, new = labelled
    plain = KCCASVM().fit(X, Y).transform(new)
    more = KCCASVM().fit(X, np.column_stack([Y, 1 - Y, Y[:, :1]])).transform(new)
    np.testing.assert_allclose(np.abs(plain), np.abs(more), atol=1e-8)
