"""A table with a text column and labels is one experiment."""

from __future__ import annotations

import numpy as np
import pytest

import mlbench
from mlbench.api.prepare import prepare
from mlbench.config.load import load_experiment
from mlbench.errors import DataError
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
    assert "reviews: 60 x 11, 2 labels; 1 text column (note; tfidf), 10 features in" in said
    assert "text turned into features by a vectorizer, fitted on training parts" in " ".join(
        said.split()
    )
    scores = mlbench.open_results("runs/reviews").scores()
    assert (scores[scores["metric"] == "macro_f1"]["value"] > 0.85).all()  # chance is below 0.7
    page = program.run("report", "runs/reviews", "--html", cwd=reviews)
    assert page.returncode == 0, page.stderr
    (written,) = (reviews / "runs/reviews").glob("*.html")
    assert "reviews: 1 text column (note; tfidf), 10 features in all rows." in written.read_text()


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


def test_texts_without_a_word_are_told_with_their_line(reviews):
    settings = ["datasets.0.text={columns: [note], min_df: 61}"]
    with pytest.raises(DataError, match=r"reviews.yaml:3:12: reviews: the text column 'note' leav"):
        prepare(load_experiment(reviews / "reviews.yaml", settings=settings))


def test_splits_that_prepare_features_themselves_refuse_texts(reviews):
    kind = "{kind: transfer, source_rows: 0.5, source_labels: 1, target: source_labels}"
    with pytest.raises(DataError, match=r"text columns, which splits of the kind transfer cannot"):
        prepare(load_experiment(reviews / "reviews.yaml", settings=[f"protocol.splits={kind}"]))
