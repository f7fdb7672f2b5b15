"""The example of a method of one's own passes the checks of methods."""

from __future__ import annotations

import pytest

from mlbench.estimator_checks import CHECKS
from mlbench.registry import resolve
from mlbench.resources import bundled


@pytest.mark.parametrize("name", CHECKS)
def test_the_network_passes(name, monkeypatch):
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install torch")
    monkeypatch.setattr("mlbench.registry.import_policy.imports_allowed", lambda: True)
    CHECKS[name](resolve("torch_mlp.py:TorchMLP", bundled("configs")))
