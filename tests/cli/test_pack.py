"""``mlbench pack`` as a user meets it."""

from __future__ import annotations

import re
import shutil

import pytest

EXPERIMENT = """
name: small
published: ke
datasets:
  - {use: nam-toy, as: Emotions, tasks: 3, samples: 60, dimensions: 4}
  - {use: nam-toy, as: Scene, tasks: 2, samples: 60, dimensions: 4}
protocol: {splits: {train: 0.5, repeats: 3}, tuning: {folds: 2}}
methods:
  BR: {use: br, base: logistic, tune: {C: [0.1, 1]}}
  ML-kNN: {use: mlknn, k: 5}
  broken: {use: 'broken.py:Broken'}
metrics: [macro_f1, macro_auc]
tests: [{method: BR, against: [ML-kNN]}]
keep_predictions: true
"""

METHOD = """
from sklearn.base import BaseEstimator, ClassifierMixin

class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, Y):
        raise ValueError("it is broken")
    def predict(self, X):
        return X
    decision_function = predict
"""

READS = [
    "status out --format json",
    "status out --full",
    "report out",
    "report out --format latex --metric micro_f1",
    "export out",
    "export out --what seconds",
    "export out --what params",
    "plan small.yaml --allow-import --out out",
    "why small.yaml Scene/ML-kNN/1 --allow-import --out out",
    "why small.yaml Scene/BR/1 --allow-import --out out --set methods.BR.tune.C=[1,2]",
    "rescore out --convention mulan",
    "check out --against reference.json --format json",
    "reproduce out",
    "figure out --kind tuning --dataset Scene --format json",
    "figure out --format json",
    "run small.yaml --allow-import --out out --quiet",
]


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory, make_lab):
    lab = make_lab(tmp_path_factory.mktemp("single"))
    lab.write("small.yaml", EXPERIMENT)
    lab.write("broken.py", METHOD)
    ran = lab.mlbench("run", "small.yaml", "--allow-import", "--out", "out", "--quiet")
    assert ran.returncode == 1, ran.stderr  # for the broken method
    written = lab.mlbench("check", "out", "--write", "reference.json")
    assert written.returncode == 0, written.stderr
    return lab


@pytest.fixture(scope="module")
def packed(finished_run, make_lab, tmp_path_factory):
    """The same results, packed."""
    folder = tmp_path_factory.mktemp("packed") / "lab"
    shutil.copytree(finished_run.folder, folder)
    lab = make_lab(folder)
    assert lab.mlbench("pack", "out").stdout == "18 files packed; 18 rows in the pack\n"
    assert list(folder.glob("out/rows/*/*.json")) == []
    return lab


@pytest.mark.parametrize("words", READS)
def test_every_command_reads_a_packed_folder_as_it_read_the_single_files(
    finished_run, packed, call, words
):
    if words.startswith("figure"):
        pytest.importorskip("matplotlib")
    before = call(finished_run.folder, *words.split())
    after = call(packed.folder, *words.split())
    assert (after.exit_code, after.stdout) == (before.exit_code, before.stdout)
    assert before.stdout


def test_the_page_of_a_packed_folder_is_the_same_without_links_to_single_files(
    finished_run, packed, call
):
    pages = []
    for lab in (finished_run, packed):
        call(lab.folder, "report", "out", "--html", "page.html")
        pages.append((lab.folder / "page.html").read_text())
    before, after = pages
    assert "out/rows/" not in after
    without = re.sub(r'<a href="out/rows/[^>]*>([0-9a-f]*)</a>', r"\1", before)
    rows = re.compile(r"<p>One row per split\. .*?</p>")
    assert rows.sub("", after) == rows.sub("", without)
    assert "The rows have no files of their own, as they are packed" in after


def test_a_packed_folder_is_merged_with_its_predictions(finished_run, packed, call, tmp_path):
    merged = call(packed.folder, "merge", "out", "--into", str(tmp_path / "copy"))
    assert merged.stdout == "18 rows copied, 0 already there\n"
    for command in ("export", "rescore"):
        before = call(finished_run.folder, command, "out")
        assert call(tmp_path, command, "copy").stdout == before.stdout


@pytest.fixture
def done(finished_run, make_lab, tmp_path):
    """A copy to spoil."""
    shutil.copytree(finished_run.folder, tmp_path / "lab")
    return make_lab(tmp_path / "lab")


def test_a_merge_names_the_file_that_a_folder_lacks(done, call):
    (done.folder / "out" / "experiment.yaml").unlink()
    told = call(done.folder, "merge", "out", "--into", "copy")
    assert told.exit_code == 2
    assert "out/experiment.yaml: cannot be read: No such file or directory" in told.stderr
    assert "copy that file there" in told.stderr
    assert not (done.folder / "copy" / "rows").exists()


def test_what_a_damaged_pack_has_lost_runs_again(done, call):
    whole = call(done.folder, "export", "out").stdout
    call(done.folder, "pack", "out")
    (pack,) = done.folder.glob("out/packs/*")
    pack.write_bytes(pack.read_bytes()[:4096])
    assert "its rows count as missing" in call(done.folder, "report", "out").stderr
    again = done.mlbench("run", "small.yaml", "--allow-import", "--out", "out")
    assert "what is lost runs again" in again.stderr
    assert call(done.folder, "export", "out").stdout == whole


def test_a_folder_without_results_is_refused(lab, call):
    refused = call(lab.folder, "pack", ".")
    assert refused.exit_code == 2
    assert "not a results folder" in refused.stderr
