"""The example of a tool that keeps its models in files passes the checks of methods."""

from __future__ import annotations

import pytest

from mlbench.estimator_checks import CHECKS
from mlbench.registry import resolve
from mlbench.resources import bundled

# napkinXC sums in single precision, so the order of rows counts in the seventh decimal. It saves a
# node without weights with a loss that it never set, so that loading a tree of constant features
# fails now and then ("Unknown loss function type").
_BEYOND = ("row_order", "constant_features")


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in _BEYOND])
def test_the_tree_passes(name, monkeypatch):
    pytest.importorskip("napkinxc", reason="needs napkinXC: python -m pip install napkinxc")
    monkeypatch.setattr("mlbench.registry.import_policy.imports_allowed", lambda: True)
    CHECKS[name](resolve("napkinxc_tree.py:LabelTree", bundled("configs")))
