"""One classifier chain against scikit-learn's ClassifierChain, on the same data and base learners.

    python benchmarks/classifier_chains.py
    python benchmarks/classifier_chains.py --labels 6 --bases tree --repeats 9

Both fit one chain in the order of the labels on all rows, and their probabilities are equal (not
for trees, where probabilities of 1/2 are a 1 here and a 0 there). The two alternate; the table
shows the medians of their processor times, and of the ratios of the runs. One thread. A label
depends on some features and on the label before it.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.multioutput import ClassifierChain
from threadpoolctl import threadpool_limits

from mlbench.methods.problem_transformation.ecc import EnsembleOfClassifierChains
from mlbench.registry.base_learners import make_base

BASES = {
    "dense": ("logistic", "naive_bayes", "multinomial_nb", "tree"),
    "sparse": ("logistic", "multinomial_nb", "tree"),
}


def data(kind: str, n_labels: int, seed: int = 0):
    """Draw 500 x 100 dense features, or 1,000 x 5,000 of which 1 % are not 0; and labels."""
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


def seconds(model, X, Y, called: str) -> tuple[float, float, np.ndarray]:
    """Return the processor times of a fit and of a prediction, and the probabilities."""
    start = time.process_time()
    model.fit(X, Y)
    fitted = time.process_time()
    scores = getattr(model, called)(X)
    return fitted - start, time.process_time() - fitted, scores


def compare(kind: str, n_labels: int, base: str, repeats: int) -> None:
    """Print one line of the table."""
    X, Y = data(kind, n_labels)
    learner = make_base(base)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    ours = EnsembleOfClassifierChains(learner, n_chains=1, order="natural", sampling=None)
    theirs = ClassifierChain(learner)
    times = []
    for _ in range(repeats):
        *here, scores = seconds(clone(ours), X, Y, "decision_function")
        *there, expected = seconds(clone(theirs), X, Y, "predict_proba")
        if base != "tree":
            np.testing.assert_allclose(scores, expected, atol=1e-12)
        times.append((here, there))
    found = np.array(times)
    fit, predict = np.median(found, axis=0).T
    ratios = np.median(found[:, 0] / found[:, 1], axis=0)
    print(
        f"{kind:6} {n_labels:4} labels, {base:14}: fit {fit[0]:7.3f} s, {fit[1]:7.3f} s, "
        f"ratio {ratios[0]:.2f}; predict {predict[0]:7.3f} s, {predict[1]:7.3f} s, "
        f"ratio {ratios[1]:.2f}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", nargs="+", default=list(BASES))
    parser.add_argument("--labels", type=int, nargs="+", default=[6, 100, 800])
    parser.add_argument("--bases", nargs="+", default=None)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    for kind in asked.kinds:
        for n_labels in asked.labels:
            for base in asked.bases or BASES[kind]:
                compare(kind, n_labels, base, asked.repeats)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
