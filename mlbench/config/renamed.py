"""What keys and values of experiment files were called before."""

from __future__ import annotations

from collections.abc import Mapping

KEYS: Mapping[str, str] = {
    "compare": "tests",
    "learn": "target",
    "projection": "source_rows",
    "seen": "source_labels",
    "select": "scoring",
    "tests": "test",
}
VALUES: Mapping[str, str] = {
    "native": "default",
    "ranks": "friedman",
    "seen": "source_labels",
    "unseen": "other_labels",
    "wins": "win_tie_loss",
}
