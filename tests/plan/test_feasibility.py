from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.errors import ConfigError
from mlbench.plan import ImpossiblePlan


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ({"kind": "published"}, "emotions has no published training and test part"),
        (
            {"train": 90, "test": 11},
            "emotions: 100 samples cannot be divided into 90 for training and 11",
        ),
        ({"train": 100}, "100 samples cannot be divided into 100 for training and 0"),
        ({"train": 0.999}, "100 samples cannot be divided into 100 for training and 0"),
        ({"kind": "kfold", "folds": 101}, "emotions has 100 samples, too few for 101 folds"),
    ],
)
def test_a_data_set_that_cannot_be_divided_so_is_refused(plan, splits, words):
    with pytest.raises(ConfigError, match=words):
        plan(protocol={"splits": splits})


TRANSFER = {"kind": "transfer", "source_rows": 60, "source_labels": 3, "target": "source_labels"}
UNSEEN = {**TRANSFER, "target": "other_labels", "folds": 4}


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        (
            {**TRANSFER, "source_labels": 6},
            "emotions: of 5 labels a projection cannot see 6 and leave 0",
        ),
        (
            {**UNSEEN, "source_labels": 5},
            "of 5 labels a projection cannot see 5 and leave 1 or more",
        ),
        ({**TRANSFER, "source_rows": 100}, "of 100 samples a projection cannot have 100 and leave"),
        ({**TRANSFER, "source_rows": 0.001}, "a projection cannot have 0 and leave 1 or more"),
        ({**UNSEEN, "source_rows": 93}, "a projection cannot have 93 and leave 8 or more"),
        ({**UNSEEN, "source_rows": 81}, "parts of 4 samples cannot be divided into 5 folds for"),
    ],
)
def test_too_few_rows_or_labels_for_a_projection_and_the_rest_are_refused(plan, splits, words):
    found = problems(plan, protocol={"splits": splits})
    assert [location for location, _ in found] == [("protocol", "splits")] * 2
    assert words in found[0][1]


@pytest.mark.parametrize(
    ("splits", "methods"),
    [
        ({**TRANSFER, "source_labels": 5, "source_rows": 99}, None),
        ({**UNSEEN, "source_labels": 4, "source_rows": 80}, None),
        ({**UNSEEN, "source_rows": 92}, {"A": "morp_svm"}),
    ],
)
def test_what_just_leaves_enough_is_planned(plan, splits, methods):
    more = {} if methods is None else {"methods": methods}
    made = plan(protocol={"splits": {**splits, "repeats": 3}}, **more)
    assert made.n_splits == 3 * (splits.get("folds") or 1)


def test_labels_of_a_projection_share_their_rows(plan, tasked):
    methods = {"BR": "br"}
    protocol = {"splits": TRANSFER}
    found = problems(plan, facts=tasked, methods=methods, protocol=protocol)
    assert [location for location, _ in found] == [("protocol", "splits")]
    assert "digits: every task has separate rows" in found[0][1]
    skewed = {"use": "digits", "imbalance": {"ratio": 5}}
    found = problems(plan, datasets=[skewed], methods=methods, protocol=protocol)
    assert [location for location, _ in found] == [("datasets", 0, "imbalance")]


RATINGS = {"kind": "ratings", "given": 20, "folds": 5}
RATED = {"BR": {"use": "br", "tune": {"C": [0.1, 1.0]}}, "MORP": "morp_svm"}


@pytest.fixture
def rated(facts):
    """Return facts by which a user has rated 25 rows or more."""
    return {name: replace(facts, fewest_known=25) for name in ("emotions", "digits")}


def test_ratings_are_for_a_model_per_user_and_for_projections(plan, rated):
    protocol = {"splits": RATINGS}
    assert plan(facts=rated, methods=RATED, protocol=protocol).n_splits == 50
    methods = {**RATED, "ML-kNN": "mlknn", "ECC": "ecc", "MT": "mt_lspc", "RBF": "rbf_svm"}
    found = problems(plan, facts=rated, methods=methods, protocol=protocol)
    assert [location for location, _ in found] == [("methods", "ML-kNN")] * 2 + [
        ("methods", "ECC")
    ] * 2
    assert "MLkNN takes no tasks" in found[0][1]
    assert found[0][1].endswith("(with splits of the kind ratings, a task is a user)")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"given": 25}, "a user has 25 ratings, and 25 given ones leave none to be predicted"),
        ({"folds": 6}, "5 users cannot be divided into 6 folds"),
        ({"given": 4}, "4 ratings of a user cannot be divided into 5 folds for tuning"),
    ],
)
def test_too_few_users_or_ratings_are_refused(plan, rated, changes, words):
    protocol = {"splits": {**RATINGS, **changes}}
    found = problems(plan, facts=rated, methods=RATED, protocol=protocol)
    assert [location for location, _ in found] == [("protocol", "splits")] * 2
    assert words in found[0][1]


def test_where_labels_are_unknown_none_can_be_transferred(plan, rated):
    found = problems(plan, facts=rated, methods=RATED, protocol={"splits": TRANSFER})
    assert "emotions: not all labels of all rows are known, and these splits" in found[0][1]


@pytest.mark.parametrize("splits", [{"train": 0.6}, {"kind": "kfold"}])
def test_unknown_labels_need_a_method_that_does_without(plan, rated, splits):
    methods = {"BR": "br", "SVM": "svm_ovr", "ML-kNN": "mlknn", "MORP": "morp_svm"}
    found = problems(plan, facts=rated, methods=methods, protocol={"splits": splits})
    assert [location for location, _ in found] == [("methods", "ML-kNN")] * 2 + [
        ("methods", "MORP")
    ] * 2
    assert found[0][1].startswith("emotions: some labels are unknown, and MLkNN needs all; ")
    assert " br, lspc, mt_lspc," in found[0][1]
    assert " svm_ovr, rbf_svm," in found[0][1]


def test_a_label_that_is_never_known_cannot_be_learned(plan, rated):
    facts = {name: replace(each, fewest_known=0) for name, each in rated.items()}
    found = problems(plan, facts=facts, methods={"BR": "br"})
    assert "some label is unknown in all rows" in found[0][1]


@pytest.mark.parametrize(
    "splits", [{"train": 90, "test": 10}, {"train": 99}, {"kind": "kfold", "folds": 100}]
)
def test_what_can_just_be_divided_is_planned(plan, splits):
    assert plan(protocol={"splits": splits}).cells


def test_a_published_split_is_one_split(plan, facts):
    published = replace(facts, has_published_split=True)
    made = plan(
        facts={"emotions": published, "digits": published},
        protocol={"splits": {"kind": "published"}},
    )
    assert made.n_splits == 1


def problems(plan, **changes):
    with pytest.raises(ImpossiblePlan) as refused:
        plan(**changes)
    return refused.value.problems


@pytest.fixture
def tasked(facts):
    """Return facts by which one of two data sets has tasks."""
    return {"emotions": facts, "digits": replace(facts, n_labels=1, n_tasks=4)}


def test_a_method_for_tasks_needs_data_with_tasks(plan, tasked):
    methods = {"MT": "mt_lspc", "pair": {"use": "mt_lspc_pair", "tune": {"gamma": [0, 1]}}}
    for_tasks, pair = problems(plan, facts=tasked, methods=methods)
    assert for_tasks[0] == ("methods", "MT")
    assert for_tasks[1].startswith(
        "emotions: MultiTaskLSPC learns one label over several tasks, and these data have no tasks"
    )
    assert pair[0] == ("methods", "pair")
    assert plan(facts=tasked, methods=methods, datasets=["digits"]).cells


def test_data_with_tasks_need_a_method_that_takes_them(plan, tasked):
    methods = {"ML-kNN": "mlknn", "BR": "br", "forest": "sklearn.ensemble.RandomForestClassifier"}
    found = problems(plan, facts=tasked, methods=methods)
    assert [location for location, _ in found] == [("methods", "ML-kNN"), ("methods", "forest")]
    assert all(message.startswith("digits: ") for _, message in found)
    assert "MLkNN takes no tasks, and every row of these data belongs to one" in found[0][1]
    assert plan(facts=tasked, methods=methods, datasets=["emotions"]).cells


def test_labels_that_draw_samples_of_their_own_are_tasks(plan):
    skewed = {"use": "digits", "imbalance": {"ratio": 5}}
    ((location, message),) = problems(plan, datasets=[skewed])
    assert location == ("methods", "ML-kNN")
    assert message.startswith("digits[imbalance=1:5]: MLkNN takes no tasks")
    assert plan(datasets=[skewed], methods={"MT": "mt_lspc", "BR": "br"}).cells


def test_a_training_part_of_a_data_set_belongs_to_random_splits(plan):
    fifth = {"use": "digits", "train": 0.2}
    splits = {"kind": "kfold", "folds": 3}
    ((location, message),) = problems(plan, datasets=[fifth], protocol={"splits": splits})
    assert location == ("datasets", 0, "train")
    assert (
        message
        == "splits of kind kfold take no training part; only those of kind random and time do"
    )
    most = {"use": "digits", "train": 100_000}
    ((location, message),) = problems(plan, datasets=[most])
    assert "cannot be divided into 100000 for training" in message


@pytest.mark.parametrize("steps", [None, ["standardize"], ["unit-norm", "impute"]])
def test_missing_values_need_a_method_that_takes_them_or_a_step_that_imputes(plan, facts, steps):
    gappy = {"emotions": replace(facts, has_missing=True), "digits": facts}
    methods = {"BR": "br", "forest": "sklearn.ensemble.RandomForestClassifier"}
    found = problems(plan, facts=gappy, methods=methods, protocol={"preprocess": steps})
    refused = methods if steps and "unit-norm" in steps else ["BR"]
    assert [location for location, _ in found] == [("methods", name) for name in refused]
    assert found[0][1].startswith("emotions: features have missing values")
    assert "`preprocess: [impute]`" in found[0][1]


def test_missing_values_that_are_imputed_are_planned(plan, facts):
    gappy = {name: replace(facts, has_missing=True) for name in ("emotions", "digits")}
    assert plan(facts=gappy, protocol={"preprocess": ["standardize", "impute", "unit-norm"]}).cells
    own = {"BR": {"use": "br", "preprocess": ["impute"]}}
    assert plan(facts=gappy, methods=own).cells


def test_all_that_is_impossible_is_told_at_once(plan, tasked):
    found = problems(
        plan,
        facts=tasked,
        methods={"MT": "mt_lspc", "ML-kNN": "mlknn"},
        protocol={"splits": {"train": 100}},
    )
    assert [location for location, _ in found] == [
        ("protocol", "splits"),
        ("methods", "MT"),
        ("methods", "ML-kNN"),
    ]


def test_a_method_need_not_suit_the_data_sets_that_it_is_not_on(plan, facts):
    with_tasks = {"emotions": facts, "digits": replace(facts, n_tasks=3)}
    found = problems(plan, facts=with_tasks, methods={"A": "mlknn"})
    assert [location for location, _ in found] == [("methods", "A")]
    made = plan(with_tasks, methods={"A": {"use": "mlknn", "not_on": ["digits"]}})
    assert {cell.dataset for cell in made.cells} == {"emotions"}
