from __future__ import annotations

import numpy as np
import pytest

from mlbench.methods.projection.opls_ls import OPLSLS


@pytest.mark.parametrize("n", [60, 12])
@pytest.mark.parametrize("r", [1, 2, 3])
def test_it_is_ridge_regression_of_reduced_rank(n, r):
    """The projector is that on the first right singular vectors of the augmented fit."""
    random = np.random.RandomState(0)
    X, new = random.randn(n, 20), random.randn(5, 20)
    Y = (X[:, :4] + 0.5 * random.randn(n, 4) > 0.2).astype(int)
    model = OPLSLS(n_components=r, ridge=0.2).fit(X, Y)
    Xc, Yc, mu = X - X.mean(axis=0), Y - Y.mean(axis=0), model.ridge_
    B = np.linalg.solve(Xc.T @ Xc + mu * np.eye(20), Xc.T @ Yc)
    fit = np.vstack([Xc, np.sqrt(mu) * np.eye(20)]) @ B
    V = np.linalg.svd(fit)[2][:r].T
    expected = Y.mean(axis=0) + (new - X.mean(axis=0)) @ B @ V @ V.T
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)


def test_how_labels_are_coded_does_not_matter_to_the_features(labelled):
    X, Y, new = labelled
    one = OPLSLS(n_components=2).fit(X, Y).transform(new)
    other = OPLSLS(n_components=2).fit(X, 1 - Y).transform(new)
    np.testing.assert_allclose(np.abs(one), np.abs(other), atol=1e-10)


def test_scores_are_fitted_indicators_cut_at_a_half(labelled):
    X, Y, _ = labelled
    model = OPLSLS().fit(X, Y)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores.mean(axis=0), Y.mean(axis=0))
    np.testing.assert_array_equal(model.predict(X), scores > 0.5)


def test_a_label_of_one_class_scores_its_class(labelled):
    X, Y, new = labelled
    Y = np.column_stack([Y[:, 0], np.zeros(60, int), np.ones(60, int)])
    scores = OPLSLS().fit(X, Y).decision_function(new)
    np.testing.assert_array_equal(scores[:, 1], 0)
    np.testing.assert_array_equal(scores[:, 2], 1)
