"""What fits say of themselves, and warnings."""

from __future__ import annotations

import pytest

from mlbench.errors import MethodError
from mlbench.store import Unconverged
from tests.cell.cases import BR, cells, make_dataset, run

LOUD = """
import warnings
import numpy as np
from sklearn.base import BaseEstimator

class Loud(BaseEstimator):
    def __init__(self, kinds=1):
        self.kinds = kinds
    def fit(self, X, Y):
        for kind in range(self.kinds):
            warnings.warn(f"it is  loud\\nhere {kind}", UserWarning)
        self.n_labels_ = Y.shape[1]
        return self
    def decision_function(self, X):
        return np.zeros((len(X), self.n_labels_))
    def predict(self, X):
        return np.zeros((len(X), self.n_labels_), dtype=int)
"""


REPORTING = """
import numpy as np
from mlbench.methods.problem_transformation.br import BinaryRelevance

class Reporting(BinaryRelevance):
    @property
    def fit_report_(self):
        return {"gap": GAP, "converged": False}
"""


def test_the_report_of_the_final_fit_is_kept(tmp_path):
    (tmp_path / "own.py").write_text(REPORTING.replace("GAP", "0.25"))
    dataset = make_dataset(n=60)
    tuned = {"use": "own.py:Reporting", "tune": {"base__C": [0.1, 1.0]}}
    result = run(cells(dataset, {"use": "own.py:Reporting"}, tmp_path)[0], dataset)
    assert result.fit == {"gap": 0.25, "converged": False}
    assert result.tuning is None
    result = run(cells(dataset, tuned, tmp_path)[0], dataset)
    assert result.tuning.not_converged == Unconverged(fits=6, of=6, largest_gap=0.25)
    assert run(cells(dataset, BR)[0], dataset).fit is None


def test_a_final_fit_that_warns_that_it_stopped_has_not_converged(tmp_path):
    stopping = LOUD.replace("UserWarning", "ConvergenceWarning").replace(
        "import warnings", "import warnings\nfrom sklearn.exceptions import ConvergenceWarning"
    )
    (tmp_path / "loud.py").write_text(stopping)
    dataset = make_dataset()
    result = run(cells(dataset, {"use": "loud.py:Loud"}, tmp_path)[0], dataset)
    assert result.fit == {"converged": False}
    assert result.warnings == ["ConvergenceWarning: it is loud here 0"]
    quiet = {"use": "loud.py:Loud", "kinds": 0}
    assert run(cells(dataset, quiet, tmp_path)[0], dataset).fit is None


def test_a_report_that_no_file_could_hold_is_an_error(tmp_path):
    (tmp_path / "own.py").write_text(REPORTING.replace("GAP", "np.float32(0.25)"))
    dataset = make_dataset(n=60)
    with pytest.raises(MethodError, match=r"Reporting.fit_report_\['gap'\] must be a plain value"):
        run(cells(dataset, {"use": "own.py:Reporting"}, tmp_path)[0], dataset)


def test_warnings_are_kept_once_with_their_number(tmp_path):
    (tmp_path / "loud.py").write_text(LOUD)
    dataset = make_dataset()
    settings = {"threshold": "cv_f1_label"}  # one fit, and one on each of three folds
    result = run(cells(dataset, {"use": "loud.py:Loud"}, tmp_path, **settings)[0], dataset)
    assert "UserWarning: it is loud here 0 (4 times)" in result.warnings
    many = run(cells(dataset, {"use": "loud.py:Loud", "kinds": 30}, tmp_path)[0], dataset)
    assert len(many.warnings) == 21
    assert many.warnings[-1] == "and 10 other warnings"
