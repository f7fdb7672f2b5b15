"""Times and amounts of memory, as people write them."""

import re

_TIME_UNITS = {"s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600, "d": 86400}
_MEMORY_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_TIME_FORM = "a time is a number of seconds or, say, '90 min'"
_MEMORY_FORM = "memory is written with its unit, say '4 GB'"
_QUANTITY = re.compile(r"\s*(-?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\s*")


def seconds(value: object, form: str = _TIME_FORM) -> float:
    """Return a time in seconds from a number of seconds or a text such as ``90 min``.

    An error about another text begins with `form`.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        number: float = value
    else:
        number = _convert(value, _TIME_UNITS, form)
    if not 0 < number <= 10**8:
        raise ValueError(f"expected more than 0 and at most {10**8} seconds, got {value!r}")
    return number


def megabytes(value: object, form: str = _MEMORY_FORM) -> float:
    """Return an amount of memory in MB (10**6 bytes) from a text such as ``4 GB``.

    An error about another text begins with `form`.
    """
    number = _convert(value, _MEMORY_UNITS, form) / 10**6
    if number <= 0:
        raise ValueError(f"expected an amount of memory above 0, got {value!r}")
    if number < 256:
        raise ValueError(
            f"a memory limit below 256 MB cannot hold a worker with its libraries: {value!r}; "
            "write a unit, as in 2 GB"
        )
    if number > 10**9:
        raise ValueError(f"expected a memory limit of at most {10**6} GB, got {value!r}")
    return number


def _convert(value: object, units: dict[str, int], form: str) -> float:
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2].lower() not in units:
        raise ValueError(f"{form}, not {value!r} (units: {', '.join(units)})")
    return float(match[1]) * units[match[2].lower()]
