from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA

from mlbench.errors import MethodError
from mlbench.methods.kernel_projection.kpca_svm import KPCASVM
from mlbench.methods.kernel_projection.morp_linear import LinearMORPSVM
from mlbench.methods.kernel_projection.morp_svm import MORPSVM
from mlbench.methods.kernels import median_distance

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
