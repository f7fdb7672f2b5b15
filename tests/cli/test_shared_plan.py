"""Tasks of a submission run the plan that was submitted, whatever has changed since."""

from __future__ import annotations

import json
import shlex

import pytest

from mlbench.api.prepare import prepare
from mlbench.api.shared_plan import SharedPlan
from mlbench.config.load import load_experiment
from mlbench.errors import DataError, MlbenchError

EXPERIMENT = """
name: small
datasets: [{use: ./mine.csv, label_columns: [a, b]}]
protocol: {splits: {train: 0.5, repeats: 4}}
methods:
  ML-kNN: {use: mlknn, k: 5}
  mine: mine.py:Mine
"""

METHOD = """
from sklearn.neighbors import KNeighborsClassifier


class Mine(KNeighborsClassifier):
    pass
"""


def table(rows):
    lines = [f"{i},{i * i % 7},{int(i % 7 > 2)},{i % 2}" for i in range(rows)]
    return "\n".join(["x,z,a,b", *lines, ""])


@pytest.fixture
def config(lab):
    lab.write("mine.csv", table(40))
    lab.write("mine.py", METHOD)
    lab.write("small.yaml", EXPERIMENT)
    return lab


def task_of(lab, *words):
    """Return the words of the first of two tasks, of which nothing was submitted."""
    words = ("small.yaml", "--out", "out", "--tasks", "2", "--allow-import", *words)
    done = lab.mlbench("submit", *words, "--dry-run")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if " -m mlbench run " in line]
    command = shlex.split(line.removesuffix(" &"))
    return [word.replace("$SLURM_ARRAY_TASK_ID", "1") for word in command[4:]]


def keys(lab, out):
    return {path.stem for path in lab.folder.glob(f"{out}/rows/*/*.json")}


def test_several_arrays_that_are_printed_come_with_advice_how_to_chain_them(config):
    words = ("submit", "small.yaml", "--out", "out", "--allow-import", "--tasks", "3", "--dry-run")
    few = ("--at-once", "1", "--max-array-size", "2")
    told = config.mlbench(*words, *few).stderr
    assert "each array runs 1 task at a time: give sbatch --dependency=afterany:JOB" in told
    assert "afterany" not in config.mlbench(*words).stderr


def test_a_task_runs_the_experiment_that_was_submitted(config):
    words = task_of(config, "--set", "protocol.splits.repeats=3")
    config.write("small.yaml", EXPERIMENT.replace("k: 5", "k: 7"))
    assert config.mlbench(*words).returncode == 0
    assert config.mlbench(*[word.replace("1/2", "2/2") for word in words]).returncode == 0
    config.write("small.yaml", EXPERIMENT)
    local = ("run", "small.yaml", "--allow-import", "--set", "protocol.splits.repeats=3")
    config.mlbench(*local, "--out", "local")
    assert keys(config, "out") == keys(config, "local")
    scores = [config.mlbench("export", out, "--what", "scores").stdout for out in ("out", "local")]
    assert scores[0] == scores[1]


def test_code_that_changed_is_told_and_nothing_runs(config):
    words = task_of(config)
    config.write("mine.py", METHOD.replace("pass", "two = 2"))
    done = config.mlbench(*words)
    assert done.returncode == 2
    assert "changed since the submission: settings, code or data of mine" in done.stderr
    assert "Nothing was run; submit again" in done.stderr
    assert not keys(config, "out")
    config.write("mine.py", METHOD)
    assert config.mlbench(*words).returncode == 0


def test_data_that_changed_are_told_and_their_cells_run_again_when_submitted_again(config):
    words = task_of(config)
    config.write("mine.csv", table(41))
    done = config.mlbench(*words)
    assert done.returncode == 1
    assert "the data changed after the run was planned" in done.stderr
    again = task_of(config)
    assert again != words
    assert config.mlbench(*again).returncode == 0


def test_a_setting_beside_the_plan_is_told(config):
    words = task_of(config)
    done = config.mlbench(*words, "--set", "methods.ML-kNN.k=7")
    assert done.returncode == 2
    assert "changed since the submission: settings, code or data of ML-kNN" in done.stderr


def test_the_plan_of_another_experiment_is_refused(config):
    words = task_of(config)
    config.write("other.yaml", EXPERIMENT.replace("small", "other"))
    words[1] = "other.yaml"
    done = config.mlbench(*words)
    assert done.returncode == 2
    assert "other.yaml: the plan is of another experiment, " in done.stderr
    assert not keys(config, "out")


def test_a_dry_run_prints_the_script_of_each_array(config):
    words = ("small.yaml", "--out", "out", "--tasks", "3", "--max-array-size", "2")
    done = config.mlbench("submit", *words, "--allow-import", "--dry-run")
    assert done.stdout.count("#!/") == done.stdout.count("#SBATCH --array=1") == 3
    assert "not submitted: 8 cells in 3 tasks" in done.stderr


def test_one_plan_has_one_file(config):
    assert task_of(config) == task_of(config)
    task_of(config, "--set", "protocol.splits.repeats=3")
    assert len([*config.folder.glob("out/slurm/plan-*.json")]) == 2


def test_no_data_set_is_read_for_the_plan(tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text(table(40))
    text = EXPERIMENT.replace("  mine: mine.py:Mine\n", "")
    (tmp_path / "small.yaml").write_text(text)
    prepared = prepare(load_experiment(tmp_path / "small.yaml"))
    path = SharedPlan.of(prepared.plan, text, tmp_path / "small.yaml").write(tmp_path)

    def unread(*_):
        raise DataError("read")

    monkeypatch.setattr("mlbench.api.prepare.load_dataset", unread)
    shared = SharedPlan.read(path)
    loaded = shared.load(tmp_path / "small.yaml", [], [], quick=False)
    assert prepare(loaded, shared=shared).plan == prepared.plan
    with pytest.raises(DataError):
        prepare(loaded)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not as `mlbench submit` wrote it"),
        (b"\xff", "not a text file in UTF-8"),
        (b'{"experiment": "name: a"}', "Field required"),
        (None, "cannot be read"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, content, message):
    path = tmp_path / "plan.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MlbenchError, match=rf"plan\.json: .*{message}.*; submit again"):
        SharedPlan.read(path)


def test_a_data_set_that_the_plan_lacks_is_named(tmp_path):
    (tmp_path / "mine.csv").write_text(table(40))
    text = EXPERIMENT.replace("  mine: mine.py:Mine\n", "")
    (tmp_path / "small.yaml").write_text(text)
    loaded = load_experiment(tmp_path / "small.yaml")
    path = SharedPlan.of(prepare(loaded).plan, text, tmp_path / "small.yaml").write(tmp_path)
    plain = json.loads(path.read_text()) | {"datasets": {}}
    path.write_text(json.dumps(plain))
    with pytest.raises(MlbenchError, match="the submitted plan has no data set mine; submit again"):
        prepare(loaded, shared=SharedPlan.read(path))
