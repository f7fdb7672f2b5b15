"""Errors that a user can fix.

The message of such an error says what is wrong, where, and what would be right. The command line
prints the message alone and exits with code 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class MlbenchError(Exception):
    """An error in the user's input, explained in its message."""


class ConfigError(MlbenchError):
    """An experiment file that is not valid."""


class DataError(MlbenchError):
    """A data set that is missing, damaged, or not in the declared format."""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key
        """Which key of the data set, or of the protocol, is wrong, where that is known."""


class MissingFileError(DataError):
    """A file of a data set that is in no folder of the search path."""

    def __init__(self, message: str, file: str) -> None:
        super().__init__(message)
        self.file = file
        """Its path, as on the card."""


@contextmanager
def about_key(key: str) -> Iterator[None]:
    """Let data errors within tell that this key, of the data set or the protocol, is wrong."""
    try:
        yield
    except DataError as error:
        error.key = error.key or key
        raise


class MethodError(MlbenchError):
    """A method that does not exist, or that cannot do what is asked of it."""


class StoreError(MlbenchError):
    """A results folder that cannot be read or written."""
