from __future__ import annotations

import pytest

from mlbench import resources
from mlbench.resources import bundled


@pytest.mark.parametrize(
    ("folder", "file"), [("datasets", "emotions.yaml"), ("configs", "quickstart.yaml")]
)
def test_what_comes_along_is_there(folder, file):
    assert (bundled(folder) / file).is_file()


def test_an_installed_package_has_its_files_inside(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "mlbench"
    (package / "_bundled" / "configs").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert bundled("configs") == package / "_bundled" / "configs"


def test_a_checkout_has_them_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "mlbench")
    assert bundled("configs") == tmp_path / "configs"
