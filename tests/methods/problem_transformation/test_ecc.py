from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.methods.problem_transformation.ecc import EnsembleOfClassifierChains

ECC = EnsembleOfClassifierChains
PLAIN = {"n_chains": 1, "order": "natural", "sampling": None}


def test_one_plain_chain_is_the_chain_of_scikit_learn(labelled):
    X, Y, new = labelled
    theirs = ClassifierChain(LogisticRegression()).fit(X, Y)
    ours = ECC(LogisticRegression(), **PLAIN).fit(X, Y)
    np.testing.assert_array_equal(ours.decision_function(new), theirs.predict_proba(new))
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))


def test_margins_go_through_the_logistic_link(labelled):
    X, Y, new = labelled
    theirs = ClassifierChain(LinearSVC(random_state=0)).fit(X, Y)
    ours = ECC(LinearSVC(random_state=0), **PLAIN).fit(X, Y)
    np.testing.assert_allclose(
        ours.decision_function(new), expit(theirs.decision_function(new)), rtol=1e-12
    )
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))


def by_the_book(model, base, X, Y, new):
    """ECC in plain loops over chains, rows and labels; the chains' draws are the model's."""
    probabilities, votes = np.zeros((len(new), 3)), np.zeros((len(new), 3))
    for chain in model.members_:
        rows = np.arange(len(X)) if chain.rows is None else chain.rows
        before = []
        said = np.zeros((len(new), 3))
        for label in chain.order:
            learner = clone(base).fit(np.hstack([X, Y[:, sorted(before)]])[rows], Y[rows, label])
            for row, x in enumerate(new):
                features = [*x, *said[row, sorted(before)]]
                chance = learner.predict_proba([features])[0, 1]
                probabilities[row, label] += chance
                said[row, label] = chance >= 0.5
            before.append(label)
        votes += said
    return probabilities / len(model.members_), votes / len(model.members_)


@pytest.mark.parametrize("sampling", ["bag", "subsample", None])
def test_scores_are_those_of_plain_loops(labelled, sampling):
    X, Y, new = labelled
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    model = ECC(tree, n_chains=3, sampling=sampling, random_state=1).fit(X, Y)
    probabilities, votes = by_the_book(model, tree, X, Y, new)
    np.testing.assert_allclose(model.decision_function(new), probabilities, atol=1e-15)
    np.testing.assert_array_equal(model.predict(new), model.decision_function(new) >= 0.5)
    model = model.set_params(scores="votes").fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(new), votes)
    np.testing.assert_array_equal(model.predict(new), votes >= 0.5)


def test_the_first_label_of_a_chain_is_binary_relevance(labelled):
    X, Y, new = labelled
    model = ECC(n_chains=5, random_state=0).fit(X, Y)
    for chain in model.members_:
        first = chain.order[0]
        alone = BinaryRelevance().fit(X[chain.rows], Y[chain.rows][:, [first]])
        np.testing.assert_array_equal(
            chain.probabilities_and_labels(new)[0][:, [first]], alone.decision_function(new)
        )


def test_rows_are_drawn_as_said(labelled):
    X, Y, _ = labelled
    bags, samples, whole = (
        [chain.rows for chain in ECC("tree", n_chains=4, sampling=kind).fit(X, Y).members_]
        for kind in ("bag", "subsample", None)
    )
    assert [len(rows) for rows in bags] == [60] * 4
    assert all(30 <= len(set(rows)) <= 48 for rows in bags)  # 38 expected
    assert [len(set(rows)) for rows in samples] == [len(rows) for rows in samples] == [40] * 4
    assert whole == [None] * 4
    for drawn in (bags, samples):
        assert len({tuple(rows) for rows in drawn}) == 4


def test_a_chain_depends_on_the_seed_and_its_number_only(labelled):
    X, Y, _ = labelled
    few, many, other = (
        ECC("tree", n_chains=n, random_state=seed).fit(X, Y).members_
        for n, seed in ((2, 5), (9, 5), (9, 6))
    )
    for one, same in zip(few, many, strict=False):
        np.testing.assert_array_equal(one.order, same.order)
        np.testing.assert_array_equal(one.rows, same.rows)
    assert any((one.rows != same.rows).any() for one, same in zip(many, other, strict=True))
    assert len({tuple(chain.order) for chain in many}) > 1


def test_chains_share_labels_that_come_after_the_same_labels(labelled):
    X, Y, _ = labelled
    model = ECC("tree", n_chains=10, sampling=None, random_state=0).fit(X, Y)
    problems = {
        (frozenset(chain.order[:place]), label)
        for chain in model.members_
        for place, label in enumerate(chain.order)
    }
    assert model.n_fits_ == len(problems) < 30
    assert ECC("tree", n_chains=3, random_state=0).fit(X, Y).n_fits_ == 9


def test_copies_of_a_label_pose_one_problem(labelled):
    X, Y, _ = labelled
    chains = {"n_chains": 30, "sampling": None, "random_state": 0}
    model = ECC("tree", **chains).fit(X, Y[:, [0, 1, 0]])
    # Before label 1: nothing, one copy of 0, or both. Before a copy: nothing, the other copy,
    # label 1, or both.
    assert model.n_fits_ == 3 + 4


def test_a_label_of_one_class_in_a_sample_is_that_class_there(labelled):
    X, Y, new = labelled
    Y[:, 1] = 0
    Y[7, 1] = 1
    model = ECC(n_chains=8, scores="votes", random_state=0).fit(X, Y)
    without = [chain for chain in model.members_ if 7 not in chain.rows]
    assert 0 < len(without) < 8
    for chain in without:
        assert (chain.probabilities_and_labels(new)[0][:, 1] == 0).all()


def test_a_sparse_X_stays_sparse(labelled, monkeypatch):
    X, Y, new = labelled
    forms = []
    fit = DecisionTreeClassifier.fit
    monkeypatch.setattr(
        DecisionTreeClassifier, "fit", lambda self, X, y: forms.append(type(X)) or fit(self, X, y)
    )
    ECC("tree", n_chains=2).fit(sparse.csr_matrix(X), Y).predict(sparse.csr_matrix(new))
    assert all(issubclass(form, sparse.csr_matrix) for form in forms)


@pytest.mark.slow
def test_hundreds_of_labels_make_a_chain():
    random = np.random.RandomState(0)
    X, Y = random.randn(12, 2), random.randint(0, 2, (12, 374))
    model = ECC({"use": "tree", "max_depth": 1}, n_chains=1, random_state=0).fit(X, Y)
    assert sorted(model.members_[0].order) == list(range(374))
    assert model.decision_function(X).shape == (12, 374)


def test_one_fit_and_one_prediction_serve_every_number_of_chains(labelled, monkeypatch):
    X, Y, new = labelled
    calls = []
    probabilities = LogisticRegression.predict_proba
    monkeypatch.setattr(
        LogisticRegression,
        "predict_proba",
        lambda self, X: calls.append(1) or probabilities(self, X),
    )
    grid = [{"n_chains": n, "scores": kind} for n in (2, 5, 3) for kind in ("votes", "probability")]
    models = dict(ECC(random_state=0).fit_path(X, Y, grid))
    for model in models.values():
        model.decision_function(new)
    assert len(calls) == 5 * 3
    assert models[0].members_ == models[2].members_[:2]
    for index, point in enumerate(grid):
        alone = ECC(random_state=0, **point).fit(X, Y)
        np.testing.assert_array_equal(
            models[index].decision_function(new), alone.decision_function(new)
        )


def test_a_path_keeps_other_parameters_apart(labelled):
    X, Y, new = labelled
    grid = [{"base__C": C, "n_chains": n} for C in (0.01, 10.0) for n in (1, 2)]
    for index, model in ECC(LogisticRegression(), random_state=0).fit_path(X, Y, grid):
        alone = ECC(LogisticRegression(), random_state=0).set_params(**grid[index]).fit(X, Y)
        np.testing.assert_array_equal(model.decision_function(new), alone.decision_function(new))


@pytest.mark.parametrize(
    "parameters",
    [{"n_chains": 0}, {"order": "sorted"}, {"sampling": "half"}, {"scores": "marginal"}],
)
def test_impossible_parameters_are_named(labelled, parameters):
    X, Y, _ = labelled
    name = next(iter(parameters))
    with pytest.raises(MethodError, match=f"EnsembleOfClassifierChains: {name} must be"):
        ECC(**parameters).fit(X, Y)
