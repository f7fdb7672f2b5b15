from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.errors import MethodError
from mlbench.methods import feature_scales
from mlbench.methods.feature_scales import center_keeping_sparsity, dense_if_uneven, require_scale
from mlbench.methods.kernel_projection.morp import LinearMORPSVM
from mlbench.methods.mlsvm.mlsvm import MLSVMFL2, MLSVMTL1
from mlbench.methods.mtsda.mtsda import MtSDAIdentity
from mlbench.methods.projection.least_squares import CCALS
from mlbench.methods.svm.svm_ovr import SVMOneVsRest

RANDOM = np.random.RandomState(0)
X = np.round(np.maximum(RANDOM.randn(40, 6) + 0.3, 0), 3)
Y = (X @ RANDOM.randn(6, 3) + RANDOM.randn(40, 3) > 0.5).astype(np.int64)
FORMS = {"dense": np.asarray, "sparse": sparse.csr_matrix}


def with_column(offset, zeros):
    """Return X with a first column around an offset, but for a few zeros."""
    wide = X.copy()
    wide[:, 0] = offset + np.round(10 * np.random.RandomState(1).randn(40))
    wide[:zeros, 0] = 0
    return wide


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scale", [1e61, 1e155, 1e-61, 1e-160])
def test_a_scale_near_the_ends_of_doubles_is_refused(scale, form):
    with pytest.raises(MethodError, match="the largest entry of X is"):
        require_scale(FORMS[form](X * -scale))


@pytest.mark.parametrize("form", FORMS)
def test_what_lies_between_is_not(form):
    for scale in (1e55, 1e-55, 0.0):
        require_scale(FORMS[form](X * scale))
    with_tiny = X.copy()
    with_tiny[:, 0] *= 1e-200
    require_scale(FORMS[form](with_tiny))


def test_dense_rows_are_centered():
    centered, taken = center_keeping_sparsity(X)
    np.testing.assert_allclose(centered, X - X.mean(axis=0))
    np.testing.assert_allclose(taken, X.mean(axis=0))


def test_sparse_columns_without_zeros_are_centered_and_others_left():
    wide = with_column(1e8, 0)
    before = sparse.csr_matrix(wide)
    centered, taken = center_keeping_sparsity(before)
    assert sparse.issparse(centered)
    np.testing.assert_allclose(taken, [wide[:, 0].mean(), 0, 0, 0, 0, 0], rtol=1e-15)
    np.testing.assert_allclose(centered.toarray() + taken, wide, rtol=1e-15)
    np.testing.assert_array_equal(before.toarray(), wide)


@pytest.mark.parametrize("form", FORMS)
def test_constant_columns_leave_no_rounding(form):
    constant = np.tile([0.1, 1 / 3e9, 7e9 / 3], (49, 1))
    centered, _ = center_keeping_sparsity(FORMS[form](constant))
    assert np.abs(centered).max() == 0


def test_sparse_columns_of_very_different_scales_are_made_dense():
    uneven = sparse.csr_matrix(with_column(1e7, 2))
    assert isinstance(dense_if_uneven(uneven), np.ndarray)
    centered, taken = center_keeping_sparsity(uneven)
    np.testing.assert_allclose(centered, uneven.toarray() - uneven.toarray().mean(axis=0))
    np.testing.assert_allclose(taken, uneven.toarray().mean(axis=0))
    assert sparse.issparse(dense_if_uneven(sparse.csr_matrix(X)))
    assert sparse.issparse(dense_if_uneven(sparse.csr_matrix((5, 3))))


def test_what_is_too_large_for_that_is_refused(monkeypatch):
    monkeypatch.setattr(feature_scales, "MAX_ENTRIES", 100)
    with pytest.raises(MethodError, match=r"features 0 and . .*scale the features"):
        dense_if_uneven(sparse.csr_matrix(with_column(1e7, 2)))
    dense_if_uneven(sparse.csr_matrix(X))


METHODS = [
    SVMOneVsRest(C=0.1),
    SVMOneVsRest(loss="squared_hinge", scale=True),
    LinearMORPSVM(n_components=3, form="direct", rank_tol=1e-24),
    LinearMORPSVM(n_components=3, center=False),
    MtSDAIdentity(tol=1e-10, max_rounds=5000),
    MtSDAIdentity(tol=1e-10, max_rounds=5000, standardize=False),
    CCALS(),
    MLSVMTL1(C=0.1),
    MLSVMFL2(),
]
every_method = pytest.mark.parametrize("method", METHODS, ids=repr)


@pytest.mark.slow
@every_method
@pytest.mark.parametrize("zeros", [0, 2])
@pytest.mark.filterwarnings("ignore")  # some do not converge on such columns, in either form
def test_large_columns_of_sparse_data_cost_the_others_no_digits(method, zeros):
    wide = with_column(1e7, zeros)
    dense = method.fit(wide, Y).decision_function(wide)
    slim = method.fit(sparse.csr_matrix(wide), Y).decision_function(sparse.csr_matrix(wide))
    np.testing.assert_allclose(slim, dense, atol=2e-5 * np.abs(dense).max())


@every_method
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scale", [1e155, 1e-80])
def test_no_method_computes_with_extreme_scales(method, form, scale):
    with pytest.raises(MethodError, match="rescale the features"):
        method.fit(FORMS[form](X * scale), Y)
