"""The alternations of MLSVM against the optimum that the default solver certifies."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mlbench.methods.mlsvm.mlsvm import MLSVMFL1, MLSVMFL2, MLSVMTL1, MLSVMTL2


def example(n=40, d=6, seed=0):
    """Five labels of correlated inputs."""
    random = np.random.RandomState(seed)
    X = random.randn(n, d) + 1
    return X, (X @ random.randn(d, 5) + random.randn(n, 5) > 1).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("method", [MLSVMTL1, MLSVMFL1, MLSVMTL2, MLSVMFL2])
@pytest.mark.parametrize("solver", ["fw", "paper"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_both_sides_of_an_alternation_enclose_the_optimum(method, solver):
    X, Y = example()
    exact = method(C=0.5, r=2, tol=1e-7, max_iter=100_000).fit(X, Y)
    model = method(C=0.5, r=2, solver=solver, random_state=1, tol=1e-9).fit(X, Y)
    upper, lower = model.history_.T
    slack = 1e-6 * exact.obj_alpha_
    assert len(upper) == model.n_iter_ == {"fw": 100, "paper": 20}[solver]
    assert (lower <= upper + slack).all()
    assert (lower[:-1] <= upper[1:] + slack).all()  # obj(Q_t) <= obj(alpha_t)
    assert lower.max() <= exact.obj_alpha_ + slack
    assert upper.min() >= exact.obj_Q_ - slack
    assert model.obj_Q_ == lower.max()
    assert model.obj_alpha_ <= upper.min()
    assert model.fit_report_["obj_Q"] <= exact.obj_alpha_ + slack
    assert not model.converged_


@pytest.mark.slow
def test_frank_wolfe_comes_close_where_the_printed_alternation_does_not():
    X, Y = example()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        damped = MLSVMTL2(C=5.0, r=2, solver="fw").fit(X, Y)
        printed = MLSVMTL2(C=5.0, r=2, solver="paper", random_state=0).fit(X, Y)
    assert damped.gap_ < 0.02
    assert printed.gap_ > 0.1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_printed_alternation_settles_only_near_the_bounds_of_alpha():
    """With tiny C most alpha are at C and stay there; else it swings, even where r = k."""
    X, Y = example(60, 10, seed=2)
    tiny = MLSVMTL1(C=1e-4, r=2, solver="paper", random_state=0).fit(X, Y)
    assert tiny.converged_
    for r in (2, 5):
        model = MLSVMTL2(C=5.0, r=r, solver="paper", random_state=0).fit(X, Y)
        late_upper, late_lower = model.history_[10:].T
        assert (late_upper - late_lower > 0.1 * late_upper).all()
    plain = MLSVMTL2(C=5.0, r=5).fit(X, Y)
    assert plain.gap_ < 1e-6


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_printed_alternation_starts_from_a_seeded_projection():
    X, Y = example()
    one, same, other = (
        MLSVMTL1(r=2, solver="paper", random_state=seed).fit(X, Y).history_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert one[0, 0] != other[0, 0]


@pytest.mark.slow
def test_a_report_holds_the_course_of_the_alternation_long_ones_thinned():
    X, Y = example()
    short = MLSVMTL1(r=2, solver="paper", random_state=0)
    long = MLSVMTL1(r=2, solver="fw", tol=1e-9, max_iter=500, random_state=0)
    for model in (short, long):
        with pytest.warns(ConvergenceWarning):
            model.fit(X, Y)
        told, history = model.fit_report_["history"], model.history_
        at = np.array(told["iteration"]) - 1
        assert (at[0], at[-1]) == (0, len(history) - 1)
        assert np.array_equal(np.transpose([told["objective"], told["bound"]]), history[at])
    assert len(short.fit_report_["history"]["iteration"]) == short.n_iter_
    assert len(long.history_) == 500
    assert 100 < len(long.fit_report_["history"]["iteration"]) <= 200
    assert "history" not in MLSVMTL1(r=2).fit(X, Y).fit_report_
