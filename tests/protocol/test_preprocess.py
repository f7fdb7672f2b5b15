from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, StandardScaler, normalize

from mlbench.errors import MethodError
from mlbench.protocol import preprocess
from mlbench.protocol.preprocess import prepare

STEPS = ("impute", "standardize", "minmax", "tfidf-smooth", "unit-norm")


@pytest.fixture
def features():
    """30 training and 10 test rows; one feature is constant, some values are missing."""
    random = np.random.RandomState(3)
    X = random.randn(40, 5) * [1, 10, 0.1, 1, 1] + [0, 5, -3, 0, 0]
    X[:, 3] = 2.5
    X[random.rand(40, 5) < 0.2] = np.nan
    X[:, 3] = 2.5
    return X[:30], X[30:]


def whole(features):
    return tuple(np.nan_to_num(X) for X in features)


def test_no_steps_leave_all_as_it_is(features):
    train, test = prepare((), *features)
    assert train is features[0]
    assert test is features[1]


def test_standardize_uses_mean_and_deviation_of_the_training_part(features):
    train, test = whole(features)
    made_train, made_test = prepare(["standardize"], train, test)
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation[3] = 1  # the constant feature
    np.testing.assert_allclose(made_train, (train - mean) / deviation, atol=1e-12)
    np.testing.assert_allclose(made_test, (test - mean) / deviation, atol=1e-12)
    assert (made_train[:, 3] == 0).all()


def test_minmax_may_leave_the_unit_interval_on_test_rows(features):
    train, test = whole(features)
    test[0, 0] = train[:, 0].max() + np.ptp(train[:, 0])
    made_train, made_test = prepare(["minmax"], train, test)
    assert (made_train.min(), made_train.max()) == (0, pytest.approx(1))
    assert made_test[0, 0] == pytest.approx(2)


def test_unit_norm_leaves_a_zero_row_at_zero(features):
    train, test = whole(features)
    train[4] = 0
    made, _ = prepare(["unit-norm"], train, test)
    lengths = np.linalg.norm(made, axis=1)
    assert lengths[4] == 0
    np.testing.assert_allclose(np.delete(lengths, 4), 1)


def test_impute_uses_the_means_of_the_training_part_and_keeps_empty_features(features):
    train, test = features
    train[:, 2] = np.nan
    made_train, made_test = prepare(["impute"], train, test)
    assert (np.isnan(train).any(), np.isnan(made_train).any()) == (True, False)
    row, column = np.argwhere(np.isnan(test[:, [0, 1, 4]]))[0]
    column = [0, 1, 4][column]
    assert made_test[row, column] == pytest.approx(np.nanmean(train[:, column]))
    assert made_train.shape[1] == train.shape[1]


def test_steps_apply_in_the_order_given(features):
    train, test = features
    ours = prepare(["impute", "minmax", "unit-norm"], train, test)
    imputer, scaler = SimpleImputer().fit(train), MinMaxScaler()
    scaler.fit(imputer.transform(train))
    for made, given in zip(ours, (train, test), strict=True):
        expected = normalize(scaler.transform(imputer.transform(given)))
        np.testing.assert_allclose(made, expected, atol=1e-12)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_test_rows_leave_no_trace_in_the_training_part(features, step, as_sparse):
    train, test = features if step == "impute" else whole(features)
    form = sparse.csr_matrix if as_sparse else np.array
    one, _ = prepare([step], form(train), form(test))
    other, _ = prepare([step], form(train), form(test[:3] * 1000 + 7))
    one, other = (X.toarray() if as_sparse else X for X in (one, other))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("steps", [[step] for step in STEPS] + [list(STEPS)])
def test_sparse_features_stay_sparse_by_rows_with_their_zeros(steps):
    dense = sparse.random(30, 8, density=0.3, random_state=1).toarray()
    train, test = sparse.csr_matrix(dense[:20]), sparse.csr_matrix(dense[20:])
    for given, made in zip((train, test), prepare(steps, train, test), strict=True):
        assert sparse.issparse(made)
        assert made.format == "csr"
        assert ((made != 0) != (given != 0)).nnz == 0


def test_sparse_features_are_scaled_but_not_centred():
    dense = sparse.random(30, 4, density=0.5, random_state=1).toarray()
    made, _ = prepare(["standardize"], sparse.csr_matrix(dense), sparse.csr_matrix(dense[:2]))
    expected = StandardScaler(with_mean=False).fit_transform(dense)
    np.testing.assert_allclose(made.toarray(), expected, atol=1e-12)
    made, _ = prepare(["minmax"], sparse.csr_matrix(-dense), sparse.csr_matrix(dense[:2]))
    np.testing.assert_allclose(made.toarray(), -dense / dense.max(axis=0), atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_term_counts_are_weighted_by_what_the_training_part_says_of_the_term(form):
    counts = np.array([[3, 0, 1, 0], [0, 0, 2, 1], [1, 0, 1, 0], [2, 0, 1, 0]])
    new = np.array([[1, 5, 1, 2]])
    for step, weights in (
        ("tfidf", [np.log(4 / 3), 0, 0, np.log(4)]),
        ("tfidf-smooth", TfidfTransformer(norm=None).fit(counts).idf_),
    ):
        for made, given in zip(
            prepare([step], form(counts), form(new)), (counts, new), strict=True
        ):
            assert sparse.issparse(made) == sparse.issparse(form(given))
            made = made.toarray() if sparse.issparse(made) else made
            np.testing.assert_allclose(made, given * weights, atol=1e-12)


def test_the_data_set_itself_is_not_changed(features):
    train, test = whole(features)
    before = train.copy(), test.copy()
    prepare(["standardize", "minmax", "unit-norm"], train, test)
    np.testing.assert_array_equal(train, before[0])
    np.testing.assert_array_equal(test, before[1])


def test_an_unknown_step_is_refused(features):
    with pytest.raises(MethodError, match="'whiten'"):
        prepare(["whiten"], *features)


@pytest.fixture
def thin():
    X = sparse.random(30, 8, density=0.3, random_state=1, format="csr")
    return X[:20], X[20:]


def test_sparse_features_become_dense_where_it_is_said(thin):
    for given, made in zip(thin, prepare(["dense"], *thin), strict=True):
        assert isinstance(made, np.ndarray)
        np.testing.assert_array_equal(made, given.toarray())


def test_dense_features_stay_as_they_are(features):
    for given, made in zip(features, prepare(["dense"], *features), strict=True):
        np.testing.assert_array_equal(made, given)


def test_steps_behind_dense_see_dense_features_and_those_before_it_sparse_ones(thin):
    whole = [X.toarray() for X in thin]
    centred, plain = StandardScaler().fit(whole[0]), StandardScaler(with_mean=False).fit(whole[0])
    for X, after, before in zip(
        whole,
        prepare(["dense", "standardize"], *thin),
        prepare(["standardize", "dense"], *thin),
        strict=True,
    ):
        np.testing.assert_allclose(after, centred.transform(X), atol=1e-12)
        np.testing.assert_allclose(before, plain.transform(X), atol=1e-12)


def test_dense_features_that_would_not_fit_are_refused_before_they_are_made():
    empty = sparse.csr_matrix((10**6, 10**9))
    words = (
        r"take 16000000.0 GB \(2000000 rows x 1000000000 features x 8 bytes\), and .* GB are free"
    )
    with pytest.raises(MemoryError, match=words):
        prepare(["dense"], empty, empty)


def test_what_just_fits_is_made(thin, monkeypatch):
    needed = 30 * 8 * 8
    for free, fits in ((needed, True), (needed - 1, False), (None, True)):
        monkeypatch.setattr(preprocess, "_free_memory", lambda free=free: free)
        if fits:
            prepare(["dense"], *thin)
        else:
            with pytest.raises(MemoryError):
                prepare(["dense"], *thin)
