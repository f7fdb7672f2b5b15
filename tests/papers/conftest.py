"""The results that wide tables are laid out from."""

from tests.report.conftest import frames, settings

__all__ = ["frames", "settings"]
