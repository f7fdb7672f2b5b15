from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from mlbench.methods.adaptation.insdif import InsDif
from mlbench.methods.adaptation.mlknn import MLkNN
from mlbench.methods.large_arrays import HESSIAN, KERNEL_MATRIX, SINGULAR_VECTORS, LargeArray
from mlbench.methods.lspc.lspc import LSPC
from mlbench.methods.lspc.ml_lspc import MultiLabelLSPC
from mlbench.methods.multitask.smtl import SMTL
from mlbench.methods.problem_transformation.lp import LabelPowerset
from mlbench.plan.cost import memory_need, quadratic_rows


@pytest.fixture
def need(plan, facts):
    """Return the need of a cell with these arrays, on n rows (60 % of them trained on)."""
    cell = plan().cells[0]

    def need(arrays, n_samples, n_features, steps=(), n_labelsets=0):
        method = replace(cell.planned_method, large_arrays=(arrays,))
        sizes = replace(facts, n_samples=n_samples, n_features=n_features, n_labelsets=n_labelsets)
        return memory_need(replace(cell, planned_method=method, steps=steps), sizes)

    return need


def test_a_kernel_matrix_has_a_row_and_a_column_for_each_training_row(need):
    found = need(KERNEL_MATRIX, 10_000, 50)
    assert found.gigabytes == pytest.approx(4 * 6000**2 * 8 / 1e9)
    assert found.basis == "4 x kernel matrix (6,000 x 6,000)"


def test_a_kernel_matrix_has_as_many_columns_as_basis_functions(need):
    found = need(MultiLabelLSPC(n_basis=1000).large_arrays, 10_000, 50)
    assert found.gigabytes == pytest.approx((2 * 6000 * 1000 + 3 * 1000**2) * 8 / 1e9)
    assert found.basis == (
        "2 x kernel matrix (6,000 x 1,000), 3 x Gram matrix of the basis (1,000 x 1,000)"
    )
    assert "(6,000 x 6,000)" in need(MultiLabelLSPC(n_basis=9000).large_arrays, 10_000, 50).basis
    assert MultiLabelLSPC().large_arrays == KERNEL_MATRIX


def test_a_basis_that_is_searched_counts_with_its_largest_value(plan, facts):
    tune = {"n_basis": [10, 40, 20], "width": [0.5, 1]}
    cell = plan(methods={"A": {"use": "ml_lspc", "tune": tune}}).cells[0]
    assert memory_need(cell, facts).basis.startswith("2 x kernel matrix (60 x 40)")


@pytest.mark.slow
@pytest.mark.parametrize("method", [LSPC, MultiLabelLSPC])
def test_a_fit_holds_no_more_than_what_is_foretold(method):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(9000, 3)), rng.integers(0, 2, size=(9000, 4))
    model = method(n_basis=2500)
    foretold = sum(
        8 * array.copies * math.prod(array.shape(9000, 3, 4, 16)) for array in model.large_arrays
    )
    tracemalloc.start()
    model.fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert foretold / 2 < peak < foretold


def test_the_smaller_side_is_decomposed(need):
    wide = need(SINGULAR_VECTORS, 10_000, 20_000)
    assert wide.gigabytes == pytest.approx(8e-9 * (3 * 6000**2 + 2 * 20_000 * 6000))
    tall = need(SINGULAR_VECTORS, 10_000, 100)
    assert tall.gigabytes == pytest.approx(8e-9 * (4 * 100**2 + 6000 * 100))
    assert "2 x Gram matrix (100 x 100), left singular vectors (6,000 x 100)" in tall.basis


def test_a_hessian_is_formed_where_there_are_no_more_features_than_rows(need):
    tall = need(HESSIAN, 10_000, 6000)
    assert tall.gigabytes == pytest.approx(8e-9 * 6 * 6000**2)
    assert need(HESSIAN, 10_000, 6001) == (0.0, "")


def test_label_powerset_by_lbfgs_holds_coefficients_for_each_labelset(need):
    assert LabelPowerset(base="tree").large_arrays == ()
    arrays = LabelPowerset(base="logistic").large_arrays
    found = need(arrays, 10_000, 20_000, n_labelsets=500)
    assert found.basis == "36 x coefficients of labelsets (500 x 20,000)"
    assert need(arrays, 1000, 20_000, n_labelsets=900).basis.endswith("(600 x 20,000)")


def test_f1_keeps_cuts_of_each_label(need, facts):
    found = need(SMTL(loss="f1").large_arrays, 500, 20_000).basis
    assert found.endswith(f"325 x cuts ({facts.n_labels} x 20,000)")
    assert "cuts" not in need(SMTL(loss="auc").large_arrays, 500, 20_000).basis


def test_insdif_holds_the_distances_to_its_medoids(need):
    found = need(InsDif(ratio=0.1).large_arrays, 10_000, 50)
    assert found.basis == "2 x distances to medoids (6,000 x 600)"
    with_constant = need(InsDif(ratio=0.1, intercept=True).large_arrays, 10_000, 50)
    assert with_constant.gigabytes == pytest.approx(1.5 * found.gigabytes)


def test_features_that_a_step_makes_dense_count_with_test_rows(need):
    found = need((), 10_000, 20_000, steps=("dense",))
    assert found.gigabytes == pytest.approx(2 * 10_000 * 20_000 * 8 / 1e9)


def test_a_method_that_declares_nothing_needs_nothing(need):
    assert need((), 10_000, 20_000) == (0.0, "")


def test_arrays_add_up(need):
    arrays = (LargeArray("a", "n", "d"), LargeArray("b", "d", "d", 3))
    assert need(arrays, 100, 10).gigabytes == pytest.approx(8e-9 * (60 * 10 + 3 * 10 * 10))


def test_distances_that_are_not_held_cost_time_alone(need):
    assert need(MLkNN().large_arrays, 10_000, 50) == (0.0, "")


@pytest.mark.parametrize(
    ("arrays", "n_features", "rows"),
    [
        (MLkNN().large_arrays, 50, 6000),
        (InsDif().large_arrays, 50, 6000),
        (KERNEL_MATRIX, 50, 6000),
        (LSPC(n_basis=1000).large_arrays, 50, 0),
        (SINGULAR_VECTORS, 50, 0),
        (SINGULAR_VECTORS, 20_000, 6000),
        ((), 50, 0),
    ],
)
def test_what_grows_with_the_square_of_the_training_rows(plan, facts, arrays, n_features, rows):
    cell = plan().cells[0]
    cell = replace(cell, planned_method=replace(cell.planned_method, large_arrays=(arrays,)))
    assert quadratic_rows(cell, replace(facts, n_samples=10_000, n_features=n_features)) == rows
