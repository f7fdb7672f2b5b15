"""Every public data set loads, matches its card, and holds what is known of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import issparse

from mlbench.data import load_dataset
from mlbench.data.cards import load_card

SETS = {
    "bibtex": ("bibtex/bibtex.xml", (7395, 1836), 159, 4880),
    "birds": ("birds/birds.xml", (645, 258 + 1 + 12), 19, 322),
    "cal500": ("cal500/cal500.xml", (502, 68), 174, None),
    "corel16k001": ("corel16k001/corel16k1.mat", (13766, 500), 153, None),
    "corel5k": ("corel5k/Corel5k.xml", (5000, 499), 374, 4500),
    "emotions": ("emotions/emotions.xml", (593, 72), 6, 391),
    "enron": ("enron/enron.xml", (1702, 1001), 53, 1123),
    "flags": ("flags/flags.xml", (194, 15 + 6 + 4 + 10 + 8), 7, 129),
    "landmine": ("landmine/LandmineData.mat", (14820, 9), 1, None),
    "medical": ("medical/medical.xml", (978, 1449), 45, 333),
    "optdigits": ("optdigits/optdigits.tra", (5620, 64), 10, 3823),
    "scene": ("scene/scene.xml", (2407, 294), 6, 1211),
    "segmentation": ("segmentation/segmentation.data", (2310, 19), 7, 210),
    "tmc2007-500": ("tmc2007-500/tmc2007-500.xml", (28596, 500), 22, 21519),
    "rcv1-subset1": ("rcv1/rcv1sub1.rda", (6000, 47236), 101, None),
    "yahoo-arts": ("yahoo/yahoo_arts.rda", (7484, 23146), 26, None),
    "yahoo-education": ("yahoo/yahoo_education.rda", (12030, 27534), 33, None),
    "yahoo-reduced-arts": ("yahoo-reduced/arts.mat", (5000, 462), 26, 2000),
    "yahoo-reduced-social": ("yahoo-reduced/social.mat", (5000, 1047), 39, 2000),
    "yeast": ("yeast/yeast.xml", (2417, 103), 14, 1500),
}
ENCODED = {
    "foodtruck": ("foodtruck/foodtruck.arff", (407, 32), 12, 2.29),
    "genbase": ("mldr/genbase.rda", (662, 1185), 27, 1.252),
    "imdb": ("imdb/Imdb.arff.bz2", (120919, 1001), 28, 2.0),
}
"""Sets with more or fewer features than attributes, and a packed file."""
PUBLISHED_COUNTS = {
    "corel16k002": (13761, 500, 164, 2.882),
    "delicious": (16105, 500, 983, 19.02),
    "langlog": (1460, 1004, 75, 1.18),
    "ng20": (19300, 1006, 20, 1.029),
    "ohsumed": (13929, 1002, 23, 1.663),
    "rcv1sub2": (6000, 47236, 101, 2.634),
    "reutersk500": (6000, 500, 103, 1.462),
    "slashdot": (3782, 1079, 22, 1.181),
    "stackex_chemistry": (6961, 540, 175, 2.109),
    "stackex_chess": (1675, 585, 227, 2.411),
    "stackex_philosophy": (3971, 842, 233, 2.272),
}
"""As the pages of MULAN, MEKA and R's mldr.datasets print them."""
SPARSE = {"bibtex", "corel16k001", "corel5k", "enron", "medical", "tmc2007-500"}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_shape_and_published_split(real_file, name):
    file, shape, n_labels, n_train = SETS[name]
    real_file(file)
    data = load_dataset(name)
    assert data.X.shape == shape
    assert data.n_labels == n_labels
    assert (data.published_train is None) == (n_train is None)
    if n_train is not None:
        np.testing.assert_array_equal(data.published_train, np.arange(n_train))
    assert issparse(data.X) == (name in SPARSE or name.startswith(("yahoo", "rcv1")))
    values = data.X.data if issparse(data.X) else data.X
    assert values.dtype == np.float64
    assert np.isfinite(values).all()
    assert data.Y.dtype == np.int8
    assert not data.left_out, "a feature is taken for a row id"
    assert load_dataset(name).fingerprint == data.fingerprint


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODED)
def test_shape_and_cardinality(real_file, name):
    file, shape, n_labels, cardinality = ENCODED[name]
    real_file(file)
    data = load_dataset(name)
    assert (data.X.shape, data.n_labels) == (shape, n_labels)
    assert data.Y.sum() / data.n_samples == pytest.approx(cardinality, abs=6e-4)


@pytest.mark.parametrize("name", PUBLISHED_COUNTS)
def test_cards_expect_the_published_counts(name):
    """Whether the files have them is tested in `test_verify`."""
    *counts, cardinality = PUBLISHED_COUNTS[name]
    expected = load_card(name).expect
    assert [expected.samples, expected.features, expected.labels] == counts
    assert expected.cardinality == pytest.approx(cardinality, abs=6e-4)


def test_emotions_features_come_through_exactly(real_file):
    path = real_file("emotions/emotions.arff")
    rows = path.read_text().split("@data\n")[1].split()
    expected = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    data = load_dataset("emotions")
    np.testing.assert_array_equal(np.hstack([data.X, data.Y]), expected)
    assert data.label_names[0] == "amazed-suprised"


@pytest.mark.slow
def test_labels_are_in_arff_order_where_the_xml_has_another(real_file):
    real_file("yeast/yeast.xml")
    assert load_dataset("yeast").label_names == tuple(f"Class{i}" for i in range(1, 15))
    assert load_dataset("enron").label_names[:2] == ("A.A8", "C.C9")


def test_names_with_apostrophes_are_found(real_file):
    real_file("birds/birds.xml")
    data = load_dataset("birds")
    assert {"Swainson's Thrush", "MacGillivray's Warbler"} <= set(data.label_names)
    assert (data.Y.sum(axis=1) == 0).sum() == 294


def test_landmine_tasks_have_samples_of_their_own(real_file):
    real_file("landmine/LandmineData.mat")
    data = load_dataset("landmine")
    sizes = np.bincount(data.tasks)
    assert len(data.task_names) == sizes.size == 29
    assert (sizes.min(), sizes.max(), data.Y.sum()) == (445, 690, 904)


def test_scikit_learns_digits_are_the_test_part_of_optdigits(real_file):
    real_file("optdigits/optdigits.tes")
    optdigits, digits = load_dataset("optdigits"), load_dataset("digits")
    np.testing.assert_array_equal(optdigits.X[3823:], digits.X)
    np.testing.assert_array_equal(optdigits.Y[3823:], digits.Y)


@pytest.mark.slow
def test_the_last_rows_of_corel16k_are_its_published_test_part(real_file):
    path = real_file("corel16k001/Corel16k001-test.arff.gz")
    data, test = load_dataset("corel16k001"), load_dataset(str(path))
    assert (data.feature_names, data.label_names) == (test.feature_names, test.label_names)
    np.testing.assert_array_equal(data.X[-1744:].toarray(), test.X)
    np.testing.assert_array_equal(data.Y[-1744:], test.Y)


def test_a_stand_in_for_an_unpublished_subset(real_file):
    real_file("corel5k/Corel5k.xml")
    data = load_dataset({"use": "corel5k", "labels": 35, "rows": 1021, "seed": 1})
    assert (data.n_samples, data.n_labels) == (1021, 35)
