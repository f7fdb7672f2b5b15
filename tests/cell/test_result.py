"""What comes out of a cell."""

from __future__ import annotations

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

from mlbench.hashing import canonical_json
from mlbench.protocol.splitters import tuning_folds
from mlbench.store import to_plain
from tests.cell.cases import BR, cells, make_dataset, positive, run, split_of, without_times


def test_a_cell_equals_a_pipeline_of_scikit_learn():
    dataset = make_dataset()
    cell = cells(
        dataset, BR, preprocess="standardize", tuning={"folds": 3, "scoring": "macro_f1@sklearn"}
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
    np.testing.assert_allclose(result.tuning.scores, curve, atol=1e-12)
    assert result.params == {"C": search.best_params_["multioutputclassifier__estimator__C"]}
    assert result.tuning.best == search.best_index_
    assert result.tuning.split == 1

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
    assert result.thresholds is None


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
    np.testing.assert_allclose(thin.tuning.scores, dense.tuning.scores, atol=1e-9)
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


def test_labels_with_a_common_threshold_are_counted_under_the_policy_that_has_one():
    dataset = make_dataset()
    Y = dataset.Y.copy()
    Y[:, 0] = np.arange(len(Y)) < 3
    rare = replace(dataset, Y=Y)
    counts = {
        policy: run(cells(rare, BR, threshold=policy)[0], rare).counts
        for policy in ("train_f1_label", "cv_f1_label")
    }
    assert counts["cv_f1_label"]["labels_with_common_threshold"] == 1
    assert "labels_with_common_threshold" not in counts["train_f1_label"]


def test_a_result_is_plain(tmp_path):
    dataset = make_dataset()
    Y = dataset.Y.copy()
    Y[:, 0], Y[:, 1] = 0, 1  # their thresholds are infinite
    result = run(cells(dataset, BR, threshold="train_f1_label")[0], replace(dataset, Y=Y))
    assert result.thresholds[:2] == ["inf", "-inf"]
    canonical_json(
        [
            result.metrics,
            result.counts,
            result.params,
            None if result.tuning is None else to_plain(result.tuning),
            result.thresholds,
            result.seconds,
        ]
    )
    assert {"macro_f1", "macro_f1@mulan", "micro_auc"} <= set(result.metrics)
    assert set(result.seconds) == {"tune", "fit", "predict", "threshold"}
