from __future__ import annotations

import json
import math
from copy import deepcopy
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, hamming_loss
from sklearn.multioutput import MultiOutputClassifier
from sklearn.preprocessing import StandardScaler

from mlbench.errors import MethodError
from mlbench.metrics import declare
from mlbench.metrics.declared import declared_metric, metric
from mlbench.protocol import tuning
from mlbench.protocol.arrays import Part
from mlbench.protocol.cross_validation import CrossValidation
from mlbench.protocol.patience import Patience
from mlbench.protocol.preprocess import Preparation
from mlbench.protocol.splitters import tuning_folds
from mlbench.protocol.tuning import held_out_scores, tune

GRID = [{"estimator__C": c} for c in (1e-3, 0.1, 10.0)]


class Plain:
    """Fits and reads any model whose scores are probabilities, and counts the fits."""

    def __init__(self):
        self.fits = 0

    def fit(self, model, X, Y, tasks=None):
        self.fits += 1
        return model.fit(X, Y) if tasks is None else model.fit(X, Y, tasks=tasks)

    def fit_path(self, model, X, Y, grid, tasks=None):
        if hasattr(model, "fit_path"):
            yield from model.fit_path(X, Y, grid)
            return
        for index, point in enumerate(grid):
            yield index, self.fit(clone(model).set_params(**point), X, Y, tasks)

    def probabilities(self, model, X, tasks, n_labels):
        return None

    def outputs(self, model, X, tasks=None, n_labels=None):
        known = {} if tasks is None else {"tasks": tasks}
        scores = model.scores(X, **known) if hasattr(model, "scores") else probabilities(model, X)
        return scores, (scores >= 0.5).astype(int)


class Memory(dict):
    """A checkpoint; what it holds went through no file."""

    def load(self, name):
        return self.get(name)

    def save(self, name, value):
        self[name] = deepcopy(value)


class Constant(BaseEstimator):
    """Gives each row its parameter as the score; fails where it is told to."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, Y):
        self.n_labels_ = Y.shape[1]
        return self

    def scores(self, X):
        return np.full((X.shape[0], self.n_labels_), self.value)


class Path(Constant):
    """Yields its path backwards, and counts how often it was asked."""

    asked = 0
    skipped: tuple[int, ...] = ()

    def fit_path(self, X, Y, grid):
        type(self).asked += 1
        for index in reversed(range(len(grid))):
            if index not in self.skipped:
                yield index, clone(self).set_params(**grid[index]).fit(X, Y)


def within(X, Y, folds, fitter, steps=(), tasks=None):
    return CrossValidation(Part(X, Y, tasks, np.arange(len(Y))), folds, Preparation(steps), fitter)


def logistic(C=1.0):
    return MultiOutputClassifier(LogisticRegression(C=C, solver="liblinear"))


def probabilities(model, X):
    return np.column_stack([p[:, 1] for p in model.predict_proba(X)])


@pytest.fixture(scope="module")
def data():
    random = np.random.RandomState(0)
    X = random.randn(90, 6) * [1, 1, 1, 1, 1, 50] + 3
    Y = (X @ random.randn(6, 3) + 20 * random.randn(90, 3) > 0).astype(int)
    return X, Y


@pytest.fixture(scope="module")
def folds():
    return tuning_folds(90, 3, (0, "d", 0))


@pytest.mark.parametrize(
    ("metric", "oracle", "pick"),
    [
        ("macro_f1@sklearn", lambda Y, L: f1_score(Y, L, average="macro"), np.argmax),
        ("hamming_loss", hamming_loss, np.argmin),
    ],
)
def test_the_search_equals_two_loops_written_out(data, folds, metric, oracle, pick):
    X, Y = data
    model = logistic()
    found = tune(model, GRID, within(X, Y, folds, Plain(), ["standardize"]), metric, Memory())
    expected = np.empty((len(GRID), len(folds)))
    for i, point in enumerate(GRID):
        for j, fold in enumerate(folds):
            scaler = StandardScaler().fit(X[fold.train])
            one = logistic(point["estimator__C"])
            one.fit(scaler.transform(X[fold.train]), Y[fold.train])
            labels = (probabilities(one, scaler.transform(X[fold.test])) >= 0.5).astype(int)
            expected[i, j] = oracle(Y[fold.test], labels)
    np.testing.assert_allclose(found.scores, expected, atol=1e-12)
    means = expected.mean(axis=1)
    assert found.best == pick(means)
    assert means.argmin() != means.argmax()  # there was something to choose
    assert model.estimator.C == 1.0  # the model itself is as it was


def test_of_equal_means_the_first_is_chosen(data, folds):
    X, Y = data
    grid = [{"value": value} for value in (0.7, 0.9, 0.6)]
    assert tune(Constant(), grid, within(X, Y, folds, Plain()), "macro_f1", Memory()).best == 0
    grid = [{"value": value} for value in (0.1, 0.9, 0.6)]
    assert tune(Constant(), grid, within(X, Y, folds, Plain()), "macro_f1", Memory()).best == 1


def test_a_fold_without_a_value_is_left_out_and_a_candidate_without_any_is_not_chosen():
    assert tuning._best([[None, None], [0.1, None], [0.0, 0.15]], 1.0) == 1
    assert tuning._best([[None, None], [0.9, None], [0.0, 0.15]], -1.0) == 2
    assert tuning._best([[None], [None]], 1.0) == 0


def test_among_means_that_differ_by_rounding_the_first_is_chosen():
    assert tuning._best([[0.7, 0.8, 0.9], [0.9, 0.8, 0.7]], 1.0) == 0
    assert tuning._best([[0.1 + 0.2], [0.3]], -1.0) == 0
    assert tuning._best([[0.3], [0.3 + 1e-9]], 1.0) == 1


def test_an_undefined_metric_is_none(data, folds):
    X, _ = data
    nothing = np.zeros((90, 2), dtype=int)
    grid = [{"value": 0.1}, {"value": 0.9}]
    found = tune(Constant(), grid, within(X, nothing, folds, Plain()), "macro_auc", Memory())
    assert found.scores == [[None] * 3] * 2
    assert found.best == 0


def test_a_path_is_used_where_there_is_one(data, folds):
    X, Y = data
    grid = [{"value": value} for value in (0.1, 0.9, 0.2)]
    Path.asked, fitter = 0, Plain()
    found = tune(Path(), grid, within(X, Y, folds, fitter), "micro_f1", Memory())
    assert (Path.asked, fitter.fits) == (len(folds), 0)
    assert found == tune(Constant(), grid, within(X, Y, folds, fitter), "micro_f1", Memory())
    assert fitter.fits == len(folds) * len(grid)


def test_a_path_that_forgets_a_point_is_an_error(data, folds):
    class Forgetful(Path):
        skipped = (1,)

    grid = [{"value": value} for value in (0.1, 0.9)]
    with pytest.raises(MethodError, match=r"Forgetful.fit_path must yield each of the 2"):
        tune(Forgetful(), grid, within(*data, folds, Plain()), "micro_f1", Memory())


class Ordered(Constant):
    """Yields its path in the order of the values; says what it has done."""

    fitted: ClassVar[list[float]] = []
    closed: ClassVar[list[bool]] = []

    def fit_path(self, X, Y, grid):
        try:
            for index in self._order(X, [point["value"] for point in grid]):
                type(self).fitted.append(grid[index]["value"])
                yield index, clone(self).set_params(**grid[index]).fit(X, Y)
        finally:
            type(self).closed.append(True)

    def _order(self, X, values):
        return sorted(range(len(values)), key=lambda i: values[i])

    def scores(self, X):
        """Predict everything, with a share of mistakes that grows with the distance from 5."""
        column = np.arange(len(X)) % 10 >= abs(self.value - 5)
        return np.column_stack([column] * self.n_labels_).astype(float)


@pytest.fixture
def ordered():
    Ordered.fitted, Ordered.closed = [], []
    return Ordered()


ONES = np.ones((90, 2), dtype=int)


@pytest.mark.parametrize("metric", ["micro_f1", "hamming_loss"])
def test_a_search_with_patience_stops_along_the_path_not_the_grid(data, folds, ordered, metric):
    X, _ = data
    grid = [{"value": value} for value in (9, 8, 7, 6, 5, 4, 3, 2)]  # 5 is best
    whole = tune(ordered, grid, within(X, ONES, folds, Plain()), metric, Memory())
    Ordered.fitted, Ordered.closed = [], []
    memory = Memory()
    found = tune(ordered, grid, within(X, ONES, folds, Plain()), metric, memory, patience=2)
    assert Ordered.fitted == [value for value in (2, 3, 4, 5, 6, 7) for _ in folds]
    assert len(Ordered.closed) == len(folds)
    assert found.stopped == {"after": 6, "of": 8, "patience": 2}
    assert found.scores == [[None] * 3] * 2 + whole.scores[2:]
    assert grid[found.best] == grid[whole.best] == {"value": 5}
    assert whole.stopped is None
    assert memory == {}


def test_patience_that_lasts_changes_nothing(data, folds):
    X, Y = data
    given = (logistic(), GRID, within(X, Y, folds, Plain(), ["standardize"]), "macro_f1", Memory())
    assert tune(*given, patience=len(GRID)) == tune(*given)


def test_a_method_without_a_path_goes_along_the_grid(data, folds):
    X, _ = data
    fitter = Plain()
    grid = [{"value": value} for value in (0.1, 0.9, 0.8, 0.7, 0.6)]
    found = tune(Constant(), grid, within(X, ONES, folds, fitter), "micro_f1", Memory(), patience=1)
    assert found.stopped == {"after": 3, "of": 5, "patience": 1}
    assert (found.best, fitter.fits) == (1, 3 * len(folds))


def test_what_was_not_reached_is_not_chosen(data, folds, ordered):
    X, _ = data
    grid = [{"value": value} for value in (20, 19, 4, 1)]  # 19 and 20 predict nothing
    found = tune(
        ordered, grid, within(X, ONES, folds, Plain()), "hamming_loss", Memory(), patience=1
    )
    assert found.scores[0] == [None] * 3
    assert grid[found.best] == {"value": 4}


def test_patience_needs_the_same_order_on_every_fold(data, folds):
    class Restless(Ordered):
        def _order(self, X, values):
            order = list(range(len(values)))
            return order if X[0, 0] != first else order[::-1]

    X, _ = data
    first = X[folds[1].train][0, 0]
    Restless.closed = []
    assert len({X[fold.train][0, 0] for fold in folds}) > 1
    grid = [{"value": value} for value in (1, 2)]
    with pytest.raises(MethodError, match=r"Restless.fit_path must yield .* in the same order"):
        tune(Restless(), grid, within(X, ONES, folds, Plain()), "micro_f1", Memory(), patience=1)
    assert len(Restless.closed) == len(folds)


@pytest.mark.parametrize("patience", [None, 9])
@pytest.mark.parametrize("order", [(0, 0, 1), (0, 1, 0), (1,), ()])
def test_each_point_comes_once(data, folds, order, patience):
    class Odd(Ordered):
        def _order(self, X, values):
            return order

    X, _ = data
    grid = [{"value": value} for value in (1, 2)]
    with pytest.raises(MethodError, match=r"Odd.fit_path must yield each of the 2 "):
        tune(Odd(), grid, within(X, ONES, folds, Plain()), "micro_f1", Memory(), patience=patience)


class CutOffError(Exception):
    pass


def test_a_search_that_is_cut_off_goes_on_where_it_was(data, folds, monkeypatch):
    X, Y = data
    monkeypatch.setattr(tuning, "_SAVE_AFTER_SECONDS", -1.0)
    model = logistic()
    whole = tune(model, GRID, within(X, Y, folds, Plain()), "macro_auc", Memory())

    class Fails(Plain):
        def fit(self, *given):
            if self.fits == 2 * len(GRID) + 1:
                raise CutOffError
            return super().fit(*given)

    memory = Memory()
    with pytest.raises(CutOffError):
        tune(model, GRID, within(X, Y, folds, Fails()), "macro_auc", memory)
    assert sorted(memory["fits"]) == ["0", "1"]
    fitter = Plain()
    assert tune(model, GRID, within(X, Y, folds, fitter), "macro_auc", memory) == whole
    assert fitter.fits == len(GRID)  # the third fold alone


def test_short_folds_are_not_written_down_one_by_one(data, folds):
    memory = Memory()
    grid = [{"value": 0.1}]
    tune(Constant(), grid, within(*data, folds, Plain()), "micro_f1", memory)
    assert memory == {}


class Reporting(Constant):
    """Converges for small values only; its gap is the value."""

    def fit(self, X, Y):
        self.fit_report_ = {"gap": self.value, "converged": self.value < 0.5}
        return super().fit(X, Y)


def test_fits_of_the_search_that_did_not_converge_are_counted(data, folds, monkeypatch):
    grid = [{"value": value} for value in (0.1, 0.7, 0.6)]
    monkeypatch.setattr(tuning, "_SAVE_AFTER_SECONDS", -1.0)
    memory = Memory()
    found = tune(Reporting(), grid, within(*data, folds, Plain()), "micro_f1", memory)
    assert found.not_converged == {"fits": 2 * 3, "of": 3 * 3, "largest_gap": 0.7}
    recalled = tune(Reporting(), grid, within(*data, folds, Plain()), "micro_f1", memory)
    assert recalled == found
    silent = tune(Constant(), grid, within(*data, folds, Plain()), "micro_f1", Memory())
    assert silent.not_converged is None


OTHERS = ("macro_auc", "hamming_loss", "brier_score", "macro_f1@sklearn")


def test_the_same_fits_are_scored_by_other_metrics(data, folds):
    given = (logistic(), GRID, within(*data, folds, (fitter := Plain()), ["standardize"]))
    found = tune(*given, "macro_f1", Memory(), also=OTHERS)
    assert fitter.fits == len(GRID) * len(folds)
    assert list(found.also) == [*OTHERS]
    for name, scores in found.also.items():
        alone = tune(*given, name, Memory()).scores
        np.testing.assert_allclose(scores, alone, rtol=5e-6)
    assert replace(found, also={}) == tune(*given, "macro_f1", Memory())


def test_what_a_search_left_out_has_no_scores_by_other_metrics(data, folds, ordered):
    grid = [{"value": value} for value in (9, 8, 7, 6, 5, 4, 3, 2)]
    given = (ordered, grid, within(data[0], ONES, folds, Plain()), "micro_f1", Memory())
    impatient = tune(*given, patience=2, also=["hamming_loss"])
    halved = tune(*given, halving=3, also=["hamming_loss"])
    for found in (impatient, halved):
        ran = [[score is not None for score in row] for row in found.scores]
        also = found.also["hamming_loss"]
        assert [[score is not None for score in row] for row in also] == ran
        assert {all(row) for row in ran} == {True, False}


def test_scores_by_other_metrics_of_finished_folds_are_kept(data, folds, monkeypatch):
    monkeypatch.setattr(tuning, "_SAVE_AFTER_SECONDS", -1.0)
    memory, search = Memory(), within(*data, folds, Plain())
    whole = tune(logistic(), GRID, search, "macro_f1", memory, also=["macro_auc"])
    memory["fits"] = json.loads(json.dumps(memory["fits"]))
    assert tune(logistic(), GRID, search, "macro_f1", memory, also=["macro_auc"]) == whole
    del memory["fits"]["2"]
    found = tune(logistic(), GRID, search, "macro_f1", memory, also=["macro_auc", "micro_auc"])
    assert found == whole, "micro AUC of the finished folds is not known"


def test_another_metric_that_fails_is_undefined(data, folds):
    @metric(greater_is_better=True, needs="labels")
    def broken(Y, scores, labels):
        raise ValueError("no")

    declare(declared_metric("mine.py:broken", broken))
    grid = [{"value": 0.1}, {"value": 0.9}]
    search = within(*data, folds, Plain())
    with pytest.warns(UserWarning, match=r"tuning: metric 'mine.py:broken' failed: ValueError: no"):
        found = tune(Constant(), grid, search, "micro_f1", Memory(), also=["mine.py:broken"])
    assert found.also == {"mine.py:broken": [[None] * 3] * 2}


def test_tasks_go_with_their_rows(data):
    X, _ = data
    tasks = np.arange(90) % 2
    y = tasks[:, None].copy()  # a task's label is its own number

    class ByTask(Constant):
        def fit(self, X, Y, tasks):
            assert (Y[:, 0] == tasks).all()
            return self

        def scores(self, X, tasks):
            return np.abs(tasks[:, None] - self.value)

    parts = tuning_folds(90, 3, (0, "d", 0), tasks)
    grid = [{"value": 1.0}, {"value": 0.0}]
    found = tune(ByTask(), grid, within(X, y, parts, Plain(), tasks=tasks), "micro_f1", Memory())
    assert found.scores == [[0.0] * 3, [1.0] * 3]
    assert found.best == 1
    held = held_out_scores(lambda: ByTask(0.0), within(X, y, parts, Plain(), tasks=tasks))
    assert (held == y).all()


def test_held_out_scores_come_from_models_that_did_not_see_the_row(data, folds):
    X, Y = data
    held = held_out_scores(logistic, within(X, Y, folds, Plain(), ["standardize"]))
    for fold in folds:
        scaler = StandardScaler().fit(X[fold.train])
        model = logistic()
        model.fit(scaler.transform(X[fold.train]), Y[fold.train])
        expected = probabilities(model, scaler.transform(X[fold.test]))
        np.testing.assert_allclose(held[fold.test], expected, atol=1e-12)


UNDEFINED = -math.inf


@pytest.mark.parametrize(
    ("most", "means", "after"),
    [
        (2, [0.1, 0.2, 0.3, 0.2, 0.1, 0.9], 5),
        (2, [0.1, 0.2, 0.2, 0.3, 0.3, 0.3, 0.9], 6),  # as good as the best is no gain
        (2, [0.1, 0.3, 0.2, 0.4, 0.3, 0.3], 6),  # a gain begins the count anew
        (1, [0.5, 0.4, 0.9], 2),
        (2, [0.30, 0.29, 0.29, 0.29, 0.4, 0.3, 0.3], 7),  # all but constant at first
        (2, [0.30, 0.29, 0.28, 0.9], 3),  # falling from the first on
        (3, [0.1, 0.2, 0.1, 0.1], None),
        (1, [0.0, 0.0, 0.0, 0.3, 0.4, 0.4], 6),  # constant at first
        (1, [UNDEFINED, UNDEFINED, 0.0, 0.0, 0.3, 0.2], 6),
        (1, [0.0, UNDEFINED, 0.0, 0.3, 0.2], 5),
        (2, [0.1, 0.3, UNDEFINED, UNDEFINED, 0.9], 4),
        (1, [UNDEFINED] * 5, None),
        (1, [0.2] * 5, None),
        (1, [-0.5, -0.2, -0.3], 3),  # a loss, its sign turned
    ],
)
def test_the_search_is_over_after_so_many_candidates(most, means, after):
    patience = Patience(most)
    over = [patience.is_over_after(mean) for mean in means]
    assert (over.index(True) + 1 if True in over else None) == after
