"""What a package announces is found by its name, without permission to import."""

from __future__ import annotations

import pytest

from mlbench import plugins
from mlbench.config.load import load_experiment
from mlbench.config.splits import _all_splits
from mlbench.errors import ConfigError, MlbenchError
from mlbench.published.csv_file import find_paper
from mlbench.registry.import_policy import VARIABLE, imports_allowed

CODE = """
from dataclasses import dataclass
from mlbench.protocol.splitters import RowSplitter, TrainTest
from mlbench.published import PublishedPaper

@dataclass(frozen=True, kw_only=True)
class Last(RowSplitter):
    kind = "last"
    n: int = 2

    def divide(self, data, index):
        rows = list(range(len(data.Y)))
        return TrainTest(rows[: -self.n], rows[-self.n :])

def lee(name):
    return PublishedPaper(name, "Lee", ())
"""
EXPERIMENT = """
name: x
datasets: [digits]
protocol: {splits: {kind: KIND, n: 5}}
methods: {A: mlknn}
"""


@pytest.fixture
def announce(tmp_path, monkeypatch):
    """Install a package with entry points, for this test."""

    def announce(text):
        name = f"lee_{len(list(tmp_path.glob('*.dist-info')))}"
        folder = tmp_path / f"{name}-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (folder / "entry_points.txt").write_text(text)
        plugins._announced.cache_clear()

    (tmp_path / "lee_plugin.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(VARIABLE)
    for cached in (imports_allowed, plugins._announced, _all_splits):
        cached.cache_clear()
    yield announce
    monkeypatch.undo()
    for cached in (imports_allowed, plugins._announced, _all_splits):
        cached.cache_clear()


def load(folder, kind):
    path = folder / "x.yaml"
    path.write_text(EXPERIMENT.replace("KIND", kind))
    return load_experiment(path).experiment


def test_a_splitter(tmp_path, announce):
    announce("[mlbench.splitters]\nlast = lee_plugin:Last\n")
    splits = load(tmp_path, "last").protocol.splits
    assert (splits.kind, splits.parameters) == ("last", {"seed": 0, "n": 5})


def test_a_broken_splitter_harms_only_experiments_that_name_it(tmp_path, announce):
    announce("[mlbench.splitters]\nlast = lee_plugin:Last\nfirst = lee_plugin:First\n")
    assert load(tmp_path, "last").protocol.splits.kind == "last"
    with pytest.raises(
        ConfigError, match=r"protocol\.splits: first: the plug-in lee_plugin:First cannot be loaded"
    ):
        load(tmp_path, "first")


def test_a_file_of_the_same_code_needs_permission(tmp_path, announce):
    announce("[mlbench.splitters]\nlast = lee_plugin:Last\n")
    with pytest.raises(ConfigError, match=r"protocol\.splits\.kind: .*--allow-import"):
        load(tmp_path, "lee_plugin.py:Last")


def test_a_paper(announce):
    announce("[mlbench.papers]\nlee = lee_plugin:lee\n")
    assert find_paper("lee").title == "Lee"
    assert find_paper("ke").name == "ke"


def test_what_cannot_be_loaded_names_the_plug_in(announce):
    announce("[mlbench.papers]\nlee = lee_plugin:gone\n")
    with pytest.raises(MlbenchError, match=r"lee: the plug-in lee_plugin:gone cannot be loaded"):
        find_paper("lee")


def test_two_packages_cannot_announce_the_same_name(announce):
    announce("[mlbench.papers]\nlee = lee_plugin:lee\n")
    announce("[mlbench.papers]\nlee = other:lee\n")
    with pytest.raises(MlbenchError, match=r"two packages announce 'lee' in mlbench\.papers"):
        find_paper("lee")
