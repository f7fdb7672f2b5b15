"""Label-space methods against scikit-learn, scikit-multilearn, and plain NumPy.

    python benchmarks label_space                        # ratios: emotions, logistic regression
    python benchmarks --full label_space                 # all data sets and bases: half an hour
    python benchmarks/label_space.py --data yeast        # seconds and memory of our methods

Emotions, scene and yeast, or generated data of the same sizes if MLBENCH_DATA is not set: 60 %
of the rows for training, features standardized; fit, scores and labels with the same base learner.
scikit-multilearn (package scikit-multilearn-ng) gets dense features.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace

import numpy as np
from label_space_plain import adaboost_mh, insdif
from ratios import Ratio, cpu_seconds, equal_within, measure
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from threadpoolctl import threadpool_limits

from mlbench import load_dataset
from mlbench.methods.base_learners import make_base
from mlbench.methods.parameters import set_seed
from mlbench.metrics import score
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splitters import RandomSplits
from mlbench.registry.factory import make_method

GENERATED = {"emotions": (593, 72, 6), "scene": (2407, 294, 6), "yeast": (2417, 103, 14)}
"""Rows, features and labels of what stands in for the data sets."""

BASES = ("logistic", "tree")
CHAINS = 10
ROUNDS = 100
MB = 1 / 1024 if sys.platform != "darwin" else 1 / 2**20


def data(name: str):
    """Return X and Y of training, then of test."""
    if "MLBENCH_DATA" in os.environ:
        found = load_dataset(name)
        X, Y = found.X, found.Y
    else:
        rows, features, labels = GENERATED[name]
        X, Y = make_multilabel_classification(
            rows, features, n_classes=labels, n_labels=2, random_state=0
        )
    data = SimpleNamespace(name=name, Y=Y, tasks=None, groups=None)
    split = RandomSplits(train=0.6).divide(data, 0)
    X_train, X_test = prepare(["standardize"], X[split.train], X[split.test])
    return X_train, Y[split.train], X_test, Y[split.test]


def base_of(name: str):
    return set_seed(make_base(name), 0)


def ours(method: str, **parameters) -> Callable:
    def run(base, X, Y, new):
        if base is not None:
            parameters["base"] = base_of(base)
        if method in ("rakel", "rakel_dealt"):
            parameters["n_labelsets"] = sets_of(method, Y.shape[1])
        model = make_method(method.removesuffix("_dealt"), **parameters)
        set_seed(model, 0).fit(X, Y)
        return model.decision_function(new), model.predict(new)

    return run


def sets_of(method: str, n_labels: int) -> int:
    """Return the number of labelsets of three: 2 n if they overlap, n / 3 if they are disjoint."""
    return 2 * n_labels if method == "rakel" else -(-n_labels // 3)


def multi_output(base, X, Y, new):
    model = MultiOutputClassifier(base_of(base)).fit(X, Y)
    return np.column_stack([p[:, 1] for p in model.predict_proba(new)]), model.predict(new)


def bagged_chains(base, X, Y, new):
    """Average scikit-learn's chains, each of a bag of the rows."""
    random = np.random.RandomState(0)
    total = np.zeros((len(new), Y.shape[1]))
    for chain in range(CHAINS):
        rows = random.randint(len(Y), size=len(Y))
        model = ClassifierChain(base_of(base), order="random", random_state=chain)
        total += model.fit(X[rows], Y[rows]).predict_proba(new)
    return total / CHAINS, total >= CHAINS / 2


def boosted_stumps(base, X, Y, new):
    model = MultiOutputClassifier(AdaBoostClassifier(n_estimators=ROUNDS, random_state=0))
    model.fit(X, Y)
    return np.column_stack([p[:, 1] for p in model.predict_proba(new)]), model.predict(new)


def multilearn(name: str, **parameters) -> Callable:
    def run(base, X, Y, new):
        from skmultilearn import ensemble, problem_transform

        if name == "RakelO":
            parameters["model_count"] = sets_of("rakel", Y.shape[1])
        np.random.seed(0)
        if name.startswith("Rakel"):
            parameters.update(base_classifier=base_of(base), labelset_size=3)
            model = getattr(ensemble, name)(
                base_classifier_require_dense=[True, True], **parameters
            )
        else:
            model = getattr(problem_transform, name)(base_of(base), require_dense=[True, True])
        model.fit(X, Y)
        labels = model.predict(new).toarray()
        scores = None if name == "RakelO" else model.predict_proba(new).toarray()
        return scores, labels

    return run


def plain_adaboost_mh(base, X, Y, new):
    scores = adaboost_mh(X, Y, new, ROUNDS)
    return scores, scores > 0


def plain_insdif(base, X, Y, new):
    scores = insdif(X, Y, new)
    return scores, scores > 0


OURS = {
    "br": ours("br"),
    "homer": ours("homer"),
    "mlcssp": ours("mlcssp"),
    "lp": ours("lp"),
    "rakel, 2k labelsets": ours("rakel"),
    "rakel, k/3 labelsets": ours("rakel_dealt"),
    "ecc": ours("ecc", n_chains=CHAINS),
    "adaboost_mh": ours("adaboost_mh", n_rounds=ROUNDS),
    "insdif": ours("insdif", random_state=0),
}


def bases_of(name: str) -> tuple[str | None, ...]:
    return (None,) if name in ("adaboost_mh", "insdif") else BASES


@dataclass(frozen=True)
class Rival:
    """Another implementation of one of our methods."""

    of: str
    name: str
    run: Callable
    is_slow: bool = False


RIVALS = (
    Rival("br", "scikit-learn, `MultiOutputClassifier`", multi_output),
    Rival("ecc", "scikit-learn, `ClassifierChain` on bags", bagged_chains),
    Rival("adaboost_mh", "plain NumPy", plain_adaboost_mh),
    Rival("adaboost_mh", "scikit-learn, `AdaBoostClassifier` by label", boosted_stumps, True),
    Rival("insdif", "plain NumPy", plain_insdif, True),
    Rival("br", "scikit-multilearn-ng, `BinaryRelevance`", multilearn("BinaryRelevance")),
    Rival("lp", "scikit-multilearn-ng, `LabelPowerset`", multilearn("LabelPowerset")),
    Rival("rakel, 2k labelsets", "scikit-multilearn-ng, `RakelO`", multilearn("RakelO")),
    Rival("rakel, k/3 labelsets", "scikit-multilearn-ng, `RakelD`", multilearn("RakelD")),
)


def ratios(full: bool) -> Iterator[Ratio]:
    for rival in RIVALS:
        if full or not rival.is_slow:
            for dataset in GENERATED if full else ("emotions",):
                for base in bases_of(rival.of) if full else bases_of(rival.of)[:1]:
                    yield against(rival, dataset, base)


def against(rival: Rival, dataset: str, base: str | None) -> Ratio:
    X, Y, new, truth = data(dataset)

    def check(mine, other) -> str:
        if rival.name == "plain NumPy":
            return equal_within(1e-9)(mine[0], other[0])
        f1 = [score("macro_f1", truth, None, np.asarray(found[1], int)) for found in (mine, other)]
        return "macro F1 {:.3f}, {:.3f}".format(*f1)

    return measure(
        f"`{rival.of}`, {dataset}" + (f", {base}" if base else ""),
        rival.name,
        lambda: OURS[rival.of](base, X, Y, new),
        lambda: rival.run(base, X, Y, new),
        check,
    )


def few_rows(Y):
    """Return some rows in which every label has both classes, even in bags of these rows."""
    found = [np.flatnonzero(y == value)[:15] for y in Y.T for value in (0, 1)]
    return np.unique(np.concatenate(found))


def cost(name: str, base: str | None, dataset: str) -> tuple[float, float]:
    """Return the CPU seconds of a run, and by how much it raises this process's peak memory."""
    warnings.simplefilter("ignore")
    X, Y, new, _ = data(dataset)
    few = few_rows(Y)
    with threadpool_limits(1):
        OURS[name](base, X[few], Y[few], new[:20])  # loads libraries and compiled code
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, cpu_seconds()
        OURS[name](base, X, Y, new)
    spent, after = cpu_seconds() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return spent, (after - before) * MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=GENERATED, default=list(GENERATED))
    parser.add_argument("--methods", nargs="+", choices=OURS, default=list(OURS))
    asked = parser.parse_args()
    print("| data | base | method | CPU seconds | MB grown |")
    print("| --- | --- | --- | ---: | ---: |")
    for dataset, name in product(asked.data, asked.methods):
        for base in bases_of(name):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                seconds, grown = pool.apply(cost, (name, base, dataset))
            print(
                f"| {dataset} | {base or '-'} | {name} | {seconds:.3g} | {grown:.0f} |", flush=True
            )


if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    main()
