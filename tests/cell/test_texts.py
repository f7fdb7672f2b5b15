"""Vectorizers of text columns see training rows alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from mlbench.cell.tuning import draw
from mlbench.data.texts import Texts, Vectorizer
from mlbench.errors import DataError
from mlbench.protocol.cross_validation import CrossValidation
from tests.cell.cases import BR, cells, make_dataset, run

WORDS = np.array(
    ["river", "boat", "fish", "bread", "oven", "salt", "ball", "team", "goal", "the", "of", "and"]
)


def make_texts(n=120, seed=1):
    random = np.random.RandomState(seed)
    notes = [" ".join([*random.choice(WORDS, 5), f"row{row}"]) for row in range(n)]
    return Texts(("note",), np.array(notes, dtype=object)[:, None])


@pytest.fixture
def dataset():
    return make_dataset(texts=make_texts())


def changed(dataset, rows):
    """Let the texts of some rows hold words of all others, and new ones."""
    values = dataset.texts.values.copy()
    values[rows, 0] = " ".join([*WORDS, "unseen"])
    return replace(dataset, texts=replace(dataset.texts, values=values))


def test_features_are_those_of_a_vectorizer_fitted_to_training_rows(dataset):
    cell = cells(dataset, BR, preprocess="standardize")[0]
    split = draw(cell, dataset, 0)
    notes = dataset.texts.values[:, 0]
    train, test = split.preparation.parts(split.train, split.test)
    vectorizer = TfidfVectorizer().fit(notes[split.train.rows])
    scaler = StandardScaler().fit(dataset.X[split.train.rows])
    for part in (train, test):
        assert sparse.issparse(part.X)
        expected = [scaler.transform(dataset.X[part.rows]), vectorizer.transform(notes[part.rows])]
        np.testing.assert_allclose(
            part.X.toarray(), np.hstack([expected[0], expected[1].toarray()])
        )
    assert not set(vectorizer.vocabulary_) & {f"row{row}" for row in split.test.rows}


def test_each_tuning_fold_has_a_vocabulary_of_its_own(dataset):
    cell = cells(dataset, BR)[0]
    split = draw(cell, dataset, 0)
    within = CrossValidation.of(split, 3, 0)
    for fold in within.folds:
        learned, held = within.parts(fold)
        own = TfidfVectorizer().fit(dataset.texts.values[learned.rows, 0])
        for part in (learned, held):
            expected = own.transform(dataset.texts.values[part.rows, 0]).toarray()
            np.testing.assert_allclose(part.X.toarray()[:, 5:], expected)


@pytest.mark.parametrize("threshold", ["default", "train_f1_label", "cv_f1_label"])
def test_texts_of_test_rows_reach_neither_parameters_nor_thresholds(dataset, threshold):
    cell = cells(dataset, BR, preprocess="standardize", threshold=threshold)[0]
    honest = run(cell, dataset)
    split = draw(cell, dataset, 0)
    other = run(cell, changed(dataset, split.test.rows))
    assert (other.tuning, other.params, other.thresholds) == (
        honest.tuning,
        honest.params,
        honest.thresholds,
    )
    one = run(cell, changed(dataset, split.test.rows[:1]))
    np.testing.assert_array_equal(
        one.predictions["scores"][1:], honest.predictions["scores"][1:], strict=True
    )
    assert run(cell, changed(dataset, split.train.rows[:20])).tuning != honest.tuning


def test_rows_with_unknown_labels_count_once(dataset):
    known = np.random.RandomState(2).rand(*dataset.Y.shape) < 0.7
    partly = replace(dataset, Y=dataset.Y * known, known=known)
    cell = cells(partly, BR, facts={"fewest_known": int(known.sum(axis=0).min())})[0]
    split = draw(cell, partly, 0)
    train, _ = split.preparation.parts(split.train, split.test)
    own = TfidfVectorizer().fit(partly.texts.values[np.unique(split.train.rows), 0])
    expected = own.transform(partly.texts.values[split.train.rows, 0]).toarray()
    np.testing.assert_allclose(train.X.toarray()[:, 5:], expected)


def test_dense_makes_texts_dense(dataset):
    cell = cells(dataset, BR, preprocess="dense")[0]
    split = draw(cell, dataset, 0)
    train, test = split.preparation.parts(split.train, split.test)
    assert isinstance(train.X, np.ndarray)
    assert isinstance(test.X, np.ndarray)
    assert train.X.shape[1] == test.X.shape[1] > 5 + len(WORDS)


def test_each_column_has_a_vectorizer_and_features_may_be_texts_alone():
    values = np.hstack([make_texts().values, make_texts(seed=5).values])
    hashing = Vectorizer("hashing", {"n_features": 32})
    data = make_dataset(texts=Texts(("a", "b"), values, hashing))
    data = replace(data, X=data.X[:, :0], feature_names=())
    result = run(cells(data, BR, preprocess=["standardize", "unit-norm"])[0], data)
    assert 0 <= result.metrics["hamming_loss"] <= 1
    assert data.texts.n_features() == 64


def test_a_fold_without_a_word_fails_and_says_why(dataset):
    values = np.full((120, 1), "", dtype=object)
    cell = cells(dataset, BR)[0]
    values[draw(cell, dataset, 0).test.rows] = "words"
    with pytest.raises(DataError, match=r"'note' leaves no word in \d+ rows .* of which 0 have a"):
        run(cell, replace(dataset, texts=Texts(("note",), values)))
