"""The micro ROC area of a method's scores, and of its predicted labels, on the data of table 2.

    python results/han2010/predicted_labels.py > results/han2010/predicted-labels.csv

The five partitions of configs/han2010/table-2.yaml, without a search.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.metrics import roc_auc_score

from mlbench.config.load import find_config, load_experiment
from mlbench.data import load_dataset
from mlbench.methods.projection.hsml import HSML
from mlbench.methods.projection.lda_svm import LDASVM
from mlbench.methods.svm.svm_ovr import SVMOneVsRest
from mlbench.plan.make_splitter import splitter_of
from mlbench.protocol.preprocess import prepare

MODELS = {
    **{f"SVM, C = {C:g}": SVMOneVsRest(C=C) for C in (0.1, 0.3, 1, 10)},
    **{f"LDA+SVM, ridge = {ridge:g}": LDASVM(ridge=ridge) for ridge in (0.01, 10, 100)},
    **{f"HSML, ridge = {ridge:g}": HSML(ridge=ridge) for ridge in (0.01, 10)},
}


def main() -> None:
    loaded = load_experiment(find_config("han2010/table-2"), ())
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["dataset", "split", "method", "auc_of_scores", "auc_of_labels"])
    for reference in loaded.experiment.datasets:
        data = load_dataset(reference.resolved(Path.cwd()))
        data = data.described(reference.canonical, data.notes)
        for index in range(5):
            split = splitter_of(loaded.experiment, reference).draw(data, index)
            X, X_test = prepare(["tfidf", "unit-norm"], split.train.X, split.test.X)
            truth = split.test.Y.ravel()
            for name, model in MODELS.items():
                model.fit(X, split.train.Y)
                of_scores = roc_auc_score(truth, model.decision_function(X_test).ravel())
                of_labels = roc_auc_score(truth, model.predict(X_test).ravel())
                out.writerow([reference.display, index, name, of_scores, of_labels])
                sys.stdout.flush()


if __name__ == "__main__":
    main()
