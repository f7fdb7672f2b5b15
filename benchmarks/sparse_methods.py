"""Seconds and memory of one fit of every method that takes sparse features.

    python benchmarks/sparse_methods.py yahoo-arts --min-positives 100 --min-documents 5
    python benchmarks/sparse_methods.py rcv1-subset1 --methods br mlknn

One process per method, on one thread, with default parameters, TF-IDF and rows of unit length. The
output names fits that exceed the limits of processor time or memory. Times are processor times.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import time
import warnings
from importlib import import_module

from threadpoolctl import threadpool_limits

from mlbench.data.load import load_dataset
from mlbench.methods.catalogue import METHODS
from mlbench.protocol.preprocess import prepare


def sparse_methods() -> list[str]:
    """Name the methods that take sparse features, and need no tasks."""
    classes = {
        name: getattr(import_module(place.split(":")[0]), place.split(":")[1])
        for name, place in METHODS.items()
    }
    return [name for name, each in classes.items() if each.accepts_sparse and not each.needs_tasks]


def fit(name, X, Y, gigabytes, seconds):
    """Fit in a new process; return its cost, or what ended it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        used = resource.getrusage(resource.RUSAGE_SELF)
        spent = int(used.ru_utime + used.ru_stime)
        resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds, spent + seconds))
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 1e9),) * 2)
        module, method = METHODS[name].split(":")
        started, converged = time.process_time(), True
        try:
            model = getattr(import_module(module), method)().fit(X, Y)
            converged = getattr(model, "fit_report_", {}).get("converged", True)
            words = f"{time.process_time() - started:.1f}"
        except MemoryError:
            words = f"more than {gigabytes:g} GB"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        os.write(writer, json.dumps((words, round(peak), converged)).encode())
        os._exit(0)
    os.close(writer)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found = os.read(reader, 1000)
    os.close(reader)
    if found:
        return json.loads(found)
    late = ended in (-signal.SIGXCPU, -signal.SIGKILL)
    return f"not done after {seconds} s" if late else f"failed, status {ended}", None, True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset")
    parser.add_argument("--min-positives", type=int, default=0)
    parser.add_argument("--min-documents", type=int, default=1)
    parser.add_argument("--methods", nargs="+", default=sparse_methods())
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--gigabytes", type=float, default=8)
    asked = parser.parse_args()
    data = load_dataset(
        {
            "use": asked.dataset,
            "min_positives": asked.min_positives,
            "drop_unlabeled": True,
            "min_documents": asked.min_documents,
        }
    )
    X, _ = prepare(["tfidf", "unit-norm"], data.X, data.X[:2])
    print(f"{X.shape[0]} x {X.shape[1]}, {X.nnz} not 0, {data.Y.shape[1]} labels", flush=True)
    for name in asked.methods:
        seconds, peak, converged = fit(name, X, data.Y, asked.gigabytes, asked.seconds)
        used = "" if peak is None else f"{peak} MB"
        print(name, seconds, used, "" if converged else "not converged", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
