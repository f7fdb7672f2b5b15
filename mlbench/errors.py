"""Errors that a user can fix.

The message of such an error says what is wrong, where, and what would be right. The command line
prints the message alone and exits with code 2.
"""

from __future__ import annotations


class MlbenchError(Exception):
    """An error in the user's input, explained in its message."""


class ConfigError(MlbenchError):
    """An experiment file that is not valid."""


class DataError(MlbenchError):
    """A data set that is missing, damaged, or not in the declared format."""


class MethodError(MlbenchError):
    """A method that does not exist, or that cannot do what is asked of it."""


class StoreError(MlbenchError):
    """A results folder that cannot be read or written."""
