"""A metric of one's own: how it is found, what it is given, and what it may return."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import MlbenchError
from mlbench.metrics import Metric, evaluate, get_metric, score
from mlbench.metrics.user_metrics import load_metric
from mlbench.registry.import_policy import imports_allowed

Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
SCORES = np.array([[0.9, 0.2], [0.1, 0.8], [0.7, 0.3], [0.4, 0.1]])
LABELS = (SCORES > 0.5).astype(int)

STATED = (
    "import mlbench\nimport numpy as np\n@mlbench.metric(greater_is_better=True, range=(0, 1){})\n"
)


@pytest.fixture
def own(tmp_path):
    """Write a function and load it as a metric."""

    def load(body, more="", header=STATED):
        (tmp_path / "my.py").write_text(
            f"{header.format(more)}def gain(Y, scores, labels):\n    {body}\n"
        )
        return load_metric("my.py:gain", tmp_path)

    return load


def values(metric):
    return evaluate(Y, SCORES, LABELS, user_metrics=[metric]).values


def test_it_stands_beside_the_others(own):
    loaded = own("return (Y == labels).mean()", ", title='Accuracy'")
    found = values(loaded)
    assert found["my.py:gain"] == 0.875
    assert found["macro_f1"] == values(get_metric("macro_f1"))["macro_f1"]
    assert (loaded.title, loaded.greater_is_better, loaded.is_fraction) == ("Accuracy", True, True)
    assert get_metric("my.py:gain") is loaded
    assert score("my.py:gain", Y, SCORES, LABELS) == 0.875


def test_values_per_label_are_averaged_without_those_that_are_undefined(own):
    assert values(own("return [0.5, np.nan]"))["my.py:gain"] == 0.5
    assert np.isnan(values(own("return np.nan"))["my.py:gain"])


def test_what_is_not_needed_is_none(own):
    assert values(own("return float(labels is None)", ", needs='scores'"))["my.py:gain"] == 1
    assert values(own("return float(scores is None)", ", needs='labels'"))["my.py:gain"] == 1


def test_probabilities_are_undefined_where_scores_are_none(own):
    brier = own("return ((Y - scores) ** 2).mean()", ", needs='probabilities'")
    assert values(brier)["my.py:gain"] == pytest.approx(0.10625)
    assert np.isnan(evaluate(Y, 2 * SCORES, LABELS, user_metrics=[brier]).values["my.py:gain"])


def test_a_task_plays_the_part_of_a_label(own):
    loaded = own("return Y.mean() if Y.shape == (1, 1) else 0.5 * (Y.shape == (3, 1))")
    column = (Y[:, :1], SCORES[:, :1], LABELS[:, :1], np.array([0, 1, 1, 1]))
    assert evaluate(*column, user_metrics=[loaded]).values["my.py:gain"] == 0.75


def test_it_cannot_change_what_it_is_given(own):
    kept = SCORES.copy()
    values(own("scores[:] = 0; return 1"))
    np.testing.assert_array_equal(SCORES, kept)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1.5", "'my.py:gain' returned 1.5, which is outside its range, 0 to 1"),
        ("return np.inf", "returned inf, which is outside its range"),
        ("return None", "returned None; expected a number, or one for each of the 2 labels"),
        ("return 'high'", "returned 'high'; expected a number"),
        ("return [1, 1, 1]", r"returned \[1, 1, 1\]; expected a number"),
        ("return 1 / 0", "'my.py:gain' failed: ZeroDivisionError: division by zero"),
    ],
)
def test_nonsense_is_an_error_that_says_so(own, body, words):
    with pytest.raises(MlbenchError, match=words):
        values(own(body))


def test_attributes_do_what_the_decorator_does(tmp_path):
    (tmp_path / "my.py").write_text(
        "def hit_rate(Y, scores, labels):\n    return 3\nhit_rate.greater_is_better = False\n"
    )
    loaded = load_metric("my.py:hit_rate", tmp_path)
    assert (loaded.title, loaded.greater_is_better, loaded.needs) == ("Hit rate", False, "both")
    assert not loaded.is_fraction
    assert values(loaded)["my.py:hit_rate"] == 3


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("", "my.py:gain", "my.py:gain: my.py has no 'gain'"),
        ("gain = 3", "my.py:gain", "'gain' is a int, not a function"),
        ("def gain(Y): pass", "my.py:gain", r"must be callable as \(Y, scores, labels\)"),
        (
            "def gain(Y, s, l): pass",
            "my.py:gain",
            "does not declare whether a greater",
        ),
        ("", "other.py:gain", "there is no file"),
        ("", "sklearn.metrics.f1_score", r"must be callable as \(Y, scores, labels\)"),
        ("", "sklearn.metrics.no_such", "has no 'no_such'"),
        ("", "gain", "there is no metric 'gain'"),
    ],
)
def test_what_is_no_metric_is_told_in_words(tmp_path, text, name, words):
    (tmp_path / "my.py").write_text(text)
    with pytest.raises(MlbenchError, match=words):
        load_metric(name, tmp_path)


@pytest.mark.parametrize("stated", ["range=(1, 0)", "range=3", "needs='votes'"])
def test_wrong_statements_are_refused(own, stated):
    header = f"import mlbench\n@mlbench.metric(greater_is_better=True, {stated})\n"
    with pytest.raises(MlbenchError, match=r"has the range|needs 'votes'"):
        own("return 1", header=header)


def test_code_that_nobody_vouched_for_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "my.py").write_text("raise SystemExit('ran')")
    monkeypatch.delenv("MLBENCH_ALLOW_IMPORT")
    imports_allowed.cache_clear()
    try:
        with pytest.raises(MlbenchError, match="--allow-import"):
            load_metric("my.py:gain", tmp_path)
    finally:
        monkeypatch.undo()
        imports_allowed.cache_clear()


def test_what_it_states_survives_as_plain_values(own):
    loaded = own("return 1", ", needs='scores', title='G'")
    known = Metric.from_plain(loaded.as_plain())
    assert known.as_plain() == loaded.as_plain()
    with pytest.raises(MlbenchError, match=r"the code of the metric 'my.py:gain' was not loaded"):
        evaluate(Y, SCORES, LABELS, user_metrics=[known])
