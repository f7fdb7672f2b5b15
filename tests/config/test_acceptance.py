"""Rules of ``audit: accept`` and their reasons."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from mlbench.config.acceptance import Acceptance


@pytest.mark.parametrize("reason", ["-", ".", " ", "42", "x", ""])
def test_a_reason_needs_words(reason):
    with pytest.raises(ValidationError, match=r"say in words|at least 1 character"):
        Acceptance(check="threshold", because=reason)


@pytest.mark.parametrize("reason", ["as the paper did", "重复论文", "wie im Artikel"])
def test_words_of_any_language_are_a_reason(reason):
    assert Acceptance(check="threshold", because=reason).because == reason
