"""The errors that a user can mend.

Whoever raises one of these has already said what is wrong, where, and what would be right;
the command line prints the message alone and ends with exit code 2.
"""

from __future__ import annotations


class MlbenchError(Exception):
    """A mistake in what was asked for or given, told in words for its user."""


class ConfigError(MlbenchError):
    """An experiment file that cannot be run as it stands."""


class DataError(MlbenchError):
    """A data set that is missing, damaged, or not in the form that it claims."""


class MethodError(MlbenchError):
    """A method that does not exist, or that cannot do what it is asked to do."""


class StoreError(MlbenchError):
    """A results folder that cannot be read or written."""
