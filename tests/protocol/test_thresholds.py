from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_recall_curve

from mlbench.protocol.thresholds import apply_thresholds, best_f1_threshold, choose_thresholds

TIED = st.integers(-3, 3).map(float)  # few values, hence many ties
FREE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def scored(draw, values):
    n = draw(st.integers(1, 25))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = draw(st.lists(values, min_size=n, max_size=n))
    return np.array(y), np.array(scores)


def f1(y, scores, threshold):
    """Count; scikit-learn's value where it is defined."""
    predicted = (scores > threshold).astype(int)
    hits, whole = int((y & predicted).sum()), int(y.sum() + predicted.sum())
    return 2 * hits / whole if whole else 0.0


def brute_force(y, scores):
    """Return the best F1 of all distinct thresholds, and the fewest entries set to 0 for it."""
    places = [-np.inf, *np.unique(scores)]
    values = [f1(y, scores, place) for place in places]
    best = int(np.argmax(values))
    return values[best], int((scores <= places[best]).sum())


@pytest.mark.slow
@settings(max_examples=200)
@given(pair=st.one_of(scored(TIED), scored(FREE)))
def test_no_threshold_is_better_and_of_equals_the_lowest_is_taken(pair):
    y, scores = pair
    best, n_zero = brute_force(y, scores)
    chosen = best_f1_threshold(y, scores)
    assert f1(y, scores, chosen) == best
    if y.any():
        assert (scores <= chosen).sum() == n_zero
    assert f1(y, scores, chosen) == pytest.approx(
        f1_score(y, scores > chosen, zero_division=0), abs=1e-12
    )


def test_the_threshold_is_the_midpoint():
    y, scores = np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 2.0, 3.0])
    assert best_f1_threshold(y, scores) == 1.5


def test_of_equal_thresholds_the_one_that_keeps_more_is_taken():
    # above 0.5: 2 hits of 4 called, 2/3; above 2.5: 1 hit of 1, also 2/3
    y, scores = np.array([0, 1, 0, 0, 1]), np.array([0.0, 1.0, 2.0, 2.0, 3.0])
    assert f1(y, scores, 0.5) == f1(y, scores, 2.5) == pytest.approx(2 / 3)
    assert best_f1_threshold(y, scores) == 0.5


def test_all_positive_calls_everything_and_all_negative_nothing():
    scores = np.array([0.3, -1.0, 0.3])
    assert best_f1_threshold(np.ones(3, int), scores) == -np.inf
    assert best_f1_threshold(np.zeros(3, int), scores) == np.inf
    assert apply_thresholds(scores[:, None], np.array([-np.inf])).all()
    assert not apply_thresholds(scores[:, None], np.array([np.inf])).any()


def test_equal_scores_are_never_told_apart():
    assert best_f1_threshold(np.array([1, 0, 0, 0]), np.full(4, 0.5)) == -np.inf


@pytest.mark.parametrize(
    ("low", "high"),
    [(1.0, np.nextafter(1.0, 2)), (0.0, 5e-324), (-1.7e308, 1.7e308), (-0.0, 1e-310)],
)
def test_neighbouring_and_far_numbers_are_still_told_apart(low, high):
    threshold = best_f1_threshold(np.array([0, 1]), np.array([low, high]))
    assert low <= threshold < high


def test_one_threshold_for_all_or_one_for_each_label():
    Y = np.array([[0, 0], [1, 0], [1, 1]])
    scores = np.array([[0.1, 5.0], [0.2, 6.0], [0.3, 9.0]])
    np.testing.assert_allclose(choose_thresholds("train_f1_label", Y, scores).values, [0.15, 7.5])
    together = best_f1_threshold(Y.ravel(), scores.ravel())
    for_all = choose_thresholds("train_f1_global", Y, scores)
    np.testing.assert_array_equal(for_all.values, [together] * 2)
    assert for_all.n_common == 2
    assert apply_thresholds(scores, np.array([0.15, 7.5])).tolist() == Y.tolist()


def test_a_label_that_is_too_rare_or_not_found_takes_the_common_threshold():
    Y = np.zeros((100, 4), dtype=int)
    Y[:30, 0], Y[:5, 1], Y[:4, 2], Y[:10, 3] = 1, 1, 1, 1
    scores = np.where(Y == 1, 0.9, 0.1)
    scores[:, 0] += 0.05
    scores[:10, 3] = 0.0  # its positives score lowest: the best is to call every row positive
    common = best_f1_threshold(Y.ravel(), scores.ravel())
    own = [best_f1_threshold(Y[:, j], scores[:, j]) for j in range(4)]
    assert own[3] == -np.inf
    found = choose_thresholds("cv_f1_label", Y, scores)
    np.testing.assert_array_equal(found.values, [own[0], own[1], common, common])
    assert found.n_common == 2
    np.testing.assert_array_equal(choose_thresholds("train_f1_label", Y, scores).values, own)


def test_a_lone_positive_does_not_make_every_row_positive():
    rng = np.random.default_rng(0)
    Y = np.column_stack([rng.integers(0, 2, 200), np.arange(200) == 7])
    scores = 0.4 * Y + rng.uniform(0, 0.5, Y.shape)
    scores[7, 1] = 0.0  # the model that scored it had seen no positive
    (_, threshold), _ = choose_thresholds("cv_f1_label", Y, scores)
    assert (scores[:, 1] > threshold).mean() < 0.2


def test_a_task_without_samples_takes_the_common_threshold():
    tasks, y = np.repeat([0, 2], 20), np.tile([0, 1], 20)
    scores = (y + 0.25 * tasks)[:, None]
    found = choose_thresholds("cv_f1_label", y[:, None], scores, tasks)
    common = best_f1_threshold(y, scores[:, 0])
    np.testing.assert_array_equal(found.values, [0.5, common, 1.0])
    assert found.n_common == 1


def test_what_lies_on_the_threshold_is_negative():
    assert apply_thresholds(np.array([[0.5]]), np.array([0.5])).tolist() == [[0]]


def test_the_best_threshold_of_very_many_entries():
    random = np.random.RandomState(0)
    truth, scores = random.randint(0, 2, 400_000), random.randn(400_000)
    precision, recall, _ = precision_recall_curve(truth, scores)
    best = np.max(
        2 / (1 / precision[:-1] + 1 / recall[:-1])
    )  # the last pair belongs to no threshold
    assert f1_score(truth, scores > best_f1_threshold(truth, scores)) == pytest.approx(best)
