from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from mlbench.data import load_dataset
from mlbench.data.synthetic import generate, nam_toy
from mlbench.errors import DataError


def test_nam_toy_labels_follow_the_rotated_boundaries():
    data = nam_toy(tasks=5, samples=200, dimensions=7, seed=3)
    assert (data.X.shape, data.Y.shape) == ((200, 7), (200, 5))
    for t in range(1, 6):
        side = np.cos(2 * np.pi * t / 5) * data.X[:, 0] + np.sin(2 * np.pi * t / 5) * data.X[:, 1]
        np.testing.assert_array_equal(data.Y[:, t - 1], side > 0)


def test_nam_toy_is_standard_normal():
    X = nam_toy(samples=20_000, dimensions=3).X
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.03)  # four standard errors
    np.testing.assert_allclose(np.cov(X.T), np.eye(3), atol=0.05)


def test_the_seed_decides_and_the_tasks_do_not_change_x():
    assert nam_toy(samples=9, seed=1).fingerprint == nam_toy(samples=9, seed=1).fingerprint
    assert (nam_toy(samples=9, seed=1).X != nam_toy(samples=9, seed=2).X).all()
    np.testing.assert_array_equal(nam_toy(samples=9, tasks=2).X, nam_toy(samples=9, tasks=3).X)


def test_digits_have_one_class_a_row():
    data = generate("digits", {})
    assert (data.n_samples, data.n_features, data.n_labels) == (1797, 64, 10)
    assert (data.Y.sum(axis=1) == 1).all()
    assert data.label_names[data.Y[0].argmax()] == "0"


def test_ratings_have_the_shape_of_the_paintings_and_likes_are_among_the_known():
    data = generate("paintings-like", {"seed": 3})
    assert (data.n_samples, data.n_features, data.n_labels) == (642, 491, 190)
    rated = data.known.sum(axis=0)
    assert 45 <= rated.min() <= rated.max() <= 133
    assert not data.Y[~data.known].any()
    assert 0.4 < data.Y[data.known].mean() < 0.6
    other = generate("paintings-like", {"seed": 4})
    assert data.fingerprint == generate("paintings-like", {"seed": 3}).fingerprint
    assert data.fingerprint != other.fingerprint


@pytest.mark.slow
def test_ratings_do_not_depend_on_how_many_threads_multiply():
    """A worker has one thread; the process that planned its cells may have had more."""
    found = set()
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            found.add(generate("paintings-like", {}).fingerprint)
    assert len(found) == 1


def test_users_of_one_circle_agree_more_often_than_others():
    data = generate("paintings-like", {"samples": 400, "users": 60, "ratings": 260})
    signs = np.where(data.known, 2.0 * data.Y - 1, 0)
    agreement = (signs.T @ signs) / (data.known.T.astype(float) @ data.known)
    pairs = agreement[np.triu_indices(60, 1)]
    assert np.sum(pairs > 0.5) > 60  # 8 circles of 7 or 8 have some 190 pairs
    assert abs(np.median(pairs)) < 0.3


def test_generated_sets_are_references_like_others():
    data = load_dataset({"use": "nam-toy", "tasks": 4, "samples": 50, "labels": 2, "rows": 20})
    assert (data.name, data.X.shape, data.Y.shape) == ("nam-toy", (20, 300), (20, 2))


@pytest.mark.parametrize(
    ("generator", "parameters", "message"),
    [
        ("nam-toi", {}, r"no generator named 'nam-toi' \(did you mean 'nam-toy'"),
        ("nam-toy", {"task": 3}, r"unknown parameter 'task' \(did you mean 'tasks'"),
        ("nam-toy", {"tasks": 0}, "tasks is 0; it must be a whole number of at least 1"),
        ("nam-toy", {"tasks": True}, "tasks is True"),
        ("nam-toy", {"samples": 2.5}, "samples is 2.5"),
        ("nam-toy", {"dimensions": 1}, "dimensions is 1; the boundaries need at least 2"),
        ("paintings-like", {"samples": 50, "ratings": 40}, "may rate 60 of 50 paintings"),
        ("digits", {"seed": 1}, "unknown parameter 'seed'"),
    ],
)
def test_impossible_parameters(generator, parameters, message):
    with pytest.raises(DataError, match=message):
        generate(generator, parameters)
