"""A process that is killed between two steps on the disk."""

from __future__ import annotations


class Killed(BaseException):
    """Nothing catches it, and nothing is tidied up after it."""


def kill_after(monkeypatch, steps, moment):
    """Let so many steps on the disk happen, and then nothing more.

    ``steps`` are functions: (owner, name) each.
    """
    left = iter(range(moment))

    def watched(step):
        def call(*arguments, **options):
            if next(left, None) is None:
                raise Killed
            return step(*arguments, **options)

        return call

    for owner, name in steps:
        monkeypatch.setattr(owner, name, watched(getattr(owner, name)))
