from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.estimator_adapter import InvalidOutputError, fit, fit_path, outputs, probabilities
from mlbench.registry import make_method

MANY_LABELS = [
    RandomForestClassifier(5, random_state=0),
    DecisionTreeClassifier(random_state=0),
    KNeighborsClassifier(),
    MLPClassifier(max_iter=5, random_state=0),
    RidgeClassifier(),
    OneVsRestClassifier(LogisticRegression()),
    OneVsRestClassifier(LinearSVC()),
    MultiOutputClassifier(LogisticRegression()),
    ClassifierChain(LogisticRegression()),
    make_pipeline(StandardScaler(), RidgeClassifier()),
]
ONE_LABEL = [LogisticRegression(), SVC(), make_pipeline(StandardScaler(), LinearSVC())]


class Answers(BaseEstimator):
    """Returns what it was told to."""

    def __init__(self, labels=None, **_):
        self.labels = labels

    def predict(self, X):
        return self.labels


def answering(labels, **methods):
    """Return an object that answers with given labels and scores."""

    def returning(value):
        return lambda self, X: value

    body = {name: returning(value) for name, value in methods.items()}
    return type("Answering", (Answers,), body)(labels)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MANY_LABELS, ids=lambda model: repr(model)[:40])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_any_classifier_for_many_labels_is_brought_into_shape(labelled, model, k):
    X, Y, new = labelled
    scores, labels = outputs(fit(model, X, Y[:, :k]), new)
    assert scores.shape == labels.shape == (20, k)
    assert (scores.dtype, labels.dtype) == (np.float64, np.int8)
    for column in range(k):  # what is predicted is what scores high
        positive = labels[:, column] == 1
        if 0 < positive.sum() < len(new):
            assert scores[positive, column].min() >= scores[~positive, column].max()


@pytest.mark.parametrize("model", ONE_LABEL, ids=lambda model: repr(model)[:40])
def test_a_classifier_for_one_label_can_be_used_for_one(labelled, model):
    X, Y, new = labelled
    scores, labels = outputs(fit(model, X, Y[:, :1]), new)
    np.testing.assert_array_equal(labels, scores > 0 if scores.min() < 0 else scores > 0.5)


@pytest.mark.parametrize("model", ONE_LABEL, ids=lambda model: repr(model)[:40])
def test_a_classifier_for_one_label_is_not_given_three(labelled, model):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=r"predicts one label and .* have 3: .*write \{use: br"):
        fit(model, X, Y)


def test_a_reason_of_its_own_is_not_explained(labelled):
    class Own(ClassifierMixin, BaseEstimator):
        def fit(self, X, Y):
            raise ValueError("label 2 has 4 positives, five are needed")

    X, Y, _ = labelled
    with pytest.raises(ValueError, match=r"five are needed$"):
        fit(Own(), X, Y)


@pytest.mark.parametrize("columns", [lambda X: X["age"], lambda X: X.age])
def test_a_method_of_data_frames_that_gets_an_array_is_told_of_input_frame(columns):
    class Framed(ClassifierMixin, BaseEstimator):
        def fit(self, X, Y):
            return columns(X)

    with pytest.raises(MethodError, match="write `input: frame` beside `use:`"):
        fit(Framed(), np.zeros((4, 2)), np.eye(4, 2, dtype=int))


@pytest.mark.parametrize("model", [RandomForestClassifier(5), KNeighborsClassifier()])
def test_labels_of_one_class_have_one_column_of_probabilities(labelled, model):
    X, Y, new = labelled
    Y[:, 0], Y[:, 2] = 0, 1
    scores, labels = outputs(fit(model, X, Y), new)
    assert (scores[:, [0, 2]] == [0, 1]).all()
    assert (labels[:, [0, 2]] == [0, 1]).all()


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize(
    "model",
    [
        MultiOutputClassifier(LogisticRegression()),
        ClassifierChain(LogisticRegression()),
        make_method("br"),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize(
    "wrapped",
    [
        lambda model: make_pipeline(StandardScaler(), model),
        lambda model: GridSearchCV(model, {}, scoring="f1_macro"),
    ],
    ids=["pipeline", "search"],
)
def test_a_classifier_for_many_labels_is_one_inside_another(labelled, wrapped, model, k):
    X, Y, new = labelled
    scores, labels = outputs(fit(wrapped(model), X, Y[:, :k]), new)
    assert scores.shape == labels.shape == (20, k)


def test_a_classifier_for_many_labels_is_not_said_to_take_one(labelled):
    X, Y, _ = labelled
    Y[:, 0] = 0
    with pytest.raises(ValueError, match="at least 2 classes") as told:
        fit(MultiOutputClassifier(LogisticRegression()), X, Y)
    assert "br" not in str(told.value)


@pytest.mark.parametrize(
    ("model", "k"),
    [
        (LogisticRegression(), 1),
        (GradientBoostingClassifier(n_estimators=3), 1),
        (make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()), 1),
        (OneVsRestClassifier(LogisticRegression()), 3),
        (ClassifierChain(LogisticRegression()), 3),
        (ClassifierChain(LogisticRegression()), 1),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_probabilities_are_those_of_class_1(labelled, model, k):
    X, Y, new = labelled
    fitted = fit(model, X, Y[:, :k])
    found = probabilities(fitted, new, None, k)
    expected = fitted.predict_proba(new)
    np.testing.assert_array_equal(found, expected[:, -k:])
    assert (outputs(fitted, new)[0] < 0).any()  # these are margins


@pytest.mark.parametrize("model", [RandomForestClassifier(3), LinearSVC(), make_method("br")])
def test_a_model_without_both_has_no_probabilities_besides_its_scores(labelled, model):
    X, Y, new = labelled
    assert probabilities(fit(model, X, Y[:, :1]), new, None, 1) is None


def _fails(self, X):
    raise RuntimeError("no luck")


@pytest.mark.parametrize("answer", [_fails, lambda self, X: np.full((len(X), 1), 1.5)])
def test_probabilities_that_cannot_be_had_are_a_warning(labelled, answer):
    X, Y, new = labelled
    kind = type("Unlucky", (LogisticRegression,), {"predict_proba": answer})
    with pytest.warns(UserWarning, match="Unlucky.predict_proba"):
        assert probabilities(fit(kind(), X, Y[:, :1]), new, None, 1) is None


def test_the_column_of_class_1_is_found_by_its_name(labelled):
    X, Y, new = labelled
    Y[:, 0] = 1
    model = fit(MultiOutputClassifier(DecisionTreeClassifier()), X, Y)
    scores, _ = outputs(model, new)
    assert (scores[:, 0] == 1).all()


def test_sparse_labels_are_made_dense():
    labels = sparse.csr_matrix([[1, 0], [0, 1]])
    model = answering(labels, decision_function=np.array([[1.0, -1], [-2, 2]]))
    np.testing.assert_array_equal(outputs(model, np.zeros((2, 1)))[1], [[1, 0], [0, 1]])


def test_the_work_is_done_once_where_labels_follow_from_scores(labelled):
    X, Y, new = labelled
    model = fit(make_method("br"), X, Y)
    calls = []
    scores_of = model._scores
    model._scores = lambda *arguments: calls.append(1) or scores_of(*arguments)
    _, labels = outputs(model, new)
    assert len(calls) == 1
    np.testing.assert_array_equal(labels, model.predict(new))


GOOD = np.array([[0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize(
    ("labels", "methods", "words"),
    [
        (GOOD, {}, "neither decision_function nor predict_proba"),
        (
            GOOD,
            {"decision_function": np.ones((3, 1))},
            r"scores of shape \(3, 1\); .*\(3, 2\)",
        ),
        (GOOD[:2], {"decision_function": np.ones((3, 2))}, r"labels of shape \(2, 2\)"),
        (
            GOOD,
            {"decision_function": np.full((3, 2), np.nan)},
            "6 scores that are not finite",
        ),
        (2 * GOOD - 1, {"decision_function": np.ones((3, 2))}, r"predicted \[-1\]"),
        (GOOD, {"decision_function": np.full((3, 2), "x")}, "scores that are no numbers"),
        (GOOD, {"predict_proba": [np.ones((3, 1))] * 2}, "1 columns for a label"),
    ],
)
def test_wrong_output_is_told_in_words(labels, methods, words):
    with pytest.raises(InvalidOutputError, match=words):
        outputs(answering(labels, **methods), np.zeros((3, 4)))


def test_a_fit_that_returns_nothing_is_told_to_return_itself():
    class Forgetful(BaseEstimator):
        def fit(self, X, Y):
            pass

    with pytest.raises(MethodError, match=r"Forgetful\.fit returned None; end it with"):
        fit(Forgetful(), np.zeros((3, 4)), GOOD)


def test_tasks_reach_a_method_that_takes_them(tasked):
    X, Y, tasks, new, new_tasks = tasked
    model = fit(make_method("mt_lspc"), X, Y, tasks)
    assert outputs(model, new, new_tasks)[0].shape == (20, 1)


@pytest.mark.parametrize("model", [make_method("mlknn"), RandomForestClassifier()])
def test_tasks_are_not_dropped_in_silence(tasked, model):
    X, Y, tasks, *_ = tasked
    with pytest.raises(MethodError, match="takes no tasks"):
        fit(model, X, Y, tasks)


def test_a_method_for_tasks_is_not_fitted_without(labelled):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match="these data have no tasks"):
        fit(make_method("mt_lspc"), X, Y)


def test_labels_other_than_0_and_1_are_refused(labelled):
    X, Y, _ = labelled
    with pytest.raises(ValueError, match="Y must hold 0 and 1 only"):
        fit(RandomForestClassifier(), X, 2 * Y - 1)


def test_an_error_of_the_estimators_own_is_left_as_it_is(labelled):
    X, Y, _ = labelled
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fit(make_method("br"), X, Y)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (make_method("lspc", width=2.0), [{"rho": 1.0}, {"rho": 0.1}]),  # has a path
        (make_method("br"), [{"base__C": 1.0}, {"base__C": 0.1}]),  # has none
    ],
)
def test_every_point_of_a_path_is_the_fit_of_its_own(labelled, model, grid):
    X, Y, new = labelled
    found = dict(fit_path(model, X, Y, grid))
    assert sorted(found) == [0, 1]
    for index, point in enumerate(grid):
        alone = fit(clone(model).set_params(**point), X, Y)
        np.testing.assert_allclose(outputs(found[index], new)[0], outputs(alone, new)[0], atol=1e-8)


def test_a_path_over_tasks_is_followed_where_the_method_has_one(tasked):
    X, Y, tasks, new, new_tasks = tasked
    grid = [{"w0": 1.0}, {"w0": 0.1}]
    for _, model in fit_path(make_method("mt_lspc"), X, Y, grid, tasks):
        assert outputs(model, new, new_tasks)[0].shape == (20, 1)


def test_a_path_that_knows_no_tasks_gives_way_to_single_fits(tasked):
    X, Y, tasks, *_ = tasked

    class Partial(BaseEstimator):
        def __init__(self, a=0):
            self.a = a

        def fit(self, X, Y, tasks=None):
            self.tasks_ = tasks
            return self

        def fit_path(self, X, Y, grid):
            raise AssertionError

    grid = [{"a": 1}, {"a": 2}]
    found = [
        (i, model.a, model.tasks_ is tasks) for i, model in fit_path(Partial(), X, Y, grid, tasks)
    ]
    assert found == [(0, 1, True), (1, 2, True)]


@pytest.mark.parametrize("use", ["mlknn", "ml_lspc", "sklearn.ensemble.RandomForestClassifier"])
def test_tuning_a_method_without_tasks_on_tasks_is_told_in_words(tasked, use):
    X, Y, tasks, *_ = tasked
    with pytest.raises(MethodError, match="takes no tasks"):
        list(fit_path(make_method(use), X, Y, [{}, {}], tasks))


def test_a_path_is_guarded_like_a_fit(labelled):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match="these data have no tasks"):
        list(fit_path(make_method("mt_lspc"), X, Y, [{}]))
    with pytest.raises(ValueError, match="Y must hold 0 and 1 only"):
        list(fit_path(make_method("lspc"), X, 2 * Y - 1, [{}]))
    with pytest.raises(MethodError, match="predicts one label"):
        list(fit_path(SVC(), X, Y, [{}]))


HALF_MASKED = np.ma.masked_array([[0, 1], [1, 0]], mask=[[True, False], [False, False]])
DATES = np.array([["2001-01-01", "2002-01-01"]] * 2, dtype="datetime64[D]")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.array([[1 + 2j, 0], [0, 1]]), "complex numbers"),
        (DATES, "dates"),
        (DATES - DATES[0, 0], "time spans"),
        (HALF_MASKED, "masked array"),
        (([1, 0], [1]), "make no matrix"),
    ],
    ids=["complex", "dates", "spans", "masked", "ragged"],
)
def test_what_would_lose_its_meaning_as_numbers_is_refused(given, words):
    X, good = np.zeros((2, 1)), np.array([[0, 1], [1, 0]])
    with pytest.raises(InvalidOutputError, match=f"Answering gave .*{words}"):
        outputs(answering(good, decision_function=given), X)
    with pytest.raises(InvalidOutputError, match=f"Answering gave .*{words}"):
        outputs(answering(given, decision_function=good), X)
    with pytest.raises(InvalidOutputError, match=f"Answering gave .*{words}"):
        outputs(answering(good, predict_proba=given), X)


def test_masked_probabilities_of_one_label_of_several_are_refused():
    probabilities = [np.full((2, 2), 0.5), np.ma.masked_less(np.full((2, 2), 0.5), 1)]
    model = answering(np.array([[0, 1], [1, 0]]), predict_proba=probabilities)
    with pytest.raises(InvalidOutputError, match="scores as a masked array"):
        outputs(model, np.zeros((2, 1)))


def test_the_true_cause_comes_first_and_a_class_of_a_file_has_its_name(tmp_path):
    (tmp_path / "own.py").write_text(
        "from sklearn.base import BaseEstimator, ClassifierMixin\n"
        "class Own(ClassifierMixin, BaseEstimator):\n"
        "    def fit(self, X, y):\n"
        "        raise ValueError('y is 2d' if len(X) == 2 else 'the depth is negative')\n"
        "    def predict(self, X):\n"
        "        return X\n"
    )
    model = make_method("own.py:Own", tmp_path)
    with pytest.raises(MethodError, match="Own cannot be fitted: y is 2d; ") as told:
        fit(model, np.zeros((2, 1)), np.array([[0, 1], [1, 0]]))
    assert "{use: br, base: own.py:Own}" in str(told.value)
    with pytest.raises(ValueError, match=r"^the depth is negative$"):
        fit(model, np.zeros((3, 1)), np.eye(3, 2, dtype=int))
