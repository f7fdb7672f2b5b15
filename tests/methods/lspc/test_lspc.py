from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

from mlbench.errors import MethodError
from mlbench.methods.lspc.lspc import LSPC, class_scores


def fits(X, targets, new, width, rho, centers=None):
    """Section 2 of the paper, as it is printed: (Phi'Phi + rho I)^-1 Phi' pi."""
    centers = X if centers is None else centers
    gamma = 0.5 / (width * np.median(pdist(X))) ** 2
    design = rbf_kernel(X, centers, gamma=gamma)
    theta = np.linalg.solve(design.T @ design + rho * np.eye(len(centers)), design.T @ targets)
    return rbf_kernel(new, centers, gamma=gamma) @ theta


def probability(ones, zeros):
    ones, zeros = np.maximum(ones, 0), np.maximum(zeros, 0)
    return np.where(ones + zeros == 0, 0.5, ones / np.where(ones + zeros == 0, 1, ones + zeros))


@pytest.mark.parametrize(("width", "rho"), [(0.5, 0.01), (1.0, 1.0), (2.0, 10.0)])
def test_scores_are_those_of_the_printed_formula(labelled, width, rho):
    X, Y, new = labelled
    ones, zeros = fits(X, Y, new, width, rho), fits(X, 1 - Y, new, width, rho)
    model = LSPC(width=width, rho=rho).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(new), probability(ones, zeros), atol=1e-9)
    model = LSPC(width=width, rho=rho, scores="raw").fit(X, Y)
    np.testing.assert_allclose(model.decision_function(new), ones - zeros, atol=1e-9)


def test_the_two_classes_fits_add_up_to_that_of_all_ones(labelled):
    X, Y, new = labelled
    one, all_ones = LSPC().fit(X, Y)._class_fits(new, None)
    other, _ = LSPC().fit(X, 1 - Y)._class_fits(new, None)
    np.testing.assert_allclose(one + other, np.broadcast_to(all_ones, one.shape), atol=1e-10)


def test_the_two_classes_probabilities_add_up_to_1(labelled):
    X, Y, new = labelled
    p = LSPC(width=0.25).fit(X, Y).decision_function(new)
    assert (p >= 0).all()
    assert (p <= 1).all()
    complement = LSPC(width=0.25).fit(X, 1 - Y).decision_function(new)
    np.testing.assert_allclose(p + complement, 1, atol=1e-10)


def test_a_point_far_from_all_others_is_undecided_and_counted(labelled):
    X, Y, new = labelled
    model = LSPC().fit(X, Y)
    far = np.vstack([new[:3], np.full((2, 4), 1e6)])
    scores = model.decision_function(far)
    assert (scores[3:] == 0.5).all()
    assert model.n_undefined_ == 6
    assert not model.predict(far)[3:].any()


def test_raw_scores_give_the_labels_of_the_probabilities(labelled):
    X, Y, new = labelled
    np.testing.assert_array_equal(
        LSPC().fit(X, Y).predict(new), LSPC(scores="raw").fit(X, Y).predict(new)
    )


@pytest.mark.parametrize(("scores", "low"), [("clipped", 0), ("raw", -1)])
def test_a_label_of_one_class_scores_as_that_class(labelled, scores, low):
    X, Y, new = labelled
    Y[:, 0], Y[:, 2] = 0, 1
    found = LSPC(scores=scores).fit(X, Y).decision_function(np.vstack([new, new + 1e6]))
    assert (found[:, 0] == low).all()
    assert (found[:, 2] == 1).all()


def test_fewer_basis_functions_stand_on_a_draw_of_the_rows(labelled):
    X, Y, new = labelled
    model = LSPC(n_basis=20, rho=0.5, scores="raw", random_state=1).fit(X, Y)
    centers = model.basis_.centers.points
    assert centers.shape == (20, 4)
    expected = fits(X, 2 * Y - 1, new, 1.0, 0.5, centers)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)


def test_as_many_basis_functions_as_rows_are_all_of_them(labelled):
    X, Y, new = labelled
    np.testing.assert_array_equal(
        LSPC(n_basis=1000).fit(X, Y).decision_function(new),
        LSPC().fit(X, Y).decision_function(new),
    )


def test_tasks_are_fitted_apart(tasked):
    X, Y, tasks, new, new_tasks = tasked
    together = LSPC().fit(X, Y, tasks=tasks).decision_function(new, tasks=new_tasks)
    for task in range(4):
        alone = LSPC().fit(X[tasks == task], Y[tasks == task])
        np.testing.assert_array_equal(
            together[new_tasks == task], alone.decision_function(new[new_tasks == task])
        )


def test_a_path_over_tasks_is_that_of_independent_fits(tasked):
    X, Y, tasks, new, new_tasks = tasked
    Y = np.where(tasks[:, None] == 2, 1, Y)  # one task without negatives
    grid = [{"rho": rho, "width": width} for width in (0.5, 2.0) for rho in (0.1, 1.0)]
    seen = {}
    for index, model in LSPC().fit_path(X, Y, grid, tasks=tasks):
        seen[index] = model.decision_function(new, tasks=new_tasks)
    assert sorted(seen) == [0, 1, 2, 3]
    for index, point in enumerate(grid):
        alone = LSPC(**point).fit(X, Y, tasks=tasks).decision_function(new, tasks=new_tasks)
        np.testing.assert_allclose(seen[index], alone, atol=1e-12)
    assert (seen[0][new_tasks == 2] == 1).all()


def test_one_decomposition_per_width_serves_a_path(labelled, monkeypatch):
    from mlbench.methods.lspc import lspc

    X, Y, _ = labelled
    calls = []
    decompose = lspc.gram_eigenpairs
    monkeypatch.setattr(
        lspc, "gram_eigenpairs", lambda *a, **k: calls.append(1) or decompose(*a, **k)
    )
    grid = [{"width": width, "rho": rho} for rho in (0.1, 1, 10) for width in (0.5, 1)]
    assert len(list(LSPC().fit_path(X, Y, grid))) == 6
    assert len(calls) == 2


def test_class_scores_by_hand():
    ones = np.array([[0.6, -0.2, -0.1]])
    zeros = np.array([[0.2, 0.5, -0.3]])
    scores, undefined = class_scores(ones, zeros, "clipped")
    np.testing.assert_allclose(scores, [[0.75, 0.0, 0.5]])
    assert undefined == 1
    scores, undefined = class_scores(ones, zeros, "raw")
    np.testing.assert_allclose(scores, [[0.4, -0.7, 0.2]])
    assert undefined == 0


@pytest.mark.parametrize(
    "parameters", [{"width": 0}, {"rho": -1}, {"rho": "0.1"}, {"scores": "soft"}, {"n_basis": 0}]
)
def test_impossible_parameters_are_named(labelled, parameters):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=f"LSPC: {next(iter(parameters))} must be"):
        LSPC(**parameters).fit(X, Y)
