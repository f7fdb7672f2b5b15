from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from mlbench.methods.problem_transformation.base_learner_method import draw_seed
from mlbench.methods.problem_transformation.ecc import EnsembleOfClassifierChains
from mlbench.methods.problem_transformation.homer import HOMER
from mlbench.methods.problem_transformation.lp import LabelPowerset
from mlbench.methods.problem_transformation.rakel import RAkEL

EVERY = [LabelPowerset, RAkEL, EnsembleOfClassifierChains, HOMER]
RANDOM = [RAkEL, EnsembleOfClassifierChains, HOMER]


@pytest.mark.parametrize("kind", EVERY)
def test_rows_without_a_label_are_training_rows_like_others(labelled, kind):
    X, Y, new = labelled
    Y[:50] = 0
    labels = kind().fit(X, Y).predict(np.vstack([X, new]))
    assert (labels.sum(axis=1) == 0).any()


@pytest.mark.parametrize("kind", EVERY)
def test_labels_of_one_class_score_0_or_1(labelled, kind):
    X, Y, new = labelled
    Y[:, 0], Y[:, 2] = 0, 1
    model = kind("tree").fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(new)[:, [0, 2]], [[0, 1]] * 20)
    np.testing.assert_array_equal(model.predict(new)[:, [0, 2]], [[0, 1]] * 20)
    assert model.constant_labels_.tolist() == [0, 2]


@pytest.mark.parametrize("kind", EVERY)
def test_parameters_of_a_named_base_can_be_set(kind):
    model = kind().set_params(base__C=0.5)
    assert clone(model).base.C == 0.5


@pytest.mark.parametrize("kind", EVERY)
def test_prediction_before_fit_is_refused(labelled, kind):
    with pytest.raises(NotFittedError):
        kind().predict(labelled[2])


@pytest.mark.parametrize("kind", EVERY)
def test_tasks_are_refused(labelled, kind):
    X, Y, new = labelled
    with pytest.raises(ValueError, match="was fitted without tasks"):
        kind("tree").fit(X, Y).predict(new, tasks=np.zeros(20, dtype=int))


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.filterwarnings("ignore:.* of one label")
def test_a_flat_y_gives_flat_answers_of_its_own_classes(labelled, kind):
    X, Y, new = labelled
    model = kind().fit(X, np.array(["no", "yes"])[Y[:, 0]])
    np.testing.assert_array_equal(model.predict(new) == "yes", model.decision_function(new) > 0)


@pytest.mark.parametrize("kind", RANDOM)
def test_one_seed_fixes_a_base_with_an_open_seed_too(labelled, kind):
    X, Y, new = labelled
    base = {"use": "tree", "max_features": 1}
    one, same, other = (
        kind(base, random_state=seed).fit(X, Y).decision_function(new) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_a_generator_goes_on_where_a_number_starts_anew():
    assert draw_seed(3) == draw_seed(3)
    random = np.random.RandomState(3)
    assert draw_seed(random) == draw_seed(3)
    assert draw_seed(random) != draw_seed(3)
