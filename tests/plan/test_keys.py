"""A key holds what the result depends on: all of it, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mlbench.hashing import digest
from mlbench.protocol.thresholds import POLICIES

TUNED = {"use": "br", "tune": {"C": [0.1, 1.0]}}
FIXED = {"use": "mlknn", "k": 7}
SPLITS = {"kind": "random", "train": 0.6, "repeats": 2, "seed": 5}


def keys(plan):
    return {(c.dataset, c.method, c.split): c.key for c in plan.cells}


def key_of(plan, use="br"):
    """Return the key of the first cell of a method."""
    return next(cell.key for cell in plan.cells if cell.planned_method.use == use)


def test_every_cell_has_its_own_key_and_it_is_the_hash_of_its_identity(plan):
    cells = plan().cells
    assert len({cell.key for cell in cells}) == len(cells) == 2 * 2 * 2
    for cell in cells:
        assert cell.key == digest(json.loads(json.dumps(cell.identity)))
    names = [cell.name for cell in cells[:3]]
    assert names == ["emotions/BR/0", "emotions/BR/1", "emotions/ML-kNN/0"]


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "another", "title": "T", "description": "D"},
        {"metrics": ["hamming_loss", "precision_at_5", "ndcg_at_3@sklearn"]},
        {"limits": {"time": 60, "memory": "1 GB"}},
        {"report": {"unit": "fraction"}, "published": "ke"},
        {"tests": [{"method": "BR"}]},
        {"keep_predictions": True, "threads": 1},
        {"datasets": ["digits", "emotions"]},
        {"datasets": ["emotions", "yeast", "digits"]},
        {"methods": {"ML-kNN": FIXED, "BR": TUNED}},
        {"methods": {"BR": TUNED, "new": {"use": "lspc"}, "ML-kNN": FIXED}},
        {"methods": {"BR": {**TUNED, "limits": {"time": 9}}, "ML-kNN": FIXED}},
        {"protocol": {"splits": {**SPLITS, "repeats": 3}}},
        {"protocol": {"splits": SPLITS, "preprocess": "none", "threshold": "default"}},
    ],
    ids=lambda changes: ",".join(changes),
)
def test_what_a_result_does_not_depend_on_changes_no_key(plan, changes):
    assert keys(plan()).items() <= keys(plan(**changes)).items()


def test_a_metric_that_is_computed_because_it_is_named_changes_the_keys(plan):
    cell = plan(metrics=["macro_f1", "precision_at_7"]).cells[0]
    assert cell.identity["metrics"] == [{"name": "precision_at_7"}]
    assert [spec.load().name for spec in cell.metrics] == ["precision_at_7"]
    assert cell.key != plan().cells[0].key
    assert cell.code == plan().cells[0].code


@pytest.mark.parametrize(
    "written",
    [
        {"use": "br", "base": "logistic", "tune": {"C": [0.1, 1.0]}},
        {"use": "br", "tune": {"C": {"log10": [-1, 0, 2]}}},
        {
            "use": "mlbench.methods.BinaryRelevance",
            "tune": {"C": [0.1, 1.0]},
        },
        {"use": "br", "base": {"use": "logistic"}, "tune": {"C": [0.1, 1.0]}},
        {"use": "br", "tune": {"C": [0.1, 1.0]}, "scoring": "macro_f1", "threshold": "default"},
        {"use": "br", "params": {"fit_intercept": True}, "tune": {"C": [0.1, 1.0]}},
    ],
)
def test_other_ways_of_writing_the_same_method_have_the_same_key(plan, written):
    ours = plan(methods={"other name": written})
    assert ours.cells[0].key == key_of(plan())


def test_several_metrics_that_decide_are_in_the_key_of_a_search_in_their_order(plan):
    def cell(scoring, *metrics):
        metrics = list(metrics) or ["macro_f1", "auc_tie_share", "macro_auc"]
        tuning = {"folds": 5, "scoring": scoring}
        return plan(metrics=metrics, protocol={"splits": SPLITS, "tuning": tuning}).cells[0]

    each = cell("each")
    assert each.tuning.identity["scoring"] == ["macro_f1", "macro_auc"]
    assert each.key == cell(["macro_f1", "macro_auc@skip"]).key
    assert each.key != cell(["macro_auc", "macro_f1"]).key
    assert cell("each", "macro_f1", "auc_tie_share").key == cell(["macro_f1"]).key
    assert cell("each", "macro_f1").key == cell("macro_f1").key == plan().cells[0].key


def test_methods_without_a_search_have_one_key_for_all_scorings(plan):
    protocol = {"splits": SPLITS, "tuning": {"scoring": "each"}}
    assert key_of(plan(protocol=protocol), "mlknn") == key_of(plan(), "mlknn")


def test_more_threads_are_another_key_but_the_same_seeds_and_the_row_says_how_many(plan):
    one, two = plan().cells[0], plan(threads=2).cells[0]
    assert "threads" not in one.identity
    assert two.identity["threads"] == 2
    assert one.key != two.key
    assert one.search != two.search
    assert one.planned_method.seed(("toy", 0)) == two.planned_method.seed(("toy", 0))


def test_defaults_that_are_written_out_change_no_key(plan):
    short = plan(methods={"a": {"use": "mlknn"}}).cells[0].key
    assert plan(methods={"a": {"use": "mlknn", "k": 10, "s": 1.0}}).cells[0].key == short


def test_the_name_in_tables_changes_no_key(plan):
    plain = plan(datasets=[{"use": "corel5k", "rows": 50}]).cells[0]
    named = plan(datasets=[{"use": "corel5k", "as": "small", "rows": 50}]).cells[0]
    assert (named.dataset, plain.dataset) == ("small", "corel5k[rows=50]")
    assert named.key == plain.key


@pytest.mark.parametrize(
    "changes",
    [
        {"methods": {"BR": {"use": "br", "tol": 1e-5, "tune": {"C": [0.1, 1.0]}}}},
        {"methods": {"BR": {"use": "br", "base": "ridge", "tune": {"alpha": [0.1, 1.0]}}}},
        {"methods": {"BR": {"use": "br", "tune": {"C": [0.1, 1.0, 10]}}}},
        {"methods": {"BR": {"use": "br", "tune": {"C": [1.0, 0.1]}}}},  # the first of equals wins
        {"methods": {"BR": {"use": "br", "tune": {"tol": [0.1, 1.0]}}}},
        {"methods": {"BR": {"use": "br"}}},
        {"methods": {"BR": {**TUNED, "scoring": "micro_f1"}}},
        {"methods": {"BR": {**TUNED, "threshold": "cv_f1_label"}}},
        {"methods": {"BR": {**TUNED, "preprocess": "standardize"}}},
        {"protocol": {"splits": SPLITS, "preprocess": "standardize"}},
        {"protocol": {"splits": SPLITS, "threshold": "train_f1_global"}},
        {"protocol": {"splits": SPLITS, "threshold": {"f1": "cv_f1_label"}}},
        {"protocol": {"splits": SPLITS, "tuning": {"scoring": "each"}}},
        {"protocol": {"splits": SPLITS, "tuning": {"folds": 4}}},
        {"protocol": {"splits": SPLITS, "tuning": {"scoring": "micro_auc"}}},
        {"protocol": {"splits": SPLITS, "tuning": {"scope": "first-split"}}},
        {"protocol": {"splits": SPLITS, "tuning": {"patience": 3}}},
        {"protocol": {"splits": {**SPLITS, "train": 0.5}}},
        {"protocol": {"splits": {**SPLITS, "train": 60}}},
        {"protocol": {"splits": {**SPLITS, "test": 10}}},
        {"protocol": {"splits": {**SPLITS, "seed": 6}}},
        {"protocol": {"splits": {"kind": "kfold", "seed": 5}}},
        {"datasets": [{"use": "emotions", "rows": 50}]},
    ],
    ids=lambda changes: str(changes)[:60],
)
def test_what_a_result_depends_on_changes_the_key(plan, changes):
    assert key_of(plan(**changes)) != key_of(plan())


def test_one_and_one_point_nought_are_two_values(plan):
    # max_features=1 is one feature, max_features=1.0 all of them
    def key(value):
        forest = {"use": "sklearn.ensemble.RandomForestClassifier", "max_features": value}
        return plan(methods={"A": forest}).cells[0].key

    assert key(1) != key(1.0)


def test_folds_and_selection_do_not_touch_a_method_that_uses_neither(plan):
    tuning = {"folds": 4, "scoring": "micro_auc", "scope": "first-split", "patience": 3}
    changed = plan(protocol={"splits": SPLITS, "tuning": tuning})
    assert key_of(changed, "mlknn") == key_of(plan(), "mlknn")


def test_folds_touch_a_method_whose_thresholds_are_chosen_by_them(plan):
    def key(folds):
        protocol = {"splits": SPLITS, "threshold": "cv_f1_label", "tuning": {"folds": folds}}
        return key_of(plan(protocol=protocol), "mlknn")

    assert key(3) != key(4)


def test_the_revision_of_a_threshold_touches_the_keys_of_that_policy_alone(plan, monkeypatch):
    def keys_of(policy):
        return key_of(plan(protocol={"splits": SPLITS, "threshold": policy}), "mlknn")

    names = ["default", *POLICIES]
    before = {name: keys_of(name) for name in names}
    monkeypatch.setitem(POLICIES, "cv_f1_label", replace(POLICIES["cv_f1_label"], revision=9))
    after = {name: keys_of(name) for name in names}
    assert [name for name in names if before[name] != after[name]] == ["cv_f1_label"]


def test_new_content_of_a_data_set_changes_its_keys_alone(plan, facts):
    changed = {"emotions": replace(facts, fingerprint="0" * 64), "digits": facts}
    old, new = keys(plan()), keys(plan(facts=changed))
    assert {place[0] for place in old if old[place] != new[place]} == {"emotions"}


def test_more_repetitions_of_kfold_keep_the_keys_there_are(plan):
    def kfold(repeats):
        return keys(plan(protocol={"splits": {"kind": "kfold", "folds": 3, "repeats": repeats}}))

    assert kfold(1).items() <= kfold(2).items()
    assert len(kfold(2)) == 2 * len(kfold(1))


SOURCE = """
from sklearn.base import BaseEstimator

class Mine(BaseEstimator):
    def __init__(self, alpha=1):
        self.alpha = alpha
    def fit(self, X, Y):
        return self
    def predict(self, X):
        return X > 0
"""


@pytest.mark.parametrize("name", ["use", "base"])
def test_the_code_of_a_users_method_counts_but_not_its_words_nor_its_place(plan, tmp_path, name):
    def key(source, folder="here"):
        path = tmp_path / folder / "mine.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
        return plan(methods={"A": {"use": "br", name: f"{path}:Mine"}}).cells[0].key

    first = key(SOURCE)
    assert key(SOURCE.replace("X > 0", "X > 1")) != first
    assert key(f"# a remark\n{SOURCE}") == first
    assert key(SOURCE, "elsewhere") == first


def test_the_keys_of_a_projection_and_what_is_learned_with_it(plan):
    drawn = {"kind": "transfer", "source_rows": 50, "source_labels": 3, "seed": 5}
    unseen = {**drawn, "target": "other_labels", "folds": 2}

    def transfer(**splits):
        return keys(plan(protocol={"splits": {**unseen, **splits}}))

    one = transfer(repeats=1)
    assert one.items() <= transfer(repeats=2).items()
    seen = keys(plan(protocol={"splits": {**drawn, "target": "source_labels"}}))
    changed = [
        transfer(source_rows=51),
        transfer(source_labels=4),
        transfer(folds=3),
        transfer(seed=6),
        seen,
    ]
    assert not set(one.values()) & {key for each in changed for key in each.values()}


def test_stratification_of_folds_is_part_of_the_key_of_a_search_alone(plan):
    methods = {"BR": {"use": "br", "tune": {"C": [0.1, 1.0]}}, "fixed": {"use": "br"}}

    def made(**tuning):
        return plan(methods=methods, protocol={"tuning": {"folds": 3, **tuning}}).cells

    plain, stratified = made(), made(stratify="label_pairs")
    tuned, fixed = ([cell for cell in stratified if cell.method == name] for name in methods)
    assert {cell.key for cell in fixed} < {cell.key for cell in plain}
    assert not {cell.key for cell in tuned} & {cell.key for cell in plain}
    more = {"stratify_folds": "label_pairs", "stratification": 2}
    assert tuned[0].identity == {**plain[0].identity, **more}


def test_a_training_part_of_a_data_set_stands_in_for_the_one_of_the_protocol(plan):
    fifth = {"use": "digits", "train": 0.2}
    made = plan(datasets=["digits", fifth], protocol={"splits": {"train": 0.5}})
    assert list(made.facts) == ["digits", "digits[train=0.2]"]
    half, less = (
        next(cell.identity for cell in made.cells if cell.dataset == name) for name in made.facts
    )
    assert less == {**half, "split": {**half["split"], "train": 0.2}}
    stated = plan(datasets=["digits"], protocol={"splits": {"train": 0.2}})
    assert stated.cells[0].key in {cell.key for cell in made.cells if cell.dataset != "digits"}


def test_an_imbalance_is_part_of_the_key_and_its_absence_is_none(plan):
    skewed = {"use": "digits", "imbalance": {"ratio": 5}}
    more = {**skewed, "imbalance": {"ratio": 10}, "as": "ten"}
    methods = {"BR": {"use": "br", "tune": {"C": [0.1, 1.0]}}}
    made = plan(datasets=["digits", skewed, more], methods=methods)
    assert list(made.facts) == ["digits", "digits[imbalance=1:5]", "ten"]
    assert len({cell.key for cell in made.cells}) == len(made.cells)
    plain, five, ten = (
        next(cell.identity for cell in made.cells if cell.dataset == name) for name in made.facts
    )
    assert "imbalance" not in plain
    assert five == {**plain, "imbalance": {"ratio": 5.0}}
    assert ten == {**plain, "imbalance": {"ratio": 10.0}}
    again = plan(datasets=[{**skewed, "as": "x"}], methods=methods)
    assert {cell.key for cell in again.cells} <= {cell.key for cell in made.cells}
    assert {str(cell.data.reference) for cell in made.cells} == {"digits"}
