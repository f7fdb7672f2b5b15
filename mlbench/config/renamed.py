"""What keys and values of experiment files were called before."""

from __future__ import annotations

from collections.abc import Mapping

KEYS: Mapping[str, str] = {"compare": "tests", "select": "scoring", "tests": "test"}
VALUES: Mapping[str, str] = {"native": "default", "ranks": "friedman", "wins": "win_tie_loss"}
