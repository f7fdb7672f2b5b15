"""The map from coefficients to scores, in each of its forms."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.design import Design, weighted_gram

X = np.random.default_rng(0).normal(size=(9, 4))
PARTS = [np.array([0, 2, 4]), np.array([8]), np.array([1, 3, 5, 6, 7])]
DESIGNS = {
    "shared": Design(X, 3),
    "shared, sparse": Design(sparse.csr_matrix(X), 3),
    "own rows": Design(X, 3, PARTS),
    "own rows, sparse": Design(sparse.csr_matrix(X), 3, PARTS),
}


@pytest.fixture
def rng():
    return np.random.default_rng(1)


every_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)


def matrix_of(design):
    """The (N, k d) matrix of the whole map, from the blocks themselves."""
    rows = PARTS if len(design.blocks) == 3 else [np.arange(9)] * 3
    whole = np.zeros((sum(map(len, rows)), 12))
    start = 0
    for i, part in enumerate(rows):
        whole[start : start + len(part), 4 * i : 4 * i + 4] = X[part]
        start += len(part)
    return whole


@every_design
def test_scores_and_their_transpose(design, rng):
    whole = matrix_of(design)
    W = rng.normal(size=(3, 4))
    c = rng.normal(size=len(whole))
    assert design.scores(W) == pytest.approx(whole @ W.ravel())
    assert design.adjoint(c).ravel() == pytest.approx(whole.T @ c)
    c[rng.permutation(len(c))[3:]] = 0.0
    assert design.sparse_adjoint(c).ravel() == pytest.approx(whole.T @ c)
    assert design.mean_square_norm() == pytest.approx((whole**2).sum() / 12)


@every_design
def test_task_sums(design, rng):
    values = rng.normal(size=design.offsets[-1])
    borders = design.offsets
    expected = [values[a:b].sum() for a, b in pairwise(borders)]
    assert design.task_sums(values) == pytest.approx(expected)


@every_design
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_the_projection_is_the_nearest_point_of_the_graph(design, alpha, rng):
    whole = matrix_of(design)
    W, s = rng.normal(size=(3, 4)), rng.normal(size=len(whole))
    weighted = np.vstack([np.sqrt(alpha) * np.eye(12), whole])
    nearest = np.linalg.lstsq(weighted, np.concatenate([np.sqrt(alpha) * W.ravel(), s]))[0]
    found, scores = design.graph_projection(alpha).project(W, s)
    assert found.ravel() == pytest.approx(nearest)
    assert scores == pytest.approx(whole @ nearest)


def test_a_weighted_gram_matrix_is_dense_for_either_form(rng):
    weights = rng.exponential(size=9)
    expected = X.T @ np.diag(weights) @ X
    assert weighted_gram(X, weights) == pytest.approx(expected)
    assert weighted_gram(sparse.csr_matrix(X), weights) == pytest.approx(expected)


def test_a_weighted_gram_matrix_of_entries_in_any_order_and_in_parts(rng):
    data, columns = rng.normal(size=6), [2, 0, 2, 1, 1, 0]
    X = sparse.csr_matrix((data, columns, [0, 3, 6]), shape=(2, 3))
    weights = np.array([0.5, 3.0])
    dense = X.toarray()
    expected = dense.T @ (weights[:, None] * dense)
    assert weighted_gram(X, weights) == pytest.approx(expected)


def test_products_of_sparse_rows_are_those_of_dense_ones(rng):
    X = rng.normal(size=(30, 7)) * (rng.random((30, 7)) < 0.3)
    W, c = rng.normal(size=(2, 7)), rng.normal(size=60)
    rare = c * (rng.random(60) < 0.1)
    dense, thin = Design(X, 2), Design(sparse.csr_matrix(X), 2)
    assert thin.scores(W) == pytest.approx(dense.scores(W))
    assert thin.adjoint(c) == pytest.approx(dense.adjoint(c))
    for values in (c, rare):
        assert thin.sparse_adjoint(values) == pytest.approx(dense.adjoint(values))


@every_design
def test_a_block_is_the_rows_of_its_task(design):
    block = design.block(2)
    dense = block if isinstance(block, np.ndarray) else block.toarray()
    assert np.array_equal(dense, X[PARTS[2]] if len(design.blocks) == 3 else X)
