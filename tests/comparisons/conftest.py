from tests.report.conftest import frames, settings

__all__ = ["frames", "settings"]
