"""Base learners in Python: short names, mappings and estimators."""

from __future__ import annotations

import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

from mlbench.errors import MethodError
from mlbench.methods.base_learners import make_base
from mlbench.methods.catalogue import BASE_LEARNERS
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.methods.problem_transformation.mlcssp import MLCSSP


@pytest.mark.parametrize("name", BASE_LEARNERS)
def test_every_short_name_leads_to_a_classifier(name):
    target, parameters = BASE_LEARNERS[name]
    learner = make_base(name)
    assert type(learner).__name__ == target.partition(":")[2]
    assert parameters.items() <= learner.get_params().items()


def test_a_mapping_sets_parameters_and_an_estimator_stays_itself():
    assert make_base({"use": "svc", "C": 3.0}).C == 3.0
    learner = SVC()
    assert make_base(learner) is learner
    assert BinaryRelevance({"use": "svc"}).fit([[0.0], [1.0]], [[0, 1], [1, 0]]).n_features_in_ == 1


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("sklearn.svm.SVC", r"'sklearn.svm.SVC' is no classifier; give a name \(logistic, "),
        (SVC, "is no classifier"),
        ({"use": "svc", "c": 1}, "base 'svc': Invalid parameter 'c'"),
    ],
)
def test_what_is_no_base_learner_is_refused(base, words):
    with pytest.raises(MethodError, match=words):
        make_base(base)


def test_a_base_without_scores_is_refused_before_a_fit_but_for_regressors_that_a_method_takes():
    for base in (Ridge(), KMeans()):
        with pytest.raises(MethodError, match="has neither predict_proba nor decision_function"):
            BinaryRelevance(base).check_parameters()
    BinaryRelevance(SVC()).check_parameters()
    MLCSSP(Ridge()).check_parameters()
    with pytest.raises(MethodError, match="base KMeans has neither"):
        MLCSSP(KMeans()).check_parameters()
