"""Small problems of several tasks in one flat array, and losses by their definition."""

from __future__ import annotations

import functools
import itertools

import numpy as np
from hypothesis import strategies as st

ROUND = [-2.0, -1.0, -0.5, -0.25, -0.125, 0.0, 0.125, 0.25, 0.5, 1.0, 2.0]


@st.composite
def problems(draw, largest=6):
    """Scores, labels and offsets: many ties and zeros, tasks of one class, tasks of one example."""
    sizes = draw(st.lists(st.integers(1, largest), min_size=1, max_size=3))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    score = st.one_of(st.sampled_from(ROUND), st.floats(-1.5, 1.5, allow_subnormal=False))
    total = sum(sizes)
    scores = draw(st.lists(score, min_size=total, max_size=total))
    labels = st.sampled_from(draw(st.sampled_from([[-1, 1], [-1, 1], [-1], [1]])))
    y = draw(st.lists(labels, min_size=total, max_size=total))
    scale = draw(st.sampled_from([1.0, 0.3, 0.05]))
    return scale * np.array(scores), np.array(y, dtype=float), offsets


def random_problems(count, seed, largest=7):
    """As `problems`, but plainly random: many are cheap to draw."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        sizes = rng.integers(1, largest + 1, size=rng.integers(1, 4))
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        scores = rng.choice([0.01, 0.05, 0.2, 1.0, 3.0]) * rng.normal(size=offsets[-1])
        share = rng.choice([0.0, 0.1, 0.3, 0.5, 0.8, 1.0])
        y = np.where(rng.random(offsets[-1]) < share, 1.0, -1.0)
        yield np.round(scores, rng.integers(0, 6)), y, offsets


def tasks(problem):
    """Each task's slice, scores and labels."""
    scores, y, offsets = problem
    for start, stop in itertools.pairwise(offsets):
        yield slice(start, stop), scores[start:stop], y[start:stop]


@functools.cache
def labelings(n):
    """All 2^n labelings, one a row."""
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def largest_over_labelings(s, y, delta):
    """max Delta(y, y_hat) - s . (y - y_hat), by trying every labeling."""
    every = labelings(len(y))
    return (delta(y, every) - (y - every) @ s).max()


def f1_loss(y, y_hat):
    """1 - F1 of each row; F1 is 1 where nothing is positive and nothing predicted."""
    hits = ((y_hat > 0) & (y > 0)).sum(axis=-1)
    size = (y_hat > 0).sum(axis=-1) + (y > 0).sum()
    return np.where(size > 0, 1 - 2 * hits / np.maximum(size, 1), 0.0)


def pair_loss(s, y):
    """The mean of max(0, 1 - 2 (s_k - s_l)) over the pairs; 0 if there is none."""
    differences = s[y > 0][:, None] - s[y < 0]
    return np.maximum(0, 1 - 2 * differences).mean() if differences.size else 0.0


def assert_supports(value, subgradient, s, seed=0, count=100):
    """Check value(u) >= value(s) + subgradient . (u - s) for random u near and far."""
    rng = np.random.default_rng(seed)
    for size in np.geomspace(1e-3, 10, count):
        u = s + size * rng.normal(size=len(s))
        assert value(u) >= value(s) + subgradient @ (u - s) - 1e-10
