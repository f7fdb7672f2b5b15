from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score

from mlbench.data import Dataset
from mlbench.errors import DataError, MlbenchError
from mlbench.metrics import TrainingLabels, evaluate
from mlbench.rescoring import rescore, under
from mlbench.store import LabelScores, Store
from mlbench.store.predictions import compressed
from tests.rows import make_row

KEY = "a" * 64
CELLS = [("toy", "A", 0, KEY)]


def make_dataset(n=40, k=3, tasks=None):
    random = np.random.RandomState(0)
    Y = random.randint(0, 2, (n, 1 if tasks is not None else k))
    return Dataset(
        "toy",
        random.randn(n, 2),
        Y,
        tuple(f"y{j}" for j in range(Y.shape[1])),
        ("a", "b"),
        tasks=tasks,
        task_names=() if tasks is None else tuple(f"t{j}" for j in range(k)),
    )


def score_again(tmp_path, dataset, arrays, metrics=(), by_label=None, **identity):
    """Keep predictions as a run would, and return the row that rescoring makes of them."""
    store = Store(tmp_path)
    row = make_row(
        metrics=dict(metrics),
        counts={"train_samples": 31},
        predictions=store.write_predictions(KEY, compressed(arrays)),
        identity={"dataset": {"fingerprint": dataset.fingerprint}, **identity},
    )
    row = replace(row, by_label=by_label)
    found = rescore(store, CELLS, {KEY: row}, lambda name: dataset)
    assert found.differing == {}
    return found.rows[KEY]


def predictions(rows, k, **more):
    random = np.random.RandomState(1)
    labels = random.randint(0, 2, (len(rows), k))
    return {
        "rows": rows,
        "scores": labels + 0.1 * random.rand(*labels.shape),
        "labels": labels,
    } | more


def mean_f1(truth, labels, groups):
    return np.mean([f1_score(truth[groups == g], labels[groups == g]) for g in np.unique(groups)])


def test_of_some_labels_only_those_are_compared(tmp_path):
    dataset, rows = make_dataset(), np.array([3, 5, 8, 13, 21, 34, 35, 36, 37])
    arrays = predictions(rows, 2, columns=np.array([0, 2]))
    row = score_again(tmp_path, dataset, arrays)
    expected = f1_score(dataset.Y[rows][:, [0, 2]], arrays["labels"], average="micro")
    assert row.metrics["micro_f1"] == pytest.approx(expected, abs=1e-12)
    assert row.counts["labels"] == 2


def test_kept_probabilities_count(tmp_path):
    dataset, rows = make_dataset(), np.arange(9)
    P = np.random.RandomState(2).rand(9, 3)
    arrays = predictions(rows, 3, scores=P - 5, probabilities=P)
    row = score_again(tmp_path, dataset, arrays)
    expected = ((P - dataset.Y[rows]) ** 2).mean()
    assert row.metrics["brier_score"] == pytest.approx(expected, rel=1e-12)


def test_ratings_are_compared_where_they_are_known(tmp_path):
    dataset = make_dataset()
    known = np.random.RandomState(2).rand(*dataset.Y.shape) < 0.5
    dataset = replace(dataset, Y=dataset.Y * known, known=known)
    rows, tasks = np.tile(np.arange(20, 40), 2), np.repeat([0, 1], 20)
    users = np.array([0, 2])
    arrays = predictions(rows, 1, columns=users, tasks=tasks)
    row = score_again(tmp_path, dataset, arrays)
    seen = known[rows, users[tasks]]
    truth, labels = dataset.Y[rows, users[tasks]], arrays["labels"][:, 0]
    expected = mean_f1(truth[seen], labels[seen], tasks[seen])
    assert row.metrics["macro_f1"] == pytest.approx(expected, abs=1e-12)


def test_labels_are_compared_with_the_rows_of_the_test_part(tmp_path):
    dataset, rows = make_dataset(), np.array([3, 5, 8, 13, 21, 34, 35, 36, 37])
    arrays = predictions(rows, 3)
    row = score_again(tmp_path, dataset, arrays)
    expected = f1_score(dataset.Y[rows], arrays["labels"], average="macro")
    assert row.metrics["macro_f1"] == pytest.approx(expected, abs=1e-15)
    assert row.counts["train_samples"] == 31
    assert row.counts["samples"] == 9


def test_tasks_with_samples_of_their_own(tmp_path):
    tasks = np.repeat([0, 1, 2], [10, 14, 16])
    dataset, rows = make_dataset(tasks=tasks), np.arange(1, 40, 2)
    arrays = predictions(rows, 1)
    row = score_again(tmp_path, dataset, arrays)
    expected = mean_f1(dataset.Y[rows, 0], arrays["labels"][:, 0], tasks[rows])
    assert row.metrics["macro_f1"] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("has_tasks", [False, True])
def test_the_cut_at_the_training_share_is_added_or_stays(tmp_path, has_tasks):
    """Rows with tasks do not count the training samples of each, so what they have stays."""
    dataset = make_dataset(tasks=np.arange(40) % 3 if has_tasks else None)
    rows, others = np.arange(9), np.arange(9, 40)
    arrays = predictions(rows, 1 if has_tasks else 3)
    parts = [None, None] if dataset.tasks is None else [dataset.tasks[p] for p in (rows, others)]
    run = evaluate(
        dataset.Y[rows],
        arrays["scores"],
        arrays["labels"],
        parts[0],
        training=TrainingLabels.of(dataset.Y[others], parts[1]),
    )
    names = dataset.column_names
    written, cut = run.plain_values, run.values["macro_f1@share"]
    if not has_tasks:
        del written["macro_f1@share"]
    by_label = LabelScores.of(run.by_label, names)
    again = score_again(tmp_path, dataset, arrays, written, by_label)
    assert again.metrics == run.plain_values
    assert 0 < cut < 1


@pytest.mark.parametrize("own", [False, True], ids=["labels", "tasks"])
def test_samples_drawn_under_imbalance_know_their_label(tmp_path, own):
    tasks = np.repeat([0, 1, 2], [10, 14, 16])
    dataset = make_dataset(tasks=tasks if own else None)
    rows = np.random.RandomState(2).randint(0, 40, 60)
    drawn = tasks[rows] if own else np.repeat([0, 1, 2], 20)
    arrays = predictions(rows, 1, tasks=drawn)
    row = score_again(tmp_path, dataset, arrays, imbalance={"ratio": 5})
    truth = (
        dataset.Y[rows, 0] if own else np.array([dataset.Y[rows[i], drawn[i]] for i in range(60)])
    )
    expected = mean_f1(truth, arrays["labels"][:, 0], drawn)
    assert row.metrics["macro_f1"] == pytest.approx(expected, abs=1e-15)


def test_other_data_are_refused(tmp_path):
    dataset = make_dataset()
    store = Store(tmp_path)
    row = make_row(
        predictions=store.write_predictions(KEY, compressed(predictions(np.arange(3), 3))),
        identity={"dataset": {"fingerprint": "b" * 64}},
    )
    with pytest.raises(DataError, match="toy: not the data that the predictions were made on"):
        rescore(store, CELLS, {KEY: row}, lambda name: dataset)


def test_failed_rows_stay_what_they_are(tmp_path):
    row = make_row(status="timeout")
    assert rescore(Store(tmp_path), CELLS, {KEY: row}, make_dataset).rows == {KEY: row}


def test_names_under_a_convention():
    names = ["macro_f1", "macro_f1@mulan", "misclassification"]
    assert under(names, "sklearn") == ["macro_f1@sklearn", "hamming_loss"]
    assert under(names, "skip") == ["macro_f1", "hamming_loss"]
    controls = ["macro_f1@share", "macro_f1", "macro_f1@constant"]
    assert under(controls, "mulan") == ["macro_f1@share", "macro_f1@mulan", "macro_f1@constant"]
    assert under(controls, "skip") == controls
    with pytest.raises(MlbenchError, match="none of hamming_loss"):
        under(["hamming_loss"], "sklearn")


def without_blocks(tmp_path, dataset, arrays, n_train, metrics=("macro_f1",), keys=(KEY,)):
    store = Store(tmp_path)
    rows = {
        key: make_row(
            counts={"train_samples": n_train, "test_samples": len(arrays["rows"])},
            predictions=store.write_predictions(key, compressed(arrays)),
            identity={"dataset": {"fingerprint": dataset.fingerprint}},
        )
        for key in keys
    }
    cells = [("toy", "A", split, key) for split, key in enumerate(keys)]
    return rescore(store, cells, rows, lambda name: dataset, (), metrics).without_blocks


def test_scores_without_blocks_of_rows_are_those_of_the_other_rows(tmp_path):
    """Averages of row scores show which rows were left out: each row in one of the blocks."""
    dataset, rows = make_dataset(), np.arange(40)
    (found,) = without_blocks(tmp_path, dataset, predictions(rows, 3), 5, ["hamming_loss"]).values()
    wrong = (predictions(rows, 3)["labels"] != dataset.Y).mean()
    assert len(found["hamming_loss"]) == 20
    # 20 blocks of 2 of 40 rows: the mean over blocks of the others' mean is the mean.
    assert np.mean(found["hamming_loss"]) == pytest.approx(wrong)
    assert len(set(found["hamming_loss"])) > 3


def test_all_cells_of_a_data_set_leave_out_the_same_rows(tmp_path):
    dataset, rows = make_dataset(), np.arange(40)
    keys = ("a" * 64, "b" * 64)
    first, second = without_blocks(tmp_path, dataset, predictions(rows, 3), 5, keys=keys).values()
    assert first == second


def test_blocks_are_left_out_only_where_test_parts_are_large(tmp_path):
    dataset, arrays = make_dataset(), predictions(np.arange(20), 3)
    assert without_blocks(tmp_path, dataset, arrays, 10) == {}
    assert without_blocks(tmp_path, dataset, arrays, 9)


def test_ratings_lose_whole_users_without_an_error(tmp_path):
    dataset = make_dataset(n=40)
    known = np.zeros(dataset.Y.shape, dtype=bool)
    known[[3, 4, 5, 21], [0, 0, 2, 2]] = True
    dataset = replace(dataset, Y=dataset.Y * known, known=known)
    rows, tasks = np.tile(np.arange(40), 2), np.repeat([0, 1], 40)
    arrays = predictions(rows, 1, columns=np.array([0, 2]), tasks=tasks)
    (found,) = without_blocks(tmp_path, dataset, arrays, 5).values()
    assert len(found["macro_f1"]) == 20
