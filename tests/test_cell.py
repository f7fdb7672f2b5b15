from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, hamming_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlbench.cell import Recipe, Work, run_cell
from mlbench.config import Experiment
from mlbench.data import Dataset
from mlbench.errors import MethodError
from mlbench.hashing import canonical_json
from mlbench.plan import DatasetFacts, make_plan
from mlbench.protocol.splits import make_split, tuning_folds
from mlbench.protocol.thresholds import best_f1_cut

BR = {"use": "br", "solver": "liblinear", "tune": {"C": [0.001, 0.1, 10.0]}}
POLICIES = ["train_f1_global", "train_f1_label", "cv_f1_label"]


class Nowhere:
    """A checkpoint that keeps nothing."""

    def load(self, name):
        return None

    def save(self, name, value):
        pass


def make_dataset(n=120, k=3, seed=0, **more):
    random = np.random.RandomState(seed)
    X = random.randn(n, 5) * [1, 1, 1, 1, 30] + 2
    Y = ((X[:, :4] - 2) @ random.randn(4, k) + 2 * random.randn(n, k) > 0).astype(np.int64)
    names = tuple(f"y{j}" for j in range(k))
    return Dataset("digits", X, Y, names, tuple("abcde"), **more)


def cells(dataset, method, folder=".", others=(), reference="digits", **protocol):
    """Plan the cells of a method, and of others, on a data set that is called `digits`."""
    splits = {"train": 0.6, "repeats": 3, "seed": 7}
    experiment = Experiment.model_validate(
        {
            "name": "x",
            "datasets": [reference],
            "methods": {"A": method, **dict(others)},
            "protocol": {"splits": splits, "tuning": {"folds": 3}, **protocol},
        }
    )
    facts = DatasetFacts(
        fingerprint=dataset.fingerprint,
        n_samples=dataset.n_samples,
        n_features=dataset.n_features,
        n_labels=dataset.n_labels,
        n_tasks=len(dataset.task_names),
        has_published_split=dataset.published_train is not None,
    )
    (named,) = experiment.datasets
    return make_plan(experiment, folder, {named.display: facts}).cells


class Memory(dict):
    """A checkpoint that keeps values as JSON keeps them."""

    def load(self, name):
        return self.get(name)

    def save(self, name, value):
        self[name] = json.loads(json.dumps(value))


def run(cell, dataset, searches=None):
    recipe = Recipe(cell.use, cell.params, cell.folder)
    shared = searches if cell.shares_search else None
    return run_cell(Work(cell.identity, recipe, dataset), Nowhere(), shared)


def split_of(dataset, index=0):
    spec = {"kind": "random", "train": 0.6, "test": None, "seed": 7, "index": index}
    return make_split(spec, dataset.n_samples, "digits", dataset.tasks)


def without_times(result):
    """Return the result as one text, bit for bit."""
    predictions = {name: array.tolist() for name, array in result.predictions.items()}
    plain = [result.metrics, result.counts, result.params, result.tuning, result.cuts, predictions]
    return canonical_json(plain)


def positive(probabilities):
    return np.column_stack([p[:, 1] for p in probabilities])


def test_a_cell_equals_a_pipeline_of_scikit_learn():
    dataset = make_dataset()
    cell = cells(
        dataset, BR, preprocess="standardize", tuning={"folds": 3, "select": "macro_f1@sklearn"}
    )[1]
    result = run(cell, dataset)

    split = split_of(dataset, 1)
    X, Y = dataset.X[split.train], dataset.Y[split.train]
    X_test, Y_test = dataset.X[split.test], dataset.Y[split.test]
    folds = tuning_folds(len(X), 3, (7, "digits", 1))
    search = GridSearchCV(
        make_pipeline(
            StandardScaler(), MultiOutputClassifier(LogisticRegression(solver="liblinear"))
        ),
        {"multioutputclassifier__estimator__C": BR["tune"]["C"]},
        scoring="f1_macro",
        cv=[(fold.train, fold.test) for fold in folds],
    ).fit(X, Y)
    curve = [
        [search.cv_results_[f"split{fold}_test_score"][i] for fold in range(3)] for i in range(3)
    ]
    np.testing.assert_allclose(result.tuning["scores"], curve, atol=1e-12)
    assert result.params == {"C": search.best_params_["multioutputclassifier__estimator__C"]}
    assert result.tuning["best"] == search.best_index_
    assert result.tuning["split"] == 1

    scores, labels = positive(search.predict_proba(X_test)), search.predict(X_test)
    np.testing.assert_array_equal(result.predictions["rows"], split.test)
    np.testing.assert_allclose(result.predictions["scores"], scores, atol=1e-12)
    np.testing.assert_array_equal(result.predictions["labels"], labels)
    for name, value in {
        "macro_f1@sklearn": f1_score(Y_test, labels, average="macro"),
        "micro_f1": f1_score(Y_test, labels, average="micro"),
        "macro_auc": roc_auc_score(Y_test, scores, average="macro"),
        "hamming_loss": hamming_loss(Y_test, labels),
    }.items():
        assert result.metrics[name] == pytest.approx(value, abs=1e-12)
    assert (result.counts["train_samples"], result.counts["test_samples"]) == (72, 48)
    assert result.cuts is None


@pytest.mark.parametrize(
    "threshold", ["native", "train_f1_global", "train_f1_label", "cv_f1_label"]
)
@pytest.mark.parametrize("scope", ["every-split", "first-split"])
def test_nothing_of_the_test_part_reaches_parameters_or_cuts(threshold, scope):
    dataset = make_dataset()
    settings = {"preprocess": "standardize", "threshold": threshold}
    cell = cells(dataset, BR, **settings, tuning={"folds": 3, "scope": scope})[0]
    honest = run(cell, dataset)
    test = split_of(dataset).test

    Y = dataset.Y.copy()
    Y[test] = 1 - Y[test]
    other_labels = run(cell, replace(dataset, Y=Y))
    X = dataset.X.copy()
    X[test] = 1e3 * X[test] - 5
    other_rows = run(cell, replace(dataset, X=X))

    for other in (other_labels, other_rows):
        assert other.tuning == honest.tuning
        assert other.params == honest.params
        assert other.cuts == honest.cuts
    np.testing.assert_array_equal(other_labels.predictions["scores"], honest.predictions["scores"])
    np.testing.assert_array_equal(other_labels.predictions["labels"], honest.predictions["labels"])
    assert other_labels.metrics["hamming_loss"] == pytest.approx(1 - honest.metrics["hamming_loss"])


def test_training_rows_do_reach_them():
    dataset = make_dataset()
    cell = cells(dataset, BR, threshold="train_f1_label")[0]
    Y = dataset.Y.copy()
    train = split_of(dataset).train
    Y[train] = 1 - Y[train]
    assert run(cell, replace(dataset, Y=Y)).cuts != run(cell, dataset).cuts


def fitted(X, Y, C=1.0):
    return MultiOutputClassifier(LogisticRegression(C=C, solver="liblinear")).fit(X, Y)


@pytest.mark.parametrize("policy", POLICIES)
def test_cuts_come_from_training_scores_or_from_held_out_ones(policy):
    dataset = make_dataset()
    cell = cells(dataset, {"use": "br", "solver": "liblinear"}, threshold=policy)[0]
    result = run(cell, dataset)

    split = split_of(dataset)
    X, Y = dataset.X[split.train], dataset.Y[split.train]
    scores = positive(fitted(X, Y).predict_proba(X))
    if policy == "cv_f1_label":
        for fold in tuning_folds(len(X), 3, (7, "digits", 0)):
            model = fitted(X[fold.train], Y[fold.train])
            scores[fold.test] = positive(model.predict_proba(X[fold.test]))
    if policy == "train_f1_global":
        cuts = [best_f1_cut(Y.ravel(), scores.ravel())] * 3
    else:
        cuts = [best_f1_cut(Y[:, j], scores[:, j]) for j in range(3)]
    np.testing.assert_allclose(result.cuts, cuts, atol=1e-12)
    predicted = result.predictions
    np.testing.assert_array_equal(predicted["labels"], predicted["scores"] > result.cuts)
    assert "threshold" in result.seconds


def test_a_search_that_is_recalled_gives_what_one_done_again_gives():
    dataset = make_dataset()
    tuning = {"folds": 3, "scope": "first-split"}
    first, second, _ = cells(dataset, BR, threshold="cv_f1_label", tuning=tuning)
    searches = Memory()
    kept = run(first, dataset, searches).tuning
    assert list(searches.values()) == [kept]
    recalled = run(second, dataset, searches)
    again = run(second, dataset)
    assert without_times(recalled) == without_times(again)
    assert recalled.tuning["split"] == 0
    ((name, _),) = searches.items()
    other = (kept["best"] + 1) % 3
    shared = Memory({name: {**kept, "best": other}})
    assert run(second, dataset, shared).params == kept["grid"][other]

    own = run(cells(dataset, BR)[1], dataset, searches)
    assert own.tuning["split"] == 1
    assert own.tuning["scores"] != kept["scores"]
    assert len(searches) == 1, "a search of one split alone is not shared"


@pytest.mark.parametrize("scope", ["every-split", "first-split"])
def test_methods_that_differ_in_their_cuts_share_the_search(scope):
    dataset = make_dataset()
    others = {"B": {**BR, "threshold": "train_f1_label"}, "C": {**BR, "select": "micro_auc"}}
    tuning = {"folds": 3, "scope": scope}
    planned = {
        (cell.method, cell.split): cell for cell in cells(dataset, BR, others=others, tuning=tuning)
    }
    searches = Memory()
    native = run(planned["A", 1], dataset, searches)
    ((name, kept),) = searches.items()
    cut = run(planned["B", 1], dataset, searches)
    assert cut.tuning == native.tuning == kept
    assert cut.params == native.params
    assert without_times(cut) == without_times(run(planned["B", 1], dataset))

    other = (kept["best"] + 1) % 3
    changed = Memory({name: {**kept, "best": other}})
    assert run(planned["B", 1], dataset, changed).params == kept["grid"][other]
    run(planned["C", 1], dataset, changed)
    assert len(changed) == (2 if scope == "first-split" else 1)  # C's splits share, or are alone
    assert changed[name]["best"] == other


RANDOM = {
    "use": "br",
    "base": {"use": "forest", "n_estimators": 3},
    "tune": {"max_features": [1, 2]},
}
RANDOM_BASES = {
    "use": "br",
    "tune": {"base": [{"use": "forest", "n_estimators": 3}, {"use": "tree", "max_features": 1}]},
}


@pytest.mark.parametrize("method", [BR, RANDOM, RANDOM_BASES, {"use": "mlknn"}])
def test_the_same_cell_gives_the_same_bits(method):
    dataset = make_dataset(n=60)
    cell = cells(dataset, method, threshold="cv_f1_label")[0]
    np.random.seed(1)
    first = without_times(run(cell, dataset))
    np.random.seed(2)
    assert without_times(run(cell, dataset)) == first


def test_random_numbers_differ_from_split_to_split_and_from_seed_to_seed():
    dataset = make_dataset(n=60)
    dataset = replace(dataset, published_train=split_of(dataset).train)

    def scores(seed):
        splits = {"kind": "published", "seed": seed}
        forest = {"use": "br", "base": {"use": "forest", "n_estimators": 3}}
        return run(cells(dataset, forest, splits=splits)[0], dataset).predictions["scores"]

    assert (scores(1) == scores(1)).all()
    assert (scores(1) != scores(2)).any()


def test_the_published_split_is_used():
    published = np.arange(0, 120, 2)
    dataset = make_dataset(published_train=published)
    cell = cells(dataset, {"use": "mlknn"}, splits={"kind": "published"})[0]
    assert run(cell, dataset).predictions["rows"].tolist() == list(range(1, 120, 2))


def test_sparse_features_give_what_dense_ones_give():
    dataset = make_dataset()
    X = np.where(dataset.X > 1, dataset.X, 0)
    results = [
        run(cells(data, BR, preprocess="minmax", threshold="cv_f1_label")[0], data)
        for data in (replace(dataset, X=form(X)) for form in (np.array, sparse.csr_matrix))
    ]
    dense, thin = results
    # features begin at 0, so that both kinds of scaling agree
    np.testing.assert_allclose(thin.tuning["scores"], dense.tuning["scores"], atol=1e-9)
    np.testing.assert_allclose(thin.predictions["scores"], dense.predictions["scores"], atol=1e-6)


def test_features_made_dense_serve_a_method_that_takes_no_sparse_ones():
    dataset = make_dataset()
    thin = replace(dataset, X=sparse.csr_matrix(dataset.X))
    method = {"use": "br", "base": "naive_bayes"}
    with pytest.raises(TypeError, match="dense data is required"):
        run(cells(thin, method)[0], thin)
    result = run(cells(thin, method, preprocess="dense")[0], thin)
    expected = run(cells(dataset, method)[0], dataset)
    np.testing.assert_array_equal(result.predictions["scores"], expected.predictions["scores"])


def test_every_task_has_its_own_model_and_plays_the_part_of_a_label():
    random = np.random.RandomState(1)
    tasks = random.permutation(np.repeat([0, 1, 2], [30, 40, 50]))
    X = random.randn(120, 5)
    y = (X[:, 0] * (tasks - 1) + 0.5 * random.randn(120) > 0).astype(np.int64)
    dataset = Dataset(
        "digits", X, y[:, None], ("y",), tuple("abcde"), tasks=tasks, task_names=tuple("rst")
    )
    cell = cells(dataset, {"use": "br", "solver": "liblinear", "tune": {"C": [0.01, 1.0]}})[0]
    result = run(cell, dataset)
    split = split_of(dataset)
    aucs = []
    for task in range(3):
        train, test = (rows[tasks[rows] == task] for rows in (split.train, split.test))
        model = LogisticRegression(C=result.params["C"], solver="liblinear").fit(X[train], y[train])
        scores = model.predict_proba(X[test])[:, 1]
        ours = result.predictions["scores"][np.isin(split.test, test), 0]
        np.testing.assert_allclose(ours, scores, atol=1e-12)
        aucs.append(roc_auc_score(y[test], scores))
    assert result.metrics["macro_auc"] == pytest.approx(np.mean(aucs), abs=1e-12)
    assert result.metrics["subset_accuracy"] is None
    assert result.counts["labels"] == 3


SKEWED = {"use": "digits", "imbalance": {"ratio": 5}}
REMEMBERS = """
import numpy as np
from sklearn.base import BaseEstimator

class Remembers(BaseEstimator):
    seen = []  # for every prediction, how many of its rows the model was fitted on

    def __init__(self, width=1):
        self.width = width

    def fit(self, X, Y, tasks):
        self.rows_ = {row.tobytes() for row in X}
        return self

    def decision_function(self, X, tasks):
        self.seen.append(sum(row.tobytes() in self.rows_ for row in X))
        return X[:, :1]

    def predict(self, X, tasks):
        return (X[:, :1] > 0).astype(int)
"""


@pytest.mark.parametrize("scope", ["every-split", "first-split"])
def test_no_row_is_drawn_for_both_sides_of_a_division(tmp_path, scope):
    """Neither fold nor test part holds a twin of a row that its model was fitted on."""
    (tmp_path / "own.py").write_text(REMEMBERS)
    dataset = make_dataset()
    method = {"use": "own.py:Remembers", "tune": {"width": [1, 2]}}
    settings = {"threshold": "cv_f1_label", "tuning": {"folds": 3, "scope": scope}}
    cell = cells(dataset, method, tmp_path, reference=SKEWED, **settings)[1]
    result = run(cell, dataset)
    model = Recipe(cell.use, cell.params, cell.folder).make()
    assert model.seen == [0] * (2 * 3 + 1 + 3)  # candidates on folds, the test part, cuts
    rows = result.predictions["rows"]
    assert len(set(rows)) < len(rows) / 3, "there are twins to be kept together"


def test_an_imbalanced_cell_draws_both_parts_with_the_ratio_and_scores_its_tasks():
    dataset = make_dataset()
    cell = cells(dataset, {"use": "br", "solver": "liblinear"}, reference=SKEWED)[0]
    result = run(cell, dataset)
    split = split_of(dataset)
    rows, tasks = result.predictions["rows"], result.predictions["tasks"]
    assert set(rows) <= set(split.test)
    y = dataset.Y[rows, tasks]
    assert np.bincount(tasks).tolist() == [48] * 3
    assert np.bincount(tasks, weights=y).tolist() == [8] * 3
    assert (result.counts["train_samples"], result.counts["test_samples"]) == (3 * 72, 3 * 48)

    train = Work(cell.identity, Recipe(cell.use, cell.params, cell.folder), dataset).part(
        0, "train"
    )
    assert set(train.rows) <= set(split.train)
    assert np.bincount(train.tasks, weights=train.Y[:, 0]).tolist() == [12] * 3
    aucs, f1s = [], []
    for task in range(3):
        here, there = train.tasks == task, tasks == task
        model = LogisticRegression(solver="liblinear").fit(train.X[here], train.Y[here, 0])
        scores = model.predict_proba(dataset.X[rows[there]])[:, 1]
        np.testing.assert_allclose(result.predictions["scores"][there, 0], scores, atol=1e-12)
        aucs.append(roc_auc_score(y[there], scores))
        f1s.append(f1_score(y[there], scores > 0.5))
    assert result.metrics["macro_auc"] == pytest.approx(np.mean(aucs), abs=1e-12)
    assert result.metrics["macro_f1@sklearn"] == pytest.approx(np.mean(f1s), abs=1e-12)
    labels = result.predictions["labels"][:, 0]
    assert result.metrics["micro_f1"] == pytest.approx(f1_score(y, labels), abs=1e-12)


def test_all_methods_get_the_same_draws_and_test_labels_do_not_reach_training():
    dataset = make_dataset()
    first, second = (
        run(cells(dataset, method, reference=SKEWED)[1], dataset).predictions
        for method in ({"use": "br"}, {"use": "br", "base": "tree"})
    )
    np.testing.assert_array_equal(first["rows"], second["rows"])
    np.testing.assert_array_equal(first["tasks"], second["tasks"])

    cell = cells(dataset, BR, reference=SKEWED, threshold="cv_f1_label")[0]
    Y = dataset.Y.copy()
    test = split_of(dataset).test
    Y[test] = 1 - Y[test]
    honest, other = run(cell, dataset), run(cell, replace(dataset, Y=Y))
    assert (other.tuning, other.cuts) == (honest.tuning, honest.cuts)


def test_labels_of_one_class_are_counted_and_left_out_of_means():
    dataset = make_dataset(k=4)
    split, Y = split_of(dataset), dataset.Y.copy()
    Y[split.train, 0] = 0
    Y[split.train, 1] = 1
    Y[split.test, 2] = 0
    result = run(cells(dataset, {"use": "mlknn"})[0], replace(dataset, Y=Y))
    counts = result.counts
    assert counts["train_labels_without_positives"] == 1
    assert counts["train_labels_without_negatives"] == 1
    assert counts["labels_without_positives"] == 1
    assert (counts["labels"], counts["labels_scored_auc"]) == (4, 3)
    scores = result.predictions["scores"]
    aucs = [roc_auc_score(Y[split.test, j], scores[:, j]) for j in (0, 1, 3)]
    assert result.metrics["macro_auc"] == pytest.approx(np.mean(aucs), abs=1e-12)


def test_tasks_of_one_class_are_counted():
    tasks = np.arange(120) % 3
    dataset = make_dataset(k=1, tasks=tasks, task_names=tuple("rst"))
    Y = dataset.Y.copy()
    train = split_of(dataset).train
    Y[train[tasks[train] == 0]] = 0
    Y[train[tasks[train] == 1]] = 1
    counts = run(cells(dataset, {"use": "br"})[0], replace(dataset, Y=Y)).counts
    assert counts["train_labels_without_positives"] == 1
    assert counts["train_labels_without_negatives"] == 1


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
from mlbench.methods.br import BinaryRelevance

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
    assert result.tuning["not_converged"] == {"fits": 6, "of": 6, "largest_gap": 0.25}
    assert run(cells(dataset, BR)[0], dataset).fit is None


def test_a_search_with_patience_says_where_it_stopped():
    dataset = make_dataset(n=60)
    grid = {"C": [10.0, 1.0, 0.1, 0.01, 0.001, 1e-4, 1e-5]}
    method = {**BR, "tune": grid}
    whole, stopped = (
        run(cells(dataset, method, tuning={"folds": 3, **patience})[0], dataset).tuning
        for patience in ({}, {"patience": 1})
    )
    after = stopped["stopped"]["after"]
    assert stopped["stopped"] == {"after": after, "of": 7, "patience": 1}
    assert 2 <= after < 7
    assert stopped["scores"] == whole["scores"][:after] + [[None] * 3] * (7 - after)
    assert whole["stopped"] is None


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


def test_a_result_is_plain(tmp_path):
    dataset = make_dataset()
    Y = dataset.Y.copy()
    Y[:, 0], Y[:, 1] = 0, 1  # their cuts are infinite
    result = run(cells(dataset, BR, threshold="train_f1_label")[0], replace(dataset, Y=Y))
    assert result.cuts[:2] == ["inf", "-inf"]
    canonical_json(
        [result.metrics, result.counts, result.params, result.tuning, result.cuts, result.seconds]
    )
    assert {"macro_f1", "macro_f1@mulan", "micro_auc"} <= set(result.metrics)
    assert set(result.seconds) == {"tune", "fit", "predict", "threshold"}
