"""One classifier chain against scikit-learn's ClassifierChain, on the same data and base learners.

Both fit one chain in the order of the labels on all rows, and their probabilities are equal (not
for trees, where probabilities of 1/2 are a 1 here and a 0 there). A label depends on some features
and on the label before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from ratios import Ratio, equal_within, measure
from scipy import sparse
from sklearn.base import clone
from sklearn.multioutput import ClassifierChain

from mlbench.methods.base_learners import make_base
from mlbench.methods.problem_transformation.ecc import EnsembleOfClassifierChains

SHORT = (
    ("dense", 6, "logistic"),
    ("dense", 6, "tree"),
    ("dense", 100, "naive_bayes"),
    ("sparse", 100, "multinomial_nb"),
)
FULL = (
    *product(["dense"], [6, 100], ["logistic", "naive_bayes", "multinomial_nb", "tree"]),
    *product(["sparse"], [6, 100], ["logistic", "multinomial_nb", "tree"]),
    *product(["dense"], [800], ["naive_bayes", "multinomial_nb"]),
    ("sparse", 800, "multinomial_nb"),
)


def data(kind: str, n_labels: int, seed: int = 0):
    """Draw 500 x 100 dense features, or 1,000 x 5,000 with 1 % nonzero; and labels."""
    random = np.random.default_rng(seed)
    if kind == "dense":
        X = random.random((500, 100))
    else:
        X = sparse.random(1000, 5000, 0.01, "csr", random_state=random)
    evidence = X[:, : n_labels % 97 + 3] @ random.standard_normal((n_labels % 97 + 3, n_labels))
    evidence += 0.5 * evidence.std(axis=0) * random.standard_normal(evidence.shape)
    ranks = evidence.argsort(axis=0).argsort(axis=0) / len(evidence)
    Y = ranks > random.uniform(0.6, 0.95, n_labels)
    Y[:2] = [[True], [False]]
    Y[:, 1:] |= Y[:, :-1] & (random.random(Y[:, 1:].shape) < 0.3)
    return X, Y.astype(np.int64)


def ratios(full: bool) -> Iterator[Ratio]:
    for kind, n_labels, base in FULL if full else SHORT:
        yield from of_chain(kind, n_labels, base)


def of_chain(kind: str, n_labels: int, base: str) -> Iterator[Ratio]:
    X, Y = data(kind, n_labels)
    learner = make_base(base)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    ours = EnsembleOfClassifierChains(learner, n_chains=1, order="natural", sampling=None)
    theirs = ClassifierChain(learner)
    what = f"one chain, {kind}, {n_labels} labels, {base}"
    against = "scikit-learn, `ClassifierChain`"
    yield measure(
        f"{what}: fit", against, lambda: clone(ours).fit(X, Y), lambda: clone(theirs).fit(X, Y)
    )
    ours.fit(X, Y)
    theirs.fit(X, Y)
    new = X[::-1]  # ours keeps the scores of the latest rows

    def chances(predict):
        return [predict(rows) for rows in (X, new)]

    yield measure(
        f"{what}: predict",
        against,
        lambda: chances(ours.decision_function),
        lambda: chances(theirs.predict_proba),
        *([] if base == "tree" else [equal_within(1e-12)]),
    )
