from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mlbench.errors import MlbenchError
from mlbench.statistics import against_control, rank_test
from mlbench.statistics.ranks import NO_DIFFERENCE, SAME_RANKING

SCORES = np.round(
    np.random.default_rng(2006).normal((0.70, 0.74, 0.71, 0.75), 0.03, size=(14, 4)), 2
)
"""Four methods on 14 data sets, with ties."""


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(("alpha", "difference"), [(0.05, 1.25), (0.10, 1.12)])
def test_critical_difference_of_a_worked_example(alpha, difference):
    """Demsar (2006), section 3.2.4: four methods on 14 data sets."""
    found = rank_test(SCORES, alpha=alpha)
    assert found.critical_difference == pytest.approx(difference, abs=5e-3)
    assert (found.n_datasets, found.n_methods, found.note) == (14, 4, "")


def test_three_methods_by_hand():
    """Ranks 1 2 3, 1 3 2, 1 2 3 and 2 1 3: rank sums 5, 8 and 11."""
    found = rank_test([[0.9, 0.8, 0.7], [0.6, 0.4, 0.5], [0.3, 0.2, 0.1], [0.5, 0.6, 0.4]])
    assert found.mean_ranks == (1.25, 2.0, 2.75)
    assert found.statistic == pytest.approx(12 / (4 * 3 * 4) * (25 + 64 + 121) - 3 * 4 * 4)
    assert found.iman_davenport == pytest.approx(3 * 4.5 / (4 * 2 - 4.5))
    assert not found.significant
    assert found.cliques == ((0, 1, 2),)
    assert "no pair of methods counts as different" in found.note


tables = st.integers(3, 9).flatmap(
    lambda n: st.integers(3, 5).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=n, max_size=n
        )
    )
)


@pytest.mark.slow
@settings(max_examples=60)
@given(tables.filter(lambda rows: any(len(set(row)) > 1 for row in rows)))
def test_friedman_is_that_of_scipy_with_ties_too(rows):
    found = rank_test(rows)
    expected = stats.friedmanchisquare(*np.transpose(rows))
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_iman_davenport_is_the_analysis_of_variance_of_the_ranks(seed):
    """F of a two-way layout without interaction, methods and data sets, made on the ranks."""
    scores = np.random.default_rng(seed).normal((0.0, 0.3, 0.6, 0.9), size=(6 + seed, 4))
    ranks = stats.rankdata(-scores, axis=1)
    n, k = ranks.shape
    total = ranks - ranks.mean()
    methods = n * np.square(total.mean(axis=0)).sum()
    rest = np.square(total).sum() - methods
    f = (methods / (k - 1)) / (rest / ((k - 1) * (n - 1)))
    found = rank_test(scores)
    assert found.iman_davenport == pytest.approx(f, rel=1e-9)
    assert found.p_iman_davenport == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_values_printed_by_demsar(k, q):
    """Table 5 (a) of Demsar (2006): the studentised range divided by the root of two."""
    scores = np.random.default_rng(k).normal(size=(10, k))
    difference = rank_test(scores).critical_difference
    assert difference / math.sqrt(k * (k + 1) / 60) == pytest.approx(q, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_those_of_scikit_posthocs(seed):
    posthocs = pytest.importorskip("scikit_posthocs")
    scores = np.random.default_rng(seed).normal(size=(9, 5)) + np.arange(5) * 0.5
    found = rank_test(scores)
    expected = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    assert found.pairwise_p == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_critical_difference_and_ranks_are_those_of_autorank(seed):
    autorank = pytest.importorskip("autorank")
    pandas = pytest.importorskip("pandas")
    scores = np.random.default_rng(seed).normal(size=(12, 4)) + np.arange(4) * 0.7
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = autorank.autorank(
            pandas.DataFrame(scores, columns=list("abcd")), force_mode="nonparametric"
        )
    found = rank_test(scores)
    assert found.critical_difference == pytest.approx(theirs.cd, rel=1e-4)
    ranks = theirs.rankdf["meanrank"][list("abcd")]
    assert found.mean_ranks == pytest.approx(ranks.to_numpy(), rel=1e-12)


@settings(max_examples=20)
@given(tables)
def test_cliques_are_the_maximal_groups_that_are_not_told_apart(rows):
    found = rank_test(rows, alpha=0.3)
    ranks = found.mean_ranks
    if not found.significant:
        assert [set(clique) for clique in found.cliques] == [set(range(len(ranks)))]
        return
    alike = [
        set(group)
        for size in range(2, len(ranks) + 1)
        for group in itertools.combinations(range(len(ranks)), size)
        if max(ranks[i] for i in group) - min(ranks[i] for i in group) < found.critical_difference
    ]
    maximal = [group for group in alike if not any(group < other for other in alike)]
    assert sorted(map(sorted, found.cliques)) == sorted(map(sorted, maximal))
    for clique in found.cliques:
        assert [ranks[i] for i in clique] == sorted(ranks[i] for i in clique)
    for i, j in itertools.combinations(range(len(ranks)), 2):
        together = any({i, j} <= set(clique) for clique in found.cliques)
        assert together == (found.pairwise_p[i, j] > 0.3)


def test_direction():
    up, down = rank_test(SCORES), rank_test(1 - SCORES, higher_is_better=False)
    assert (up.mean_ranks, up.p, up.cliques) == (down.mean_ranks, down.p, down.cliques)


def test_under_no_difference_f_rejects_as_often_as_it_should():
    """2,000 tables of pure noise at 0.05: 0.05 plus or minus three standard errors."""
    rng = np.random.default_rng(7)
    n, k = 12, 4
    ranks = rng.permuted(np.broadcast_to(np.arange(1.0, k + 1), (2000, n, k)), axis=2)
    rejected = np.mean([_p_of_f(table) < 0.05 for table in ranks])
    assert rejected == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 2000))


def _p_of_f(table):
    from mlbench.statistics.ranks import _friedman

    return _friedman(table)[3]


def test_a_data_set_without_some_score_is_left_out():
    holes = np.vstack([SCORES, [0.5, math.nan, 0.6, 0.7], [math.nan] * 4])
    found, whole = rank_test(holes), rank_test(SCORES)
    assert found.left_out == (14, 15)
    assert (found.mean_ranks, found.p, found.n_datasets) == (whole.mean_ranks, whole.p, 14)


@pytest.mark.parametrize(
    ("scores", "note"),
    [
        (SCORES[:2], "fewer than 3 data sets with every score"),
        (SCORES[:, :2], "fewer than 3 methods"),
        (SCORES[:, :1], "fewer than 3 methods"),
        (np.full((4, 3), math.nan), "fewer than 3 data sets with every score"),
        (np.empty((0, 3)), "fewer than 3 data sets with every score"),
    ],
)
def test_too_little_to_test_is_said_in_words(scores, note):
    found = rank_test(scores)
    assert found.note == note
    assert not found.is_tested
    assert not found.significant
    assert found.cliques == ()
    assert np.isnan([found.p, found.p_iman_davenport, found.critical_difference]).all()
    assert len(found.mean_ranks) == scores.shape[1]


def test_all_tied_and_all_alike():
    tied = rank_test(np.full((5, 3), 0.7))
    assert (tied.p, tied.p_iman_davenport, tied.note) == (
        1.0,
        1.0,
        "all methods tie on every data set",
    )
    assert tied.cliques == ((0, 1, 2),)
    alike = rank_test(np.tile([0.1, 0.5, 0.9], (4, 1)))
    assert (alike.mean_ranks, alike.iman_davenport) == ((3.0, 2.0, 1.0), math.inf)
    orders = list(itertools.permutations(range(3)))
    same = [len(set(each)) == 1 for each in itertools.product(orders, repeat=4)]
    assert alike.p_iman_davenport == pytest.approx(np.mean(same))
    assert alike.note == SAME_RANKING
    few = rank_test(np.tile([0.1, 0.5, 0.9], (3, 1)), alpha=0.01)  # p = 1 / 36
    assert few.note == f"{SAME_RANKING}; {NO_DIFFERENCE}"


def test_floating_point_noise_is_a_tie():
    noisy = rank_test([[0.1 + 0.2, 0.3, 0.1], [0.3, 0.3, 0.2], [0.5, 0.5, 0.4], [0.0, 0.0, 0.0]])
    assert noisy.mean_ranks[0] == noisy.mean_ranks[1]


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(MlbenchError, match="n_datasets, n_methods"):
        rank_test([0.1, 0.2])
    with pytest.raises(MlbenchError, match="scores to be ranked must be an array of numbers"):
        rank_test([[1, 2], [1]])
    with pytest.raises(MlbenchError, match="infinite"):
        rank_test([[0.1, math.inf, 0.2]])
    with pytest.raises(MlbenchError, match="alpha must be"):
        rank_test(SCORES, alpha=5)


@pytest.mark.filterwarnings("error")
def test_against_a_control_the_ranks_are_compared_by_z():
    found = rank_test(SCORES)
    p = against_control(found, 1)
    assert math.isnan(p[1])
    for i in (0, 2, 3):
        z = (found.mean_ranks[i] - found.mean_ranks[1]) / math.sqrt(4 * 5 / (6 * 14))
        assert p[i] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
    assert np.isnan(against_control(rank_test(SCORES[:2]), 0)).all()


def test_nemenyi_p_values_are_right_as_far_as_they_are_resolved():
    """Of two methods far apart, twice the normal tail times the number of pairs, or 0."""
    for n in (12, 24, 100):
        found = rank_test(np.tile([3.0, 2.0, 1.0], (n, 1)))
        z = 2 / math.sqrt(3 * 4 / (6 * n))
        tail = 2 * stats.norm.sf(z)
        p = found.pairwise_p[0, 2]
        assert p == 0 if 3 * tail < 1e-12 else tail < p < 3 * tail
