"""Limits of SLURM tasks, as experiments write them or as SLURM does."""

import math
import re
from collections.abc import Callable

from mlbench.config import quantities

_TIME = re.compile(r"(?:(?P<days>\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")
_MEMORY = re.compile(r"(\d+)([KMGT]?)", re.IGNORECASE)
_UNLIMITED = ("0", "infinite", "unlimited")
_TIME_FORM = "a time is written '90 min', or as SLURM does: 90 (minutes), 1:30:00, 2-12"
_MEMORY_FORM = "memory is written '4 GB', or as SLURM does: 4000 (MiB), 4000M, 4G"


def slurm_seconds(text: str) -> float:
    """Return a time limit in seconds; it is infinite where SLURM is to set none."""
    text = _stripped(text, _TIME_FORM)
    if text.lower() in _UNLIMITED:
        return math.inf
    if found := _TIME.fullmatch(text):
        days, *fields = [int(field) for field in found.groups(default="0")]
        if found["days"] is None and found[4] is None:  # minutes[:seconds]
            fields = [0, *fields[:2]]
        hours, minutes, rest = fields  # else [days-]hours:minutes:seconds
        number = ((days * 24 + hours) * 60 + minutes) * 60 + rest
        return _converted(quantities.seconds, f"{number} s", text)
    return quantities.seconds(text, _TIME_FORM)


def slurm_megabytes(text: str) -> float:
    """Return a memory limit in MB (10**6 bytes); 0 is all the memory of a node."""
    text = _stripped(text, _MEMORY_FORM)
    if text == "0":
        return 0.0
    if found := _MEMORY.fullmatch(text):
        kibibytes = int(found[1]) * 1024 ** "KMGT".index(found[2].upper() or "M")
        return _converted(quantities.megabytes, f"{kibibytes} KiB", text)
    return quantities.megabytes(text, _MEMORY_FORM)


def _stripped(text: object, form: str) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{form}, not {text!r}")
    return text.strip()


def _converted(convert: Callable[[str], float], plain: str, given: str) -> float:
    """Convert a quantity; an error speaks of what was given."""
    try:
        return convert(plain)
    except ValueError as error:
        raise ValueError(str(error).replace(repr(plain), repr(given))) from None


def time_option(limit: float) -> str:
    """Return the option of sbatch for a time limit in seconds."""
    if math.isinf(limit):
        return "--time=UNLIMITED"
    days, minutes = divmod(math.ceil(limit / 60), 1440)
    return f"--time={days}-{minutes // 60:02d}:{minutes % 60:02d}:00"


def memory_option(limit: float) -> str:
    """Return the option of sbatch for a memory limit in MB."""
    return f"--mem={round(limit * 1e6 / 2**20)}M" if limit else "--mem=0"
