"""Points of the ROC curve, against the curve of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import auc, roc_curve

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric, score
from mlbench.metrics.segments import Segments
from mlbench.metrics.ties import TieGroups


def height(y, scores, share):
    """Of the curve where it has passed a share of the negatives, at the upper end of a step."""
    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
    if share in fpr:
        return tpr[fpr == share].max()
    return np.interp(share, fpr, tpr)


@pytest.mark.parametrize("n_values", [2, 5, 1000])
@pytest.mark.parametrize("percent", [0, 1, 10, 25, 50, 77, 100])
def test_it_is_the_height_of_the_curve(percent, n_values):
    random = np.random.RandomState(n_values)
    truth = random.rand(6, 50) < 0.3
    scores = random.randint(0, n_values, (6, 50)).astype(float)
    expected = [height(y, s, percent / 100) for y, s in zip(truth, scores, strict=True)]
    curves = TieGroups(scores.ravel(), Segments(truth.ravel(), np.full(6, 50)))
    np.testing.assert_allclose(curves.true_positive_rate(percent), expected, atol=1e-12)


@pytest.mark.parametrize("percent", [28, 29, 30, 57, 58])
def test_a_step_at_the_very_share_is_passed(percent):
    """Positives and negatives take turns: after 29 of 100 negatives, 30 positives are found."""
    truth = np.arange(200) % 2
    scores = -np.arange(200.0)
    Y, S = 1 - truth[:, None], scores[:, None]
    assert score(f"tpr_at_fpr_{percent}", Y, S, None) == (percent + 1) / 100


def test_the_mean_is_over_labels_of_both_classes():
    random = np.random.RandomState(0)
    Y, scores = random.rand(200, 4) < 0.3, random.rand(200, 4)
    Y[:, 2] = False
    expected = np.mean([height(Y[:, j], scores[:, j], 0.2) for j in (0, 1, 3)])
    assert score("tpr_at_fpr_20", Y.astype(int), scores, None) == pytest.approx(expected)


def test_the_area_under_the_points_is_the_auc():
    random = np.random.RandomState(0)
    y = (random.rand(5000) < 0.4).astype(int)[:, None]
    scores = y + random.randn(5000, 1)
    heights = [score(f"tpr_at_fpr_{k}", y, scores, None) for k in range(1, 101)]
    area = auc(np.arange(101) / 100, [0.0, *heights])
    assert area == pytest.approx(score("macro_auc", y, scores, None), abs=1e-3)


def test_there_is_no_point_beyond_all_negatives():
    with pytest.raises(MlbenchError, match="tpr_at_fpr_101: expected a number of at most 100"):
        get_metric("tpr_at_fpr_101")
