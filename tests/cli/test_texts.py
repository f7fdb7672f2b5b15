"""A table with a text column and labels is one experiment."""

from __future__ import annotations

import numpy as np
import pytest

import mlbench
from mlbench.api.prepare import prepare
from mlbench.config.load import load_experiment
from mlbench.errors import DataError, MlbenchError
from tests import program

TOPICS = {"water": ["river", "boat", "fish"], "food": ["bread", "oven", "salt"]}

EXPERIMENT = """
name: reviews
datasets: [{use: reviews.csv, label_columns: [water, food], text: [note]}]
protocol:
  splits: {train: 0.6, repeats: 2}
  preprocess: [standardize]
  tuning: {folds: 2}
methods:
  BR: {use: br, base: logistic, tune: {C: [1, 100]}}
  forest: {use: sklearn.ensemble.RandomForestClassifier, n_estimators: 5}
"""


@pytest.fixture
def reviews(tmp_path, monkeypatch):
    """Write 60 reviews whose words tell their topics, and an experiment on them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    lines = ["age,note,water,food"]
    for _ in range(60):
        has = rng.randint(0, 2, 2)
        words = [rng.choice(own) for own, one in zip(TOPICS.values(), has, strict=True) if one]
        note = " ".join([*words, *rng.choice(["the", "and", "so"], 2)])
        lines.append(f'{rng.rand():.3f},"{note}, or so",{has[0]},{has[1]}')
    (tmp_path / "reviews.csv").write_text("\n".join(lines))
    (tmp_path / "reviews.yaml").write_text(EXPERIMENT)
    return tmp_path


@pytest.mark.slow
def test_words_decide(reviews):
    done = program.run("run", "reviews.yaml", cwd=reviews)
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    assert (
        "reviews: 60 x 11, 2 labels; 1 text column (note; tfidf), up to 10 features: each" in said
    )
    assert "text turned into features by a vectorizer, fitted on training parts" in " ".join(
        said.split()
    )
    scores = mlbench.open_results("runs/reviews").scores()
    assert (scores[scores["metric"] == "macro_f1"]["value"] > 0.85).all()  # chance is below 0.7
    page = program.run("report", "runs/reviews", "--html", cwd=reviews)
    assert page.returncode == 0, page.stderr
    (written,) = (reviews / "runs/reviews").glob("*.html")
    note = "reviews: 1 text column (note; tfidf), up to 10 features: each split makes those of its"
    assert note in written.read_text()


@pytest.mark.slow
def test_a_card_keeps_its_text_columns(reviews):
    added = program.run(
        *("data", "add", "reviews.csv", "--labels", "water,food", "--to", "here"),
        *("--set", "text=[note]"),
        cwd=reviews,
    )
    assert added.returncode == 0, added.stderr
    assert "1 text column (note; tfidf)" in added.stdout
    shown = program.run("data", "show", "reviews", "--data", "here", cwd=reviews)
    assert "text         1 text column (note; tfidf)" in shown.stdout
    measured = program.run("data", "describe", "reviews", "--data", "here", cwd=reviews)
    assert "text columns" in measured.stdout


def test_texts_without_a_word_are_told_with_their_setting(reviews):
    settings = ["datasets.0.text={columns: [note], min_df: 61}"]
    with pytest.raises(
        DataError, match=r"^--set datasets.0.text=.*: reviews: the text column 'note' leav"
    ):
        prepare(load_experiment(reviews / "reviews.yaml", settings=settings))


def test_splits_that_prepare_features_themselves_refuse_texts(reviews):
    kind = "{kind: transfer, source_rows: 0.5, source_labels: 1, target: source_labels}"
    with pytest.raises(DataError, match=r"text columns, which splits of the kind transfer cannot"):
        prepare(load_experiment(reviews / "reviews.yaml", settings=[f"protocol.splits={kind}"]))


def _refusal(experiment):
    with pytest.raises(MlbenchError) as refused:
        prepare(load_experiment(experiment))
    return str(refused.value)


def test_a_word_cannot_be_in_more_rows_than_a_training_part_has(reviews):
    often = "text: {columns: [note], min_df: 40}"  # every note has "so"; 36 rows train
    (reviews / "reviews.yaml").write_text(EXPERIMENT.replace("text: [note]", often))
    said = _refusal(reviews / "reviews.yaml")
    assert (
        "reviews.yaml:3:61: datasets.0.text: min_df is 40, but a training part has 36 rows at most"
        in said
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("label_columns: [water, fod]", "3:31: DIR/reviews.csv: label_columns: no column named"),
        ("label_columns: [water, food], ignore: [agee]", "3:61: DIR/reviews.csv: ignore: no feat"),
        ("label_columns: [water, food], rows: 99", "3:61: reviews: rows is 99, but there are"),
        ("label_columns: [water, food], groups: ag", "3:61: DIR/reviews.csv: groups: no column"),
    ],
)
def test_the_key_that_is_wrong_is_named_with_its_place(reviews, changed, message):
    text = EXPERIMENT.replace("label_columns: [water, food]", changed)
    (reviews / "reviews.yaml").write_text(text)
    said = _refusal(reviews / "reviews.yaml").replace(str(reviews), "DIR")
    assert f"DIR/reviews.yaml:{message}" in said


def test_a_column_without_any_value_is_told(reviews):
    lines = (reviews / "reviews.csv").read_text().splitlines()
    rows = ["void," + lines[0], *("," + line for line in lines[1:])]
    (reviews / "reviews.csv").write_text("\n".join(rows))
    data = mlbench.load_dataset(
        {
            "use": str(reviews / "reviews.csv"),
            "label_columns": ["water", "food"],
            "missing": "keep",
        }
    )
    assert "'void' has no value in any row." in data.notes
