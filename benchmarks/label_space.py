"""Compare the label-space methods with alternatives, on the same splits in one run.

    MLBENCH_DATA=/path/to/datasets python benchmarks/label_space.py
    python benchmarks/label_space.py --only ecc adaboost_mh --data emotions

Emotions, scene and yeast, or generated data of the same sizes if MLBENCH_DATA is not set: 60 %
of the rows for training, features standardized. It prints a Markdown table: CPU seconds for fit,
scores and labels on one thread (the median of up to five runs, in which the contenders alternate);
the ratio to the mlbench method that heads its group; the increase in peak memory of a separate
process; macro F1 and macro AUC. CPU seconds exclude time in which other processes had the core.
scikit-multilearn is included if it is installed (package scikit-multilearn-ng), and gets dense
features. The whole run takes about half an hour; `--data emotions` a few minutes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import resource
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from statistics import median
from types import SimpleNamespace

import numpy as np
import sklearn
from label_space_plain import adaboost_mh, insdif
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from threadpoolctl import threadpool_limits

from mlbench import load_dataset
from mlbench.metrics import score
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splitters import RandomSplits
from mlbench.registry.base_learners import make_base
from mlbench.registry.factory import make_method, set_seed

GENERATED = {"emotions": (593, 72, 6), "scene": (2407, 294, 6), "yeast": (2417, 103, 14)}
"""Rows, features and labels of what stands in for the data sets."""

BASES = ("logistic", "tree")
CHAINS = 10
ROUNDS = 100
RUNS = 5
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
    split = RandomSplits(train=0.6).divide(SimpleNamespace(name=name, Y=Y, tasks=None), 0)
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
    """Return how many labelsets of three: twice the number of labels, or as many as they fill."""
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


NONE = (None,)
GROUPS: dict[str, tuple[tuple, dict[str, Callable]]] = {
    "br": (
        BASES,
        {
            "br": ours("br"),
            "scikit-learn MultiOutputClassifier": multi_output,
            "scikit-multilearn BinaryRelevance": multilearn("BinaryRelevance"),
            "homer": ours("homer"),
            "mlcssp": ours("mlcssp"),
        },
    ),
    "lp": (
        BASES,
        {"lp": ours("lp"), "scikit-multilearn LabelPowerset": multilearn("LabelPowerset")},
    ),
    "rakel": (
        BASES,
        {"rakel, 2k labelsets": ours("rakel"), "scikit-multilearn RakelO": multilearn("RakelO")},
    ),
    "rakel_dealt": (
        BASES,
        {
            "rakel, k/3 labelsets": ours("rakel_dealt"),
            "scikit-multilearn RakelD": multilearn("RakelD"),
        },
    ),
    "ecc": (
        BASES,
        {
            "ecc": ours("ecc", n_chains=CHAINS),
            "scikit-learn ClassifierChain, bagged": bagged_chains,
        },
    ),
    "adaboost_mh": (
        NONE,
        {
            "adaboost_mh": ours("adaboost_mh", n_rounds=ROUNDS),
            "plain NumPy": plain_adaboost_mh,
            "scikit-learn AdaBoostClassifier per label": boosted_stumps,
        },
    ),
    "insdif": (NONE, {"insdif": ours("insdif", random_state=0), "plain NumPy": plain_insdif}),
}
"""Base learners, and contenders by name, the first of which is ours."""


def few_rows(Y):
    """Return some rows in which every label has both classes, as have bags of these rows."""
    found = [np.flatnonzero(y == value)[:15] for y in Y.T for value in (0, 1)]
    return np.unique(np.concatenate(found))


def in_turn(calls: list[Callable], seconds: float) -> tuple[list[float], list]:
    """Return the median CPU seconds of calls made in turn, and what each returned last."""
    took: list[list[float]] = [[] for _ in calls]
    results: list = [None] * len(calls)
    for _ in range(RUNS):
        for place, call in enumerate(calls):
            if sum(took[place]) < seconds:
                start = time.process_time()
                results[place] = call()
                took[place].append(time.process_time() - start)
    return [median(runs) for runs in took], results


def times_and_scores(group: str, names: list[str], base, dataset: str, seconds: float):
    """Return CPU seconds, macro F1 and macro AUC of every contender."""
    warnings.simplefilter("ignore")
    X, Y, new, truth = data(dataset)
    few = few_rows(Y)
    runs = [GROUPS[group][1][name] for name in names]
    with threadpool_limits(1):
        for run in runs:
            run(base, X[few], Y[few], new[:20])  # loads libraries and compiled code
        calls = [lambda run=run: run(base, X, Y, new) for run in runs]
        took, results = in_turn(calls, seconds)
    f1 = [score("macro_f1", truth, None, np.asarray(labels, int)) for _, labels in results]
    auc = [np.nan if s is None else score("macro_auc", truth, s, None) for s, _ in results]
    return list(zip(took, f1, auc, strict=True))


def megabytes(group: str, name: str, base, dataset: str) -> float:
    """Return by how much one run makes the peak memory of this process grow."""
    warnings.simplefilter("ignore")
    X, Y, new, _ = data(dataset)
    few = few_rows(Y)
    run = GROUPS[group][1][name]
    with threadpool_limits(1):
        run(base, X[few], Y[few], new[:20])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run(base, X, Y, new)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * MB


def fits_on_enron(seconds: float) -> list[float]:
    """Return CPU seconds of a fit of InsDif and of ML-LSPC."""
    warnings.simplefilter("ignore")
    X, Y = data("enron")[:2]
    methods = [set_seed(make_method(name), 0) for name in ("insdif", "ml_lspc")]
    with threadpool_limits(1):
        return in_turn([lambda m=m: m.fit(X, Y) for m in methods], seconds)[0]


def alone(function: Callable, *args):
    """Call a function in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, args)


def print_group(group: str, datasets: list[str], seconds: float, installed: bool) -> None:
    bases, contenders = GROUPS[group]
    names = [name for name in contenders if installed or "multilearn" not in name]
    for dataset, base in product(datasets, bases):
        found = alone(times_and_scores, group, names, base, dataset, seconds)
        for name, (took, f1, auc) in zip(names, found, strict=True):
            ratio = "" if name == names[0] else f"{took / found[0][0]:.2f}"
            grown = alone(megabytes, group, name, base, dataset)
            cells = [dataset, base or "-", name, f"{took:.3g}", ratio, f"{grown:.0f}"]
            cells += [f"{f1:.3f}", "-" if np.isnan(auc) else f"{auc:.3f}"]
            print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--data", nargs="+", choices=GENERATED, default=list(GENERATED))
    parser.add_argument("--seconds", type=float, default=10, help="no new run after so many")
    options = parser.parse_args()
    try:
        theirs = f"scikit-multilearn-ng {version('scikit-multilearn-ng')}"
    except PackageNotFoundError:
        theirs = "scikit-multilearn not installed"
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, ", end="")
    print(f"scikit-learn {sklearn.__version__}, {theirs}; one thread, CPU seconds\n")
    print("| data | base | method | seconds | ratio | MB grown | macro F1 | macro AUC |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for group in options.only:
        print_group(group, options.data, options.seconds, "not" not in theirs)
    if "insdif" in options.only and "MLBENCH_DATA" in os.environ:
        took, other = alone(fits_on_enron, options.seconds)
        print(f"\nFit on enron: insdif {took:.2f} s, ml_lspc {other:.2f} s ({took / other:.2f})")


if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    main()
