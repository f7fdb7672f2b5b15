from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.methods.problem_transformation.homer import HOMER

TREE = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)


@pytest.fixture
def many_labels():
    """60 rows, 11 labels of which one never occurs, and 20 new rows."""
    random = np.random.RandomState(3)
    X, new = random.randn(60, 4), random.randn(20, 4)
    Y = (X @ random.randn(4, 11) + random.randn(60, 11) > 1.2).astype(np.int64)
    Y[:, 8] = 0
    return X, Y, new


@pytest.mark.parametrize("n_clusters", [1, 3, 50])
@pytest.mark.parametrize("base", [LogisticRegression(), TREE], ids=["logistic", "tree"])
def test_one_cluster_or_one_per_label_is_binary_relevance(labelled, base, n_clusters):
    X, Y, new = labelled
    br = BinaryRelevance(base).fit(X, Y)
    model = HOMER(base, n_clusters).fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(new), br.decision_function(new))
    np.testing.assert_array_equal(model.predict(new), br.predict(new))


def test_margins_go_through_the_logistic_link(labelled):
    X, Y, new = labelled
    svm = LinearSVC(random_state=0)
    margins = BinaryRelevance(svm).fit(X, Y).decision_function(new)
    model = HOMER(svm).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(new), expit(margins), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(new), margins > 0)


def leaves(node):
    return (
        [node] if not node.children else [leaf for child in node.children for leaf in leaves(child)]
    )


def by_the_book(node, base, X, Y, x):
    """HOMER's answer for one row, from the clusters alone: label -> path, MULAN's score, said."""
    probabilities_and_labels = {}
    for child in node.children:
        has = Y[:, child.labels].any(axis=1).astype(int)
        if len(set(has)) == 2:
            own = clone(base).fit(X, has).predict_proba([x])[0, 1]
        else:
            own = float(has.max(initial=0))
        said = own >= 0.5
        if len(child.labels) == 1:
            probabilities_and_labels[child.labels[0]] = (own, own if said else 0, said)
            continue
        below = by_the_book(child, base, X[has == 1], Y[has == 1], x)
        for label, (path, mulan, inside) in below.items():
            probabilities_and_labels[label] = (own * path, mulan if said else own, said and inside)
    return probabilities_and_labels


@pytest.mark.slow
@pytest.mark.parametrize("base", [LogisticRegression(), TREE], ids=["logistic", "tree"])
@pytest.mark.parametrize("clustering", ["balanced", "centroids"])
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_labels_and_scores_are_those_of_one_row_going_down(
    many_labels, base, n_clusters, clustering
):
    X, Y, new = many_labels
    path = HOMER(base, n_clusters, clustering=clustering, random_state=1).fit(X, Y)
    mulan = clone(path).set_params(scores="mulan").fit(X, Y)
    assert any(child.children for top in path.hierarchy_.children for child in top.children)
    book = [by_the_book(path.hierarchy_, base, X, Y, x) for x in new]
    for place, model in enumerate((path, mulan)):
        right = [
            [probabilities_and_labels[label][place] for label in range(11)]
            for probabilities_and_labels in book
        ]
        seen = np.arange(11) != 8  # the label that never occurs scores 0, wherever it stands
        np.testing.assert_allclose(
            model.decision_function(new)[:, seen], np.array(right)[:, seen], atol=1e-14
        )
        said = [
            [probabilities_and_labels[label][2] for label in range(11)]
            for probabilities_and_labels in book
        ]
        np.testing.assert_array_equal(model.predict(new), said)


@pytest.mark.parametrize("clustering", ["balanced", "random"])
def test_the_hierarchy_splits_until_a_node_has_no_more_labels_than_clusters(
    many_labels, clustering
):
    X, Y, _ = many_labels
    root = HOMER("tree", 3, clustering=clustering, random_state=0).fit(X, Y).hierarchy_
    assert sorted(leaf.labels[0] for leaf in leaves(root)) == list(range(11))
    waiting = [root]
    while waiting:
        node = waiting.pop()
        below = np.concatenate([child.labels for child in node.children])
        np.testing.assert_array_equal(np.sort(below), node.labels)
        if len(node.labels) <= 3:
            assert all(len(child.labels) == 1 for child in node.children)
        largest = max(len(child.labels) for child in node.children)
        assert len(node.children) <= 3
        assert largest <= -(-len(node.labels) // 3)
        waiting += [child for child in node.children if child.children]


def test_labels_that_occur_together_are_in_one_cluster():
    random = np.random.RandomState(0)
    topic = random.randint(0, 3, 90)
    Y = (topic[:, None] == np.arange(9) % 3).astype(int)
    Y ^= random.rand(90, 9) < 0.05
    together = [
        {
            tuple(child.labels)
            for child in HOMER("tree", 3, random_state=seed)
            .fit(random.randn(90, 2), Y)
            .hierarchy_.children
        }
        for seed in range(5)
    ]
    assert {(0, 3, 6), (1, 4, 7), (2, 5, 8)} in together


def test_labels_of_similar_rows_are_in_one_cluster_even_if_they_never_occur_together():
    random = np.random.RandomState(0)
    topic = random.randint(0, 3, 120)
    X = np.eye(3)[topic] + 0.1 * random.randn(120, 3)
    label = 3 * random.randint(0, 3, 120) + topic  # one label for each row
    Y = (label[:, None] == np.arange(9)).astype(int)
    kind = HOMER("tree", 3, clustering="centroids", random_state=0)
    for features in (X, sparse.csr_matrix(X)):
        below = {tuple(child.labels) for child in kind.fit(features, Y).hierarchy_.children}
        assert below == {(0, 3, 6), (1, 4, 7), (2, 5, 8)}


def test_a_temperature_divides_logits_and_changes_no_label(many_labels):
    X, Y, new = many_labels
    seen = np.arange(11) != 8  # the label that never occurs
    flat = HOMER("logistic", 11, temperature=0.25).fit(X, Y)
    logits = HOMER("logistic", 11).fit(X, Y).decision_function(new)[:, seen]
    tempered = flat.decision_function(new)[:, seen]
    np.testing.assert_allclose(logit(tempered), 4 * logit(logits), rtol=1e-9)
    warm, cold = (
        HOMER("logistic", 3, temperature=each, random_state=0).fit(X, Y) for each in (1, 0.25)
    )
    np.testing.assert_array_equal(warm.predict(new), cold.predict(new))


def test_clusters_at_random_depend_on_the_seed_alone(many_labels):
    X, Y, _ = many_labels
    roots = [
        HOMER("tree", 3, clustering="random", random_state=seed).fit(X, labels).hierarchy_
        for seed, labels in [(0, Y), (0, Y[::-1]), (1, Y)]
    ]
    first, same, other = ([child.labels.tolist() for child in root.children] for root in roots)
    assert first == same
    assert first != other
    assert sorted(map(len, first)) == [3, 4, 4]


def test_labels_that_divide_a_node_alike_share_a_classifier(labelled):
    X, Y, new = labelled
    model = HOMER("tree", n_clusters=1).fit(X, Y[:, [0, 1, 0, 2, 1]])
    assert model.n_fits_ == 3
    scores = model.decision_function(new)
    np.testing.assert_array_equal(scores[:, [0, 1]], scores[:, [2, 4]])


@pytest.mark.slow
def test_hundreds_of_labels_make_a_hierarchy():
    random = np.random.RandomState(0)
    X, Y = random.randn(20, 2), (random.rand(20, 374) < 0.2).astype(int)
    model = HOMER({"use": "tree", "max_depth": 1}, random_state=0).fit(X, Y)
    assert len(leaves(model.hierarchy_)) == 374
    assert model.decision_function(X).shape == (20, 374)


def test_one_label_alone_is_binary_relevance_with_a_warning(labelled):
    X, Y, new = labelled
    with pytest.warns(UserWarning, match="HOMER of one label is binary relevance"):
        model = HOMER().fit(X, Y[:, :1])
    np.testing.assert_array_equal(
        model.decision_function(new), BinaryRelevance().fit(X, Y[:, :1]).decision_function(new)
    )


@pytest.mark.parametrize(
    "parameters",
    [{"n_clusters": 0}, {"scores": "votes"}, {"clustering": "even"}, {"temperature": 0}],
)
def test_impossible_parameters_are_named(labelled, parameters):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=f"HOMER: {next(iter(parameters))} must be"):
        HOMER(**parameters).fit(X, Y)
