"""A package announces a check, and the audit runs it beside its own."""

from __future__ import annotations

import pytest

from mlbench import plugins
from mlbench.audit.checks import all_checks
from mlbench.errors import MlbenchError
from tests.audit.experiments import Method, essence, threats

CODE = '''
from mlbench.audit.checks import Check
from mlbench.audit.handicaps import Handicap

def narrow(pair, facts):
    """Find leads below a point."""
    if pair.is_decided and pair.lead < 0.01:
        yield Handicap(pair, pair.behind, pair.ahead).alarm(
            "weakens", f"{{ahead}} leads {{behind}} by {facts.amount('', pair.lead)}", "Wait."
        )

NARROW = Check(narrow)
'''


@pytest.fixture
def announce(tmp_path, monkeypatch):
    """Install a package with a check, for this test."""

    def announce(target):
        folder = tmp_path / "lee-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: lee\nVersion: 1\n")
        (folder / "entry_points.txt").write_text(f"[mlbench.checks]\nnarrow = {target}\n")
        plugins._announced.cache_clear()

    (tmp_path / "lee_check.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    plugins._announced.cache_clear()
    yield announce
    monkeypatch.undo()
    plugins._announced.cache_clear()


def test_a_check_of_a_package(announce):
    announce("lee_check:NARROW")
    methods = {
        "A": Method(scores={"macro_f1": [0.5, 0.6, 0.55, 0.62, 0.58]}),
        "B": Method(scores={"macro_f1": [0.495, 0.595, 0.545, 0.615, 0.5751]}),
    }
    (found,) = threats("narrow", methods)
    assert essence(found) == ("weakens", ("A",), ("B",), 1)


def test_what_is_no_check(announce):
    announce("lee_check:narrow")
    with pytest.raises(MlbenchError, match=r"'narrow' in mlbench\.checks is no audit\.Check"):
        all_checks()
