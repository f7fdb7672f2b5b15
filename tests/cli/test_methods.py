from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mlbench.cli import main
from mlbench.estimator_checks import CHECKS
from mlbench.registry import METHODS

SOUND = '''
import numpy as np
from mlbench.methods.base import MultiLabelMethod

class Prior(MultiLabelMethod):
    """Prior: the share of each label in training.

    Parameters
    ----------
    shrink : float, default=0.0
        How far to move the shares
        towards 1/2.
    """

    def __init__(self, shrink=0.0):
        self.shrink = shrink

    def fit(self, X, Y):
        X, Y, _ = self._check_training(X, Y)
        self.share_ = (1 - self.shrink) * Y.mean(axis=0) + self.shrink / 2
        return self

    def _scores(self, X, tasks):
        return np.tile(self.share_, (X.shape[0], 1))

class Careless(Prior):
    def fit(self, X, Y):
        X[:] = 0
        return super().fit(X, Y)

class Trusting(Prior):
    def predict(self, X):
        return np.zeros((len(X), len(self.share_)), dtype=int)

class OfColumns(Prior):
    def fit(self, X, Y):
        return super().fit(X[X.columns].to_numpy(), Y)
'''


@pytest.fixture
def own_file(tmp_path):
    (tmp_path / "own.py").write_text(SOUND)
    return f"{tmp_path}/own.py"


def run(*arguments):
    return CliRunner().invoke(main, ["methods", *arguments])


def test_list_names_every_method_with_its_source():
    result = run("list")
    assert result.exit_code == 0
    for name in METHODS:
        assert f"\n{name}: " in f"\n{result.output}"
    assert "mlknn: ML-kNN (built-in)" in result.output
    assert "Zhang & Zhou (2007)" in result.output


def test_list_as_json_is_for_programs():
    rows = {row["name"]: row for row in json.loads(run("list", "--format", "json").output)}
    assert list(rows) == list(METHODS)
    assert rows["br"]["title"] == "Binary relevance"
    assert rows["br"]["summary"] == "One independent classifier per label."
    for row in rows.values():
        assert all(row[key] for key in ("title", "summary", "source", "origin", "target"))


def test_show_explains_every_parameter():
    result = run("show", "ml_lspc")
    assert result.exit_code == 0
    assert (
        "    gamma = 0.1   (float)\n        Weight of the penalty gamma * W_ij * ||t_i - t_j||^2"
        in result.output
    )
    assert "Tasks   takes no tasks" in result.output
    assert "Path    yes" in result.output


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_of_every_method_has_a_meaning(name):
    shown = json.loads(run("show", name, "--format", "json").output)
    assert shown["parameters"]
    assert all(parameter["meaning"] for parameter in shown["parameters"])


@pytest.mark.slow
def test_tasks_are_spoken_of():
    tasks = {
        name: json.loads(run("show", name, "--format", "json").output)["tasks"] for name in METHODS
    }
    assert tasks["br"] == "optional"
    assert tasks["mlknn"] == "none"
    assert tasks["mt_lspc"] == "required"


def test_a_method_of_ones_own_can_be_shown(own_file):
    result = run("show", f"{own_file}:Prior")
    assert "Prior (named in full)" in result.output
    assert "How far to move the shares towards 1/2." in result.output


def test_an_estimator_of_another_library_can_be_shown():
    result = run("show", "sklearn.multiclass.OneVsRestClassifier")
    assert result.exit_code == 0
    assert "estimator = (must be given)" in result.output


def test_an_unknown_name_is_a_wrong_usage():
    result = run("show", "mlkn")
    assert result.exit_code == 2
    assert "error: there is no method 'mlkn' (did you mean 'mlknn'?)" in result.stderr


def test_a_sound_method_of_ones_own_passes_all_checks(own_file):
    result = run("validate", f"{own_file}:Prior", "--param", "shrink=0.1", "--allow-import")
    assert result.exit_code == 0, result.output
    assert f"{len(CHECKS)} of {len(CHECKS)} checks passed" in result.output


def test_a_careless_method_is_told_what_it_does_wrong(own_file):
    result = run("validate", f"{own_file}:Careless", "--format", "json")
    assert result.exit_code == 1
    failures = {row["check"]: row["failure"] for row in json.loads(result.output)}
    assert list(failures) == list(CHECKS)
    assert failures["inputs_left_alone"] == "X or Y was changed"


def test_a_method_that_predicts_from_missing_values_is_told(own_file):
    result = run("validate", f"{own_file}:Trusting")
    assert "predict accepts nan in X; it must raise ValueError" in result.output


def test_a_method_that_needs_a_frame_is_told_that_the_checks_do_not_suit_it(own_file):
    result = run("validate", f"{own_file}:OfColumns")
    assert result.exit_code == 1
    *_, failed, stopped = result.output.splitlines()
    assert "`input: frame`" in failed
    assert result.output.count("FAILED") == 1
    assert stopped.startswith("stopped: the checks give features as arrays")
    assert "frame" not in run("validate", f"{own_file}:Careless").output


def test_a_setting_that_is_none_is_a_wrong_usage(own_file):
    assert run("validate", f"{own_file}:Prior", "--param", "shrink").exit_code == 2
    result = run("validate", f"{own_file}:Prior", "--param", "shrnk=1")
    assert result.exit_code == 2
    assert "did you mean 'shrink'?" in result.stderr
    result = run("validate", "mlknn", "--param", "k=0")
    assert result.exit_code == 2
    assert "MLkNN: k must be a whole number of at least 1; got 0" in result.stderr


def test_the_file_of_a_new_method_passes_all_checks(lab):
    written = lab.mlbench("methods", "new", "MyMethod")
    assert written.stdout.splitlines()[0] == "wrote mymethod.py"
    checked = lab.mlbench("methods", "validate", "mymethod.py:MyMethod")
    assert checked.returncode == 0, checked.stdout


def test_a_new_method_replaces_no_file(tmp_path, call):
    (tmp_path / "mine.py").write_text("precious")
    refused = call(tmp_path, "methods", "new", "Mine")
    assert refused.exit_code == 2
    assert "mine.py: exists; choose another file with --out" in refused.output
    assert (tmp_path / "mine.py").read_text() == "precious"


def test_a_new_method_needs_a_name(tmp_path, call):
    refused = call(tmp_path, "methods", "new", "my-method")
    assert refused.exit_code == 2
    assert "cannot be the name of a class" in refused.output
