from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import MethodError
from mlbench.metrics import evaluate

Y = np.array([[1, 0], [0, 1], [1, 1]])
S = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.6]])


@pytest.mark.parametrize(
    ("truth", "scores", "labels", "tasks", "words"),
    [
        (Y, S[:, :1], Y, None, r"scores has shape \(3, 1\), but Y has shape \(3, 2\)"),
        (Y, S, Y[:2], None, r"labels has shape \(2, 2\)"),
        (Y[:, 0], S, Y, None, r"Y has shape \(3,\); expected \(samples, labels\)"),
        (Y[:0], S[:0], Y[:0], None, "at least one of each"),
        (
            Y,
            np.where(S > 0.85, np.nan, S),
            Y,
            None,
            "1 of the scores are NaN, the first in row 0",
        ),
        (Y, S, 2 * Y, None, "labels must hold only 0 and 1; row 0, column 0 is 2"),
        (2 * Y - 1, S, Y, None, "Y must hold only 0 and 1; row 0, column 1 is -1"),
        (Y, S.astype(str) + "x", Y, None, "scores must be numbers"),
        (Y, S, Y, [0, 0, 1], "must have one column; got 2"),
        (Y[:, :1], S[:, :1], Y[:, :1], [0, 1], "one task per row"),
        (Y[:, :1], S[:, :1], Y[:, :1], [0.0, 1.0, 1.0], "integers"),
    ],
)
def test_what_does_not_fit_is_refused(truth, scores, labels, tasks, words):
    with pytest.raises(MethodError, match=words):
        evaluate(truth, scores, labels, tasks)
