"""scikit-learn's own checks, on every method that can do without tasks."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.registry import METHODS, make_method, resolve

MULTI_LABEL = [name for name in METHODS if not getattr(resolve(name), "needs_tasks", False)]
VOTES_THAT_PASS = resolve("rakel")
"""On the data of the check no share of its votes is between 0 and 1/2."""


def expected_failures(estimator):
    """Return check name -> reason."""
    if getattr(estimator, "threshold", 0.5) == 0 or isinstance(estimator, VOTES_THAT_PASS):
        return {}
    return {
        "check_classifier_multioutput": (
            "for a matrix of labels decision_function gives probabilities, cut at 1/2, "
            "where scikit-learn wants margins, cut at 0"
        )
    }


@pytest.mark.slow
@parametrize_with_checks(
    [make_method(name) for name in MULTI_LABEL], expected_failed_checks=expected_failures
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_takes_the_method_for_one_of_its_own(estimator, check):
    check(estimator)
