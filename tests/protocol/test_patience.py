from __future__ import annotations

import math

import pytest

from mlbench.protocol.patience import Patience

UNDEFINED = -math.inf


@pytest.mark.parametrize(
    ("most", "means", "after"),
    [
        (2, [0.1, 0.2, 0.3, 0.2, 0.1, 0.9], 5),
        (2, [0.1, 0.2, 0.2, 0.3, 0.3, 0.3, 0.9], 6),  # as good as the best is no gain
        (2, [0.1, 0.3, 0.2, 0.4, 0.3, 0.3], 6),  # a gain begins the count anew
        (1, [0.5, 0.4, 0.9], 2),
        (2, [0.30, 0.29, 0.29, 0.29, 0.4, 0.3, 0.3], 7),  # all but constant at first
        (2, [0.30, 0.29, 0.28, 0.9], 3),  # falling from the first on
        (3, [0.1, 0.2, 0.1, 0.1], None),
        (1, [0.0, 0.0, 0.0, 0.3, 0.4, 0.4], 6),  # constant at first
        (1, [UNDEFINED, UNDEFINED, 0.0, 0.0, 0.3, 0.2], 6),
        (1, [0.0, UNDEFINED, 0.0, 0.3, 0.2], 5),
        (2, [0.1, 0.3, UNDEFINED, UNDEFINED, 0.9], 4),
        (1, [UNDEFINED] * 5, None),
        (1, [0.2] * 5, None),
        (1, [-0.5, -0.2, -0.3], 3),  # a loss, its sign turned
    ],
)
def test_the_search_is_over_after_so_many_candidates(most, means, after):
    patience = Patience(most)
    over = [patience.is_over_after(mean) for mean in means]
    assert (over.index(True) + 1 if True in over else None) == after
