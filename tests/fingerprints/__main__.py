"""Rewrite the file of fingerprints, or with ``--check`` compare with it.

Numbers that moved are not written before the revision was raised of what they belong to, so that
no change is hidden by the way.
"""

from __future__ import annotations

import argparse
import sys

from .record import FILE, complaint, dump, load, renewed
from .subjects import NAMES, subject


def main() -> int:
    """Do it; return 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="fingerprints", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of methods or parts; else all")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    words = parser.parse_args()
    unknown = sorted(set(words.names) - set(NAMES))
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return (_check if words.check else _rewrite)(words.names)


def _check(names: list[str]) -> int:
    content = load()
    found = [complaint(subject(name), content.get(name)) for name in names or NAMES]
    complaints = [one for one in found if one is not None]
    print("\n".join(complaints) or "the numbers are those of the file")
    return 1 if complaints else 0


def _rewrite(names: list[str]) -> int:
    before = load()
    entries = {name: renewed(subject(name), before.get(name)) for name in names or NAMES}
    refused = [entry for entry in entries.values() if isinstance(entry, str)]
    if refused:
        print("\n".join(refused), file=sys.stderr)
        return 1
    kept = {name: entry for name, entry in before.items() if name in NAMES}
    FILE.write_text(dump(kept | entries))
    changed = [name for name in entries if entries[name] != before.get(name)]
    print(f"{FILE.name}: {', '.join(changed) or 'nothing'} written anew")
    return 0


if __name__ == "__main__":
    sys.exit(main())
