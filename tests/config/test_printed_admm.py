"""The algorithms of Ke et al. as printed, which a study ends early."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.smtl import printed
from mlbench.methods.multitask.smtl import SMTL
from mlbench.registry import resolve
from mlbench.resources import bundled

pytestmark = pytest.mark.filterwarnings("ignore:PrintedADMM with lam")


@pytest.fixture
def printed_admm(monkeypatch):
    """The class of the study."""
    monkeypatch.setattr("mlbench.registry.import_policy.imports_allowed", lambda: True)
    return resolve("studies/printed_admm.py:PrintedADMM", bundled("configs"))


@pytest.fixture
def two_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    scores = X @ rng.normal(size=(5, 2)) + rng.normal(size=(40, 2))
    return X, (scores > 0.3).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "oracle"),
    [("f1", printed.f1_by_table), ("auc", printed.auc_by_pairs)],
    ids=["f1", "auc"],
)
@pytest.mark.parametrize("penalty", ["l11", "l21", "trace"])
def test_it_takes_the_steps_of_the_algorithm_in_the_benchmarks(
    printed_admm, two_labels, loss, oracle, penalty
):
    X, Y = two_labels
    tasks = [(np.column_stack([np.ones(40), X]), 2.0 * y - 1) for y in Y.T]
    steps = printed.admm(tasks, 0.5, 2.0, penalty, oracle)
    for _ in range(3):
        expected = next(steps).W

    model = printed_admm(loss=loss, penalty=penalty, lam=0.5, mu=2.0, steps=3).fit(X, Y)

    np.testing.assert_allclose(model.intercept_, expected[0], atol=1e-9)
    np.testing.assert_allclose(model.coef_, expected[1:].T, atol=1e-9)


@pytest.mark.slow
def test_where_algorithm_2_ends_many_steps_lead_to_the_certified_optimum(printed_admm, two_labels):
    X, Y = two_labels

    few = printed_admm(loss="auc", lam=2.0, steps=2).fit(X, Y)
    many = printed_admm(loss="auc", lam=2.0, steps=200).fit(X, Y)

    optimum = SMTL(loss="auc", lam=2.0, tol=1e-6).fit(X, Y)
    assert few.gap_ > 0.05
    assert many.gap_ < 2e-3
    np.testing.assert_allclose(many.coef_, optimum.coef_, atol=0.01)


def test_a_fit_that_ends_early_says_so(printed_admm, two_labels):
    X, Y = two_labels
    with pytest.warns(UserWarning, match="ended on steps=1: its relative gap is"):
        model = printed_admm(loss="f1", steps=1).fit(X, Y)
    assert not model.fit_report_["converged"]
