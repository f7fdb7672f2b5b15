"""Thousands of labels: data of the shape of EUR-Lex, and what linear models over them cost.

python benchmarks many_labels
python benchmarks many_labels --full
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from ratios import Ratio, measure
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from mlbench.methods.problem_transformation.homer import HOMER
from mlbench.metrics import score
from mlbench.solvers.hinge.working_sets import squared_hinge_classifiers
from mlbench.solvers.newton.logistic import logistic_classifiers

ROWS, FEATURES, LABELS = 19_348, 5_000, 3_993
LABELS_A_ROW = 5
CLUSTERS = 100
LIBLINEAR = "-s 1 -B 1 -m 1"
WORDS = 300
"""Words of a text; about 235 of them are distinct."""
OWN_WORDS = 20
"""Words that tell of a label. A quarter of a text is drawn from those of its labels."""


def eurlex_like(
    rows: int = ROWS, features: int = FEATURES, labels: int = LABELS, seed: int = 0
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Draw texts as TF-IDF of unit length, (n, d), and their labels, (n, k) of 0 and 1.

    The r-th label has the weight 1 / (r + 10), the r-th word 1 / (r + 20). Each label occurs.
    """
    random = np.random.default_rng(seed)
    row = np.concatenate([np.arange(rows), random.integers(rows, size=rows * (LABELS_A_ROW - 1))])
    label = _ranks(random, labels, 10, row.size)
    label[random.choice(row.size, labels, replace=False)] = np.arange(labels)
    order = np.argsort(row, kind="stable")
    row, label = row[order], label[order]
    Y = np.zeros((rows, labels), dtype=np.int8)
    Y[row, label] = 1
    words = _ranks(random, features, 20, (rows, WORDS))
    vocabulary = random.permutation(features)[_ranks(random, features, 200, (labels, OWN_WORDS))]
    drawn = random.integers(np.bincount(row, minlength=rows)[:, None], size=(rows, WORDS // 4))
    telling = label[np.searchsorted(row, np.arange(rows))[:, None] + drawn]
    words[:, : WORDS // 4] = vocabulary[telling, random.integers(OWN_WORDS, size=telling.shape)]
    starts = np.arange(0, words.size + 1, WORDS)
    counts = sparse.csr_matrix((np.ones(words.size), words.ravel(), starts), (rows, features))
    counts.sum_duplicates()
    documents = np.bincount(counts.indices, minlength=features)
    counts.data = (1 + np.log(counts.data)) * np.log(rows / documents)[counts.indices]
    lengths = np.sqrt(np.add.reduceat(counts.data**2, counts.indptr[:-1]))
    counts.data /= np.repeat(lengths, np.diff(counts.indptr))
    return counts, Y


def ratios(full: bool) -> Iterator[Ratio]:
    shapes = [(6_000, 2_500, 600, 32)] + [(ROWS, FEATURES, LABELS, 64)] * full
    for rows, features, labels, chosen in shapes:
        X, Y = eurlex_like(rows, features, labels)
        if rows == ROWS:
            yield trees(X, Y)
        by_size = np.argsort(Y.sum(axis=0), kind="stable")
        Y = Y[:, by_size[labels // chosen // 2 :: labels // chosen][:chosen]]
        size = f"{rows} x {features}, {chosen} of {labels} labels"
        yield measure(
            f"linear SVM, {size}",
            "scikit-learn, a loop over labels",
            lambda X=X, Y=Y: hinge_objectives(X, Y, squared_hinge_classifiers(X, Y, 1.0)[:2]),
            lambda X=X, Y=Y: hinge_objectives(X, Y, loop(LinearSVC(), X, Y)),
            above_the_other,
        )
        yield measure(
            f"logistic regression, {size}",
            "scikit-learn, a loop over labels",
            lambda X=X, Y=Y: log_objectives(X, Y, logistic_classifiers(X, Y, 1.0)[:2]),
            lambda X=X, Y=Y: log_objectives(X, Y, loop(LogisticRegression(), X, Y)),
            above_the_other,
        )
        yield measure(
            f"linear SVM to a gap of 1e-3, {size}",
            "LibMultiLabel, one against the rest",
            lambda X=X, Y=Y: hinge_objectives(
                X, Y, squared_hinge_classifiers(X, Y, 1.0, tolerance=1e-3)[:2]
            ),
            lambda X=X, Y=Y: hinge_objectives(X, Y, one_against_the_rest(X, Y)),
            above_the_other,
        )


def trees(X, Y):
    test = len(Y) // 5
    parts = (X[test:], Y[test:]), (X[:test], Y[:test])
    return measure(
        f"label tree, {len(parts[0][1])} x {X.shape[1]}, {Y.shape[1]} labels",
        "LibMultiLabel, tree",
        lambda: homer(*parts),
        lambda: tree(*parts),
        beside_the_other,
    )


def loop(model, X, Y):
    fitted = [clone(model).fit(X, y) for y in Y.T]
    return np.vstack([each.coef_ for each in fitted]), np.hstack([e.intercept_ for e in fitted])


def one_against_the_rest(X, Y):
    """Fit LibMultiLabel's linear models, on one thread."""
    from libmultilabel import linear

    model = linear.train_1vsrest(sparse.csr_matrix(Y), X, options=LIBLINEAR, verbose=False)
    weights = np.asarray(model.weights).T
    return weights[:, :-1], weights[:, -1]


def tree(train, test):
    """Return the precision of LibMultiLabel's label tree at 1 and 5."""
    from libmultilabel import linear

    (X, Y), (X_test, Y_test) = train, test
    model = linear.train_tree(sparse.csr_matrix(Y), X, LIBLINEAR, K=CLUSTERS, verbose=False)
    return precision(Y_test, model.predict_values(X_test))


def homer(train, test):
    """Return the precision of HOMER with such a tree at 1 and 5."""
    (X, Y), (X_test, Y_test) = train, test
    model = HOMER(
        base="linear_svc",
        clustering="centroids",
        n_clusters=CLUSTERS,
        temperature=1 / 3,
        random_state=0,
    )
    return precision(Y_test, model.fit(X, Y).decision_function(X_test))


def precision(Y, scores):
    return np.array([score(f"precision_at_{k}", Y, scores, None) for k in (1, 5)])


def hinge_objectives(X, Y, model):
    """Return the objective of each label; LIBLINEAR penalizes the intercept, too."""
    w, b = model
    short = np.maximum(0, 1 - (2 * Y - 1.0) * (X @ w.T + b))
    return ((w**2).sum(axis=1) + b**2) / 2 + (short**2).sum(axis=0)


def log_objectives(X, Y, model):
    w, b = model
    margins = (2 * Y - 1.0) * (X @ w.T + b)
    return (w**2).sum(axis=1) / 2 + np.logaddexp(0, -margins).sum(axis=0)


def above_the_other(ours, theirs) -> str:
    gap = ours / theirs - 1
    return f"objectives {gap.min():.0e} to {gap.max():.0e} above its"


def beside_the_other(ours, theirs) -> str:
    (one, five), (its_one, its_five) = 100 * ours, 100 * theirs
    return f"P@1 {one:.1f} and {its_one:.1f}, P@5 {five:.1f} and {its_five:.1f}"


def _ranks(random: np.random.Generator, n: int, offset: int, size: int | tuple[int, int]):
    """Draw ranks from 0 to n - 1 with weights 1 / (rank + offset)."""
    weights = np.cumsum(1 / (np.arange(n) + offset))
    return np.searchsorted(weights, random.random(size) * weights[-1], side="right")
