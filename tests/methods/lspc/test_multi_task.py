from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

from mlbench.errors import MethodError
from mlbench.methods.lspc.lspc import class_scores
from mlbench.methods.lspc.multi_task import MultiTaskLSPC, PairwiseMultiTaskLSPC


def kernels(X, new):
    gamma = 0.5 / np.median(pdist(X)) ** 2
    return rbf_kernel(X, gamma=gamma), rbf_kernel(new, X, gamma=gamma)


def naive_fit(X, targets, tasks, new, new_tasks, penalty, layout):
    """Solve the n T system of the paper as it is printed, for blocks of basis functions.

    ``layout(t)`` lists the blocks that an example of task t uses.
    """
    K, K_new = kernels(X, new)

    def features(values, of_task):
        wide = np.zeros((len(values), len(penalty), values.shape[1]))
        for row, task in enumerate(of_task):
            wide[row, layout(task)] = values[row]
        return wide.reshape(len(values), -1)

    design = features(K, tasks)
    theta = np.linalg.solve(
        design.T @ design + np.kron(penalty, np.eye(len(X))), design.T @ targets
    )
    return features(K_new, new_tasks) @ theta


def test_the_common_part_form_is_that_of_the_printed_system(tasked):
    X, Y, tasks, new, new_tasks = tasked
    w0, w = 0.5, np.array([0.3, 1.0, 2.0, 0.7])
    penalty = np.diag([w0, *w])
    ones, zeros = (
        naive_fit(X, t, tasks, new, new_tasks, penalty, lambda task: [0, task + 1])
        for t in (Y, 1 - Y)
    )
    model = MultiTaskLSPC(w0=w0, w=w, scores="raw").fit(X, Y, tasks)
    np.testing.assert_allclose(
        model.decision_function(new, new_tasks), ones - zeros, rtol=0, atol=1e-9
    )
    model = MultiTaskLSPC(w0=w0, w=w).fit(X, Y, tasks)
    np.testing.assert_allclose(
        model.decision_function(new, new_tasks),
        class_scores(ones, zeros, "clipped")[0],
        rtol=0,
        atol=1e-9,
    )


def test_the_pairwise_form_is_that_of_the_printed_system(tasked):
    X, Y, tasks, new, new_tasks = tasked
    lam = np.array([0.2, 1.0, 0.5, 3.0])
    gamma = np.random.RandomState(0).rand(4, 4)
    gamma = gamma + gamma.T
    penalty = np.diag(lam + gamma.sum(axis=1)) - gamma
    ones, zeros = (
        naive_fit(X, t, tasks, new, new_tasks, penalty, lambda task: [task]) for t in (Y, 1 - Y)
    )
    model = PairwiseMultiTaskLSPC(lam=lam, gamma=gamma, scores="raw").fit(X, Y, tasks)
    np.testing.assert_allclose(
        model.decision_function(new, new_tasks), ones - zeros, rtol=0, atol=1e-9
    )


def test_the_two_forms_are_one_at_the_linked_parameters(tasked):
    X, Y, tasks, new, new_tasks = tasked
    w0, w, n_tasks = 0.7, 1.9, 4
    gamma, lam = w**2 / (w0 + n_tasks * w), w * w0 / (w0 + n_tasks * w)
    common = MultiTaskLSPC(w0=w0, w=w).fit(X, Y, tasks)
    pairs = PairwiseMultiTaskLSPC(lam=lam, gamma=gamma).fit(X, Y, tasks)
    np.testing.assert_allclose(
        common.decision_function(new, new_tasks),
        pairs.decision_function(new, new_tasks),
        rtol=0,
        atol=1e-9,
    )


def separate(X, targets, tasks, new, new_tasks, penalty):
    """One ridge fit per task, on the basis functions of all rows."""
    K, K_new = kernels(X, new)
    scores = np.empty((len(new), 1))
    for task in np.unique(tasks):
        design = K[tasks == task]
        theta = np.linalg.solve(
            design.T @ design + penalty * np.eye(len(X)), design.T @ targets[tasks == task]
        )
        scores[new_tasks == task] = K_new[new_tasks == task] @ theta
    return scores


@pytest.mark.parametrize(
    "model",
    [
        MultiTaskLSPC(w0=1e12, w=0.5, scores="raw"),
        PairwiseMultiTaskLSPC(lam=0.5, gamma=0.0, scores="raw"),
    ],
    ids=["w0 large", "gamma 0"],
)
def test_the_tasks_come_apart_in_the_limit(tasked, model):
    X, Y, tasks, new, new_tasks = tasked
    np.testing.assert_allclose(
        model.fit(X, Y, tasks).decision_function(new, new_tasks),
        separate(X, 2 * Y - 1, tasks, new, new_tasks, 0.5),
        rtol=0,
        atol=1e-9,
    )


def test_the_tasks_are_pooled_in_the_other_limit(tasked):
    X, Y, tasks, new, new_tasks = tasked
    one = np.zeros_like(tasks)
    expected = separate(X, 2 * Y - 1, one, new, np.zeros_like(new_tasks), 0.5)
    model = MultiTaskLSPC(w0=0.5, w=1e12, scores="raw").fit(X, Y, tasks)
    np.testing.assert_allclose(model.decision_function(new, new_tasks), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", [MultiTaskLSPC, PairwiseMultiTaskLSPC])
def test_data_without_tasks_are_refused_in_words(labelled, method):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match="these data have no tasks"):
        method().fit(X, Y)
    with pytest.raises(MethodError, match="these data have no tasks"):
        list(method().fit_path(X, Y, [{}]))


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (MultiTaskLSPC(w=[1.0, 2.0]), r"w must be one number or 4, one per task"),
        (MultiTaskLSPC(w0=-1), r"w0 must be a number above 0"),
        (MultiTaskLSPC(w=0), r"w must be a number above 0, or a list of such; got 0"),
        (MultiTaskLSPC(w=[1.0, 0.0, 1.0, 1.0]), r"w must be a number above 0, or a list of such"),
        (PairwiseMultiTaskLSPC(lam=-1), r"lam must be a number above 0, or a list of such"),
        (PairwiseMultiTaskLSPC(gamma=np.triu(np.ones((4, 4)))), r"or a symmetric matrix"),
        (PairwiseMultiTaskLSPC(gamma=-np.ones((4, 4))), r"without negative entries"),
        (PairwiseMultiTaskLSPC(gamma=np.ones((3, 3))), r"a \(4, 4\) matrix, one row per task"),
        (PairwiseMultiTaskLSPC(gamma=-0.1), r"gamma must be a number of at least 0"),
    ],
)
def test_impossible_penalties_are_named(tasked, model, complaint):
    X, Y, tasks, *_ = tasked
    with pytest.raises(MethodError, match=complaint):
        model.fit(X, Y, tasks)


def test_a_task_unknown_in_training_is_refused(tasked):
    X, Y, tasks, new, _ = tasked
    model = MultiTaskLSPC().fit(X, Y, tasks)
    with pytest.raises(ValueError, match=r"tasks not seen in training: \[9\]"):
        model.predict(new, np.full(len(new), 9))
