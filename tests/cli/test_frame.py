"""Methods that encode the columns of a table themselves get them as a data frame."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mlbench
from mlbench.api.prepare import prepare
from mlbench.config.load import load_experiment
from tests import program

METHOD = """
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder


class Columns(ClassifierMixin, BaseEstimator):
    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, Y):
        assert [*X] == ["age", "ward", "note"], [*X]
        encoded = make_column_transformer(
            (TfidfVectorizer(), "note"), (OneHotEncoder(), ["ward"]), ("passthrough", ["age"])
        )
        model = OneVsRestClassifier(LogisticRegression(C=self.C))
        self.model_ = make_pipeline(encoded, model).fit(X, Y)
        words = encoded.named_transformers_["tfidfvectorizer"].vocabulary_
        assert set(words) <= {word for note in X["note"] for word in note.split()}
        del X["note"]  # what it gets is its own
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)

    def predict(self, X):
        return self.model_.predict(X)
"""
EXPERIMENT = """name: notes
datasets:
  - {use: notes.csv, label_columns: [flu, cold], nominal: [ward], text: [note], groups: patient}
protocol:
  splits: {train: 0.6, repeats: 2}
  tuning: {folds: 2}
  preprocess: standardize
  threshold: cv_f1_label
methods:
  BR: br
  own: {use: "columns.py:Columns", input: frame, tune: {C: [1, 100]}}
"""


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """Write 60 notes whose words tell their labels, and an experiment on them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (60, 2))
    told = [("fever" if flu else "calm", "cough" if cold else "quiet") for flu, cold in Y]
    pd.DataFrame(
        {
            "age": rng.random(60),
            "ward": rng.choice(["north", "south"], 60),
            "note": [f"{first} {second} w{row}" for row, (first, second) in enumerate(told)],
            "patient": rng.integers(0, 30, 60),
            "flu": Y[:, 0],
            "cold": Y[:, 1],
        }
    ).to_csv("notes.csv", index=False)
    (tmp_path / "columns.py").write_text(METHOD)
    (tmp_path / "notes.yaml").write_text(EXPERIMENT)
    return tmp_path


@pytest.mark.slow
def test_the_example_of_the_page_runs(notes):
    page = Path(__file__).parents[2] / "docs/adding-a-method.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    (code,) = (block for block in blocks if "class Columns" in block)
    (notes / "columns.py").write_text(code)
    done = program.run("run", "notes.yaml", "--allow-import", cwd=notes)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_pipeline_of_ones_own_gets_the_columns_of_the_training_rows(notes):
    done = program.run("run", "notes.yaml", "--allow-import", cwd=notes)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "columns as they are to own" in " ".join(done.stdout.split())
    scores = mlbench.open_results("runs/notes").scores()
    own = scores[(scores["metric"] == "macro_f1") & (scores["method"] == "own")]
    assert (own["value"] > 0.9).all()


@pytest.mark.parametrize(
    ("changed", "to", "message"),
    [
        ("BR: br", "BR: {use: br, input: frame}", "a method of mlbench takes no data frame"),
        ("input: frame", "input: table", "methods.own.input"),
        ("input: frame", "input: frame, preprocess: minmax", "so preprocess has no place here"),
    ],
)
def test_what_gets_no_frame_is_told(notes, changed, to, message):
    (notes / "notes.yaml").write_text(EXPERIMENT.replace(changed, to))
    done = program.run("plan", "notes.yaml", "--allow-import", cwd=notes)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_key_of_a_cell_knows_its_input_and_other_keys_do_not_change(notes):
    def keys(text):
        (notes / "notes.yaml").write_text(text)
        prepared = prepare(load_experiment(notes / "notes.yaml"))
        return {cell.method: cell.key for cell in prepared.plan.cells}

    before, after = keys(EXPERIMENT.replace(", input: frame", "")), keys(EXPERIMENT)
    assert before["BR"] == after["BR"]
    assert before["own"] != after["own"]
