from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def toy():
    """Four samples, three labels; the third is absent and never predicted, one pair is tied."""
    Y = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, 0]])
    scores = np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.1], [0.6, 0.7, 0.2], [0.6, 0.4, 0.1]])
    return Y, scores, (scores >= 0.5).astype(int)


@pytest.fixture
def tied():
    """60 x 9 with many equal scores; no label or sample is one-sided."""
    rng = np.random.default_rng(0)
    Y = (rng.random((60, 9)) < 0.4).astype(int)
    Y[:, 0] = np.arange(60) % 2
    Y[:, 1] = 1 - Y[:, 0]
    scores = np.round(rng.normal(size=Y.shape) + 0.7 * Y, 1)
    return Y, scores, (scores > 0.4).astype(int)
