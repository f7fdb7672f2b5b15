from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.protocol.fits import convergence_warnings, count_unconverged, fit_report


def model(report):
    return SimpleNamespace(fit_report_=report)


def test_a_model_without_a_report_has_none():
    assert fit_report(SimpleNamespace()) is None


def test_a_plain_report_is_taken_as_it_is():
    report = {"gap": 8e-4, "iterations": 120, "converged": True, "trace": [1, {"a": None}]}
    assert fit_report(model(report)) == report


@pytest.mark.parametrize(
    ("report", "words"),
    [
        ([1.0], "must be a dict.*builtins.list"),
        ({"iterations": np.int64(3)}, r"\['iterations'\] must be a plain value.*numpy.int64"),
        ({"converged": np.bool_(True)}, r"\['converged'\] must be a plain value"),
        ({"trace": [0.1, (1, 2)]}, r"\['trace'\]\[1\] must be a plain value.*tuple"),
        ({"gap": float("inf")}, r"\['gap'\] must be finite; got inf: write None"),
        ({"inside": {"x": float("nan")}}, r"\['inside'\]\['x'\] must be finite"),
        ({1: "one"}, "a key must be a str; got 1"),
        ({"gap": "small"}, r"\['gap'\] must be a number"),
        ({"gap": True}, r"\['gap'\] must be a number"),
        ({"converged": 1}, r"\['converged'\] must be True or False"),
    ],
)
def test_what_is_no_report_is_refused_in_words(report, words):
    with pytest.raises(MethodError, match=words):
        fit_report(model(report))


def test_a_fit_that_warns_has_stopped_where_its_report_does_not_say_so():
    with pytest.warns(UserWarning, match="of something else"), convergence_warnings() as found:
        warnings.warn("of something else", stacklevel=1)
    assert fit_report(SimpleNamespace(), has_stopped=bool(found)) is None
    with pytest.warns(ConvergenceWarning), convergence_warnings() as found:
        warnings.warn("stopped", ConvergenceWarning, stacklevel=1)
    has_stopped = bool(found)
    assert fit_report(SimpleNamespace(), has_stopped) == {"converged": False}
    assert fit_report(model({"gap": 0.1}), has_stopped) == {"converged": False, "gap": 0.1}
    assert fit_report(model({"converged": True}), has_stopped) == {"converged": True}


def test_a_fit_that_fails_warns_all_the_same():
    def fit():
        warnings.warn("stopped", ConvergenceWarning, stacklevel=1)
        raise ValueError

    with pytest.warns(ConvergenceWarning), pytest.raises(ValueError), convergence_warnings():
        fit()


def test_fits_that_did_not_converge_are_counted_among_those_that_say_so():
    fine, unknown = {"gap": 0.5, "converged": True}, {"iterations": 3}
    bad = [{"gap": gap, "converged": False} for gap in (0.1, 0.3, None)]
    found = count_unconverged([fine, None, *bad, unknown])
    assert found == {"fits": 3, "of": 5, "largest_gap": 0.3}
    assert count_unconverged([fine]) == {"fits": 0, "of": 1, "largest_gap": None}
    assert count_unconverged([bad[2]]) == {"fits": 1, "of": 1, "largest_gap": None}
    assert count_unconverged([None, None]) is None
