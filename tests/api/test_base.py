"""A base is verified before anything runs: every key, and all that is the same here."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from mlbench.api import check_base, run_cells
from mlbench.api.base import _called_alike
from mlbench.api.prepare import prepare
from mlbench.api.run_cells import Run
from mlbench.config.load import load_experiment
from mlbench.config.schema import Method
from mlbench.errors import ConfigError, DataError, StoreError
from mlbench.protocol.thresholds import POLICIES
from mlbench.results import open_results
from mlbench.results.reference_file import json_lines
from mlbench.store.row import key_of
from tests.exports import without_hashes

PUBLISHED = """
name: published
datasets: [{use: nam-toy, as: toy, samples: 80}, {use: digits, rows: 120}]
protocol: {splits: {kind: kfold, folds: 2}, tuning: {folds: 2}, threshold: cv_f1_label}
methods:
  BR: {use: br, base: logistic, tune: {C: [0.1, 1]}}
  ML-kNN: {use: mlknn, k: 5}
  plain: {use: mlknn, threshold: default, preprocess: standardize}
metrics: [macro_f1, micro_f1]
"""
MINE = """\
name: mine
base: there
methods: {mine: {use: mlknn, k: 3}}
"""


@pytest.fixture(scope="module")
def published(make_lab, tmp_path_factory):
    lab = make_lab(tmp_path_factory.mktemp("published"))
    lab.write("published.yaml", PUBLISHED)
    assert lab.mlbench("run", "published.yaml").returncode == 0
    assert lab.mlbench("export", "runs/published", "--folder", "there").returncode == 0
    return lab.folder / "there"


@pytest.fixture
def stand_on(published, tmp_path, monkeypatch):
    """Prepare an experiment on a copy of the published folder, after a change of its series."""
    monkeypatch.chdir(tmp_path)

    def stand_on(change=None, text=MINE, export=None, rekeyed=True):
        shutil.rmtree(tmp_path / "there", ignore_errors=True)
        shutil.copytree(published, tmp_path / "there")
        without_hashes(tmp_path / "there")
        if change is not None:
            alter(tmp_path / "there/reference.json", change, rekeyed)
        if export is not None:
            path = tmp_path / "there/export.json"
            plain = json.loads(path.read_text())
            export(plain)
            path.write_text(json.dumps(plain))
        (tmp_path / "mine.yaml").write_text(text)
        return prepare(load_experiment(tmp_path / "mine.yaml"))

    return stand_on


def alter(path, change, rekeyed):
    """Change each series of a reference, and let its keys be those of the changed identities."""
    reference = json.loads(path.read_text())
    for series in reference["series"]:
        change(series)
        for split, cell in series["cells"].items() if rekeyed else ():
            of_split = {**series["identity"]["split"], "index": int(split)}
            cell["key"] = key_of({**series["identity"], "split": of_split})
    path.write_text("\n".join(json_lines(reference)) + "\n")


def set_in_identity(*path, to, dataset="toy", method=None):
    def change(series):
        if series["dataset"] == dataset and method in (None, series["method"]):
            *above, last = path
            place = series["identity"]
            for key in above:
                place = place[key]
            place[last] = to

    return change


def test_what_is_taken_over(stand_on):
    prepared = stand_on()
    assert re.fullmatch(
        r"base published \(\d{4}-\d\d-\d\d, mlbench [\d.]+\): 3 methods, 2 data sets, 2 splits: "
        "12 cells taken over, all keys verified",
        *prepared.notes,
    )
    assert [cell.name for cell in prepared.plan.cells] == [
        "toy/mine/0",
        "toy/mine/1",
        "digits[rows=120]/mine/0",
        "digits[rows=120]/mine/1",
    ]
    (part,) = prepared.taken_over
    assert part.origin.methods == ("BR", "ML-kNN", "plain")


def test_a_part_is_taken_over(stand_on):
    text = "name: x\nbase: {use: there, datasets: [toy], methods: [plain]}\nmethods: {A: mlknn}\n"
    (part,) = stand_on(text=text).taken_over
    assert part.origin.counts == {"ok": 2}
    assert part.results.datasets == ("toy",)


def test_an_altered_identity_is_refused_with_its_line(stand_on):
    change = set_in_identity("method", "params", "k", to=6, method="ML-kNN")
    with pytest.raises(
        StoreError,
        match=r"there/reference\.json:\d+:\d+: series\.1\.cells\.0: key is not the hash of its "
        r"identity; restore the folder",
    ):
        stand_on(change, rekeyed=False)


OTHERS = {
    "another name": (
        set_in_identity("dataset", "name", to="nam"),
        r"base: your file 'nam-toy\[samples=80\]' must be called 'nam': splits are drawn from the "
        r"name",
    ),
    "other splits": (
        set_in_identity("split", "revision", to=7),
        r"base: toy: the splits of its cells are not those that its experiment makes here \(they "
        r"differ in split\.revision\); restore the folder",
    ),
    "an older protocol": (
        lambda series: series["identity"].update(revision=2),
        r"base: computed under protocol revision 2, this mlbench has 3: splits or metrics may "
        r"differ; run \S*there/experiment\.yaml again, or install mlbench [\d.]+",
    ),
    "another threshold": (
        set_in_identity("threshold", to="default", method="BR"),
        r"base: toy/BR ran with threshold 'default', and the experiment of the base states .*; "
        r"restore the folder",
    ),
    "another preprocessing": (
        set_in_identity("preprocess", to=["minmax"], method="plain"),
        r"base: toy/plain ran with preprocess \['minmax'\], and the experiment of the base states "
        r"\['standardize'\]; restore the folder",
    ),
    "another tuning metric": (
        set_in_identity("tuning", "scoring", to="micro_f1", method="BR"),
        r"base: toy/BR ran with tuning\.scoring 'micro_f1', and the experiment of the base states "
        r"'macro_f1'; restore the folder",
    ),
    "other folds": (
        set_in_identity("folds", to=9, method="BR"),
        r"base: toy/BR ran with folds 9, and the experiment of the base states 2; restore .*",
    ),
    "parameters of an earlier run": (
        set_in_identity("chosen", to="by an earlier run", method="BR"),
        r"base: toy/BR ran with chosen 'by an earlier run', and the experiment of the base states "
        r"None; restore .*",
    ),
    "another method": (
        set_in_identity("method", "name", to="br", method="ML-kNN"),
        r"base: toy/ML-kNN ran with the method 'br', and the experiment of the base states "
        r"'mlknn'; restore .*",
    ),
    "another parameter": (
        set_in_identity("method", "params", "k", to=6, method="ML-kNN"),
        r"base: toy/ML-kNN ran with k 6, and the experiment of the base states 5; restore .*",
    ),
    "another base learner": (
        set_in_identity("method", "params", "base", "name", to="naive_bayes", method="BR"),
        r"base: toy/BR ran with base\.name naive_bayes, and the experiment of the base states .*",
    ),
    "another grid": (
        set_in_identity("tuning", "grid", to=[{"C": 3.0}, {"C": 4.0}], method="BR"),
        r"base: toy/BR ran with tuning\.grid .*, and the experiment of the base states .*",
    ),
    "the default of a parameter": (
        set_in_identity("method", "params", to={}, method="ML-kNN"),
        r"base: toy/ML-kNN ran with k default, and the experiment of the base states 5; restore .*",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_the_same_here_is_refused_at_its_line(stand_on, name):
    change, message = OTHERS[name]
    with pytest.raises(ConfigError) as refused:
        stand_on(change)
    assert re.fullmatch(rf"\S*mine\.yaml:2:1: {message}", str(refused.value))


def test_other_data_are_refused(stand_on):
    other = "abcdef" + 58 * "0"

    def export(plain):
        plain["datasets"]["toy"]["fingerprint"] = other

    with pytest.raises(
        ConfigError,
        match=r"base: toy: your data are not those of the base \(fingerprint [0-9a-f]{6} here, "
        r"abcdef there\): 80 x 300, 8 in both, so values or labels are others",
    ):
        stand_on(set_in_identity("dataset", "fingerprint", to=other), export=export)


def test_a_threshold_of_another_revision_is_refused(stand_on, monkeypatch):
    newer = replace(POLICIES["cv_f1_label"], revision=9)
    monkeypatch.setitem(POLICIES, "cv_f1_label", newer)
    with pytest.raises(
        ConfigError,
        match=r"computed under revision \d of the threshold cv_f1_lab"
        r"el, this mlbench has revision 9: splits or metrics may differ",
    ):
        stand_on()


def test_series_on_other_splits_than_each_other_are_refused(stand_on):
    change = set_in_identity("dataset", "fingerprint", to="0" * 64, method="plain")
    with pytest.raises(StoreError, match=r"toy/plain and toy/BR are of different data, so they "):
        stand_on(change)


def test_data_that_are_not_here_may_be_left_out(stand_on, monkeypatch):
    monkeypatch.delenv("MLBENCH_DATA", raising=False)

    def change(export):
        export["experiment"]["datasets"][1] = {"use": "emotions", "as": "digits[rows=120]"}

    with pytest.raises(DataError) as refused:
        stand_on(export=change)
    first, *_, last = str(refused.value).splitlines()
    assert "mine.yaml:2:1: cannot find emotions" in first
    assert last == "or choose some: base: {use: there, datasets: [toy]}"


def test_a_metric_that_the_base_lacks_is_refused(stand_on):
    with pytest.raises(ConfigError) as refused:
        stand_on(text=f"{MINE}metrics: [macro_f1, example_f1]\n")
    assert str(refused.value).endswith(
        "mine.yaml:4:21: metrics.1: example_f1: the base has macro_f1, micro_f1"
    )


def test_older_revisions_of_methods_are_told(stand_on):
    def change(series):
        method = series["identity"]["method"]
        if series["method"] == "BR":
            method["revision"] = 0

    assert stand_on(change).notes[1:] == (
        "° BR: revision 0 in the base, 1 here: numbers may have moved; run it under a name of "
        "yours to see",
    )


def test_cells_that_the_base_lacks_are_told(stand_on, published, tmp_path):
    stand_on()
    lines = (tmp_path / "there/cells.csv").read_text().splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if line.startswith("toy,plain,1,ok"))
    head, fields = lines[0].count(","), lines[place].split(",")
    lines[place] = ",".join([*fields[:3], "missing"]) + "," * (head - 3) + "\n"
    (tmp_path / "there/cells.csv").write_text("".join(lines))
    for name in ("scores", "controls", "params", "seconds", "fit"):
        path = tmp_path / f"there/{name}.csv"
        if path.exists():
            kept = path.read_text().splitlines(keepends=True)
            path.write_text("".join(each for each in kept if not each.startswith("toy,plain,1,")))

    def change(series):
        if (series["dataset"], series["method"]) == ("toy", "plain"):
            del series["cells"]["1"]

    alter(tmp_path / "there/reference.json", change, rekeyed=False)
    prepared = prepare(load_experiment(tmp_path / "mine.yaml"))
    assert prepared.notes[1] == "base: 1 cell was not run there: toy/plain"
    assert prepared.taken_over[0].origin.counts == {"ok": 11}


def test_a_base_that_changed_is_told(stand_on, tmp_path):
    told = []
    Run.open(stand_on(), told.append)
    assert told == []
    path = tmp_path / "there/scores.csv"
    line = next(each for each in path.read_text().splitlines() if each.startswith("toy,plain,1"))
    path.write_text(path.read_text().replace(line, f"{line.rpartition(',')[0]},0.5"))

    def change(series):
        if (series["dataset"], series["method"]) == ("toy", "plain"):
            series["cells"]["1"]["scores"][line.split(",")[3]] = 0.5

    alter(tmp_path / "there/reference.json", change, rekeyed=False)
    Run.open(prepare(load_experiment(tmp_path / "mine.yaml")), told.append)
    (warning,) = told
    assert re.fullmatch(
        r"warning: the base changed since \d{4}-\d\d-\d\d: 1 number moved \(first: toy/plain/1 "
        r"macro_f1\)",
        warning,
    )


def test_methods_that_came_and_left_with_another_base_are_named(monkeypatch):
    def part(sha, *methods):
        results = SimpleNamespace(methods=methods, numbers=lambda _: ())
        origin = SimpleNamespace(is_base=True, sha256=sha, date="2026-01-01")
        return SimpleNamespace(origin=origin, results=results)

    monkeypatch.setattr(run_cells, "read_taken_over", lambda _: [part("a", "BR", "LP")])
    told = []
    prepared = SimpleNamespace(taken_over=[part("b", "BR", "ECC", "CC")])
    run_cells._warn_of_another_base(prepared, SimpleNamespace(root=None), told.append)
    assert told == [
        "warning: the base changed since 2026-01-01: 0 numbers moved; LP left; ECC and CC came"
    ]


def test_a_folder_that_is_called_like_the_base_is_told(tmp_path):
    use = SimpleNamespace(use="strong-baselines")
    loaded = SimpleNamespace(experiment=SimpleNamespace(base=use), folder=tmp_path)
    assert [*_called_alike(loaded)] == []
    (tmp_path / "strong-baselines").mkdir()
    (tmp_path / "strong-baselines/export.json").touch()
    (note,) = _called_alike(loaded)
    assert note.endswith("strong-baselines write ./strong-baselines")


def test_the_folder_goes_on_without_its_base(stand_on, tmp_path):
    prepared = stand_on()
    Run.open(prepared, print)
    shutil.rmtree(tmp_path / "there")
    results = open_results(prepared.out)
    assert results.methods == ("BR", "ML-kNN", "plain", "mine")
    assert results.counts == {"ok": 12, "missing": 4}


@pytest.mark.parametrize(
    "base", ["their.Learner", {"use": "their.Learner"}, {"use": "tree", "x": [{"use": "a.py:B"}]}]
)
def test_nothing_is_imported_to_compare_a_base_with_its_experiment(base):
    assert check_base._expected(Method(use="br", base=base)) is None
    assert check_base._expected(Method(use="br", base="tree"))["name"] == "br"
