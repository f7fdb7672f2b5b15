from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import linalg
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

from mlbench.errors import MethodError
from mlbench.methods.kernel_projection.gaussian import KCCASVM, KPCASVM, MORPSVM
from mlbench.methods.kernel_projection.morp import LinearMORPSVM
from mlbench.methods.kernels import median_distance


def test_features_are_those_of_scikit_learn(labelled):
    X, Y, new = labelled
    model = KPCASVM(n_components=5, width=0.7).fit(X, Y)
    gamma = 0.5 / (0.7 * median_distance(X)) ** 2
    theirs = KernelPCA(5, kernel="rbf", gamma=gamma, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(model.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    for rows in (X, new):
        mine, others = model.transform(rows), theirs.transform(rows)
        signs = np.sign(np.sum(mine * others, axis=0))
        np.testing.assert_allclose(mine * signs, others, atol=1e-9)


def test_scores_are_those_of_svms_on_the_features(labelled):
    X, Y, new = labelled
    model = KPCASVM(n_components=3, C=2.0).fit(X, Y)
    Z, Z_new = model.transform(X), model.transform(new)
    for label, scores in enumerate(model.decision_function(new).T):
        svm = SVC(C=2.0, kernel="linear", tol=1e-8).fit(Z, Y[:, label])
        np.testing.assert_allclose(scores, svm.decision_function(Z_new), atol=1e-5)


def test_labels_leave_the_features_alone(labelled):
    X, Y, new = labelled
    one, other = (KPCASVM().fit_projection(X, labels).transform(new) for labels in (Y, 1 - Y[::-1]))
    np.testing.assert_array_equal(one, other)


def test_more_dimensions_than_the_rank_are_cut_with_a_warning(labelled):
    X, Y, _ = labelled
    twins = np.vstack([X[:10], X[:10]])
    with pytest.warns(UserWarning, match="n_components=20 was cut to 9"):
        model = KPCASVM().fit(twins, Y[:20])
    assert model.n_components_ == model.r_effective_ == model.transform(X).shape[1] == 9


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


WIDTH = 0.7


def up_to_signs(found, expected):
    return found * np.sign(np.sum(found * expected, axis=0))


@pytest.mark.parametrize("gamma", [1e-3, 0.5])
def test_without_labels_features_are_those_of_kernel_pca_divided_by_a_root(labelled, gamma):
    X, Y, new = labelled
    model = MORPSVM(6, beta=0.0, gamma=gamma, width=WIDTH).fit(X, Y)
    rbf = 0.5 / (WIDTH * median_distance(X)) ** 2
    pca = KernelPCA(6, kernel="rbf", gamma=rbf, eigen_solver="dense").fit(X)
    for rows in (X, new):
        expected = pca.transform(rows) / np.sqrt(1 + gamma)
        found = model.transform(rows)
        np.testing.assert_allclose(up_to_signs(found, expected), expected, atol=1e-9)


def test_training_features_are_orthogonal_with_eigenvalues_as_squares_and_centered(labelled):
    X, Y, _ = labelled
    model = MORPSVM(8, width=WIDTH).fit(X, Y)
    Z = model.transform(X)
    np.testing.assert_allclose(Z.T @ Z, np.diag(model.eigenvalues_), atol=1e-9)
    np.testing.assert_allclose(Z.sum(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("solver", ["exact", "approx"])
def test_with_labels_alone_there_are_as_many_features_as_their_rank(labelled, solver):
    X, Y, _ = labelled
    Y = np.column_stack([Y, Y[:, 0], 1 - Y[:, 1]])
    with pytest.warns(UserWarning, match="n_components=20 was cut to 3"):
        model = MORPSVM(beta=1.0, solver=solver).fit(X, Y)
    assert model.n_components_ == model.r_effective_ == model.transform(X).shape[1] == 3
    assert model.fit_report_["components"] == 3


def test_fewer_features_are_the_first_ones(labelled):
    X, Y, new = labelled
    many = MORPSVM(10).fit(X, Y).transform(new)
    few = MORPSVM(4).fit(X, Y).transform(new)
    np.testing.assert_allclose(np.abs(few), np.abs(many[:, :4]), atol=1e-8)


def test_a_duplicate_label_counts_twice_and_a_complement_too(labelled):
    X, Y, new = labelled
    twice = MORPSVM(5).fit(X, np.column_stack([Y, Y[:, 0]])).transform(new)
    complement = MORPSVM(5).fit(X, np.column_stack([Y, 1 - Y[:, 0]])).transform(new)
    np.testing.assert_allclose(np.abs(twice), np.abs(complement), atol=1e-8)


def test_equal_rows_of_other_labels_are_told_of(labelled):
    X, Y, new = labelled
    rows, labels = np.vstack([X, X[:30]]), np.vstack([Y, 1 - Y[:30]])
    with pytest.warns(UserWarning, match=r'only 0 of 3 .* solver="approx" uses them all'):
        model = MORPSVM(5, width=WIDTH).fit(rows, labels)
    kernel_pca = KPCASVM(5, width=WIDTH).fit(rows, labels).transform(new)
    found = model.transform(new) * np.sqrt((1 + 5e-4) / 0.5)
    np.testing.assert_allclose(up_to_signs(found, kernel_pca), kernel_pca, atol=1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MORPSVM(5, solver="approx").fit(rows, labels).n_output_directions_ == 3


def test_a_very_wide_gaussian_is_linear(labelled):
    X, Y, new = labelled
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wide = MORPSVM(2, width=1e4, rank_tol=1e-7).fit(X, Y).transform(new)
        linear = LinearMORPSVM(2).fit(X, Y).transform(new)
    # 1 - |x - z|^2 / (2 sigma^2), centered, is x'z / sigma^2
    sigma = 1e4 * median_distance(X)
    np.testing.assert_allclose(up_to_signs(wide * sigma, linear), linear, atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"beta": 1.5}, "beta must be a number from 0 to 1"),
        ({"gamma": -1.0}, "gamma must be a number of at least 0"),
        ({"n_components": 0}, "n_components must be a whole number"),
        ({"solver": "direct"}, "solver must be one of 'exact', 'approx'"),
        ({"loss": "log"}, "loss must be one of"),
        ({"width": 0.0}, "width must be a number above 0"),
        ({"rank_tol": 0.0}, "rank_tol must be a number above 0"),
    ],
)
def test_wrong_parameters_are_told_in_words(labelled, parameters, words):
    with pytest.raises(MethodError, match=words):
        MORPSVM(**parameters).fit(*labelled[:2])
