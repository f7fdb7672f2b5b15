"""Check that a folder's file system supports atomic renames, which rows rely on.

Rows are written under a temporary name and renamed. On a file system that keeps to POSIX a
reader sees the old file or the new one, and after a crash one of them is there.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

WITHOUT_ATOMIC_RENAME = {
    "vfat": "FAT has no journal, a crash may tear its folders",
    "msdos": "FAT has no journal, a crash may tear its folders",
    "exfat": "exFAT has no journal, a crash may tear its folders",
    "cifs": "a server of Windows shares may refuse to replace a file that is being read",
    "smb3": "a server of Windows shares may refuse to replace a file that is being read",
    "9p": "a folder of the host: what a rename does depends on the host",
    "vboxsf": "a folder of the host: what a rename does depends on the host",
    "fuse.sshfs": "sshfs may remove the old file before it renames the new one",
    "fuse.s3fs": "an object store renames by copying",
    "fuse.gcsfuse": "an object store renames by copying",
    "fuse.goofys": "an object store renames by copying",
    "fuse.rclone": "an object store may rename by copying",
}
_OCTAL = re.compile(r"\\([0-7]{3})")


def durability_warnings(folder: Path, mounts: Path = Path("/proc/mounts")) -> list[str]:
    """Return reasons why results in a folder may not survive a crash; usually none.

    Parameters
    ----------
    folder : Path
        A folder that exists; a small file is written there, replaced, read and removed.
    mounts : Path
        Where Linux lists what is mounted; other systems have no such list.
    """
    found = []
    kind = file_system(folder, mounts)
    if kind in WITHOUT_ATOMIC_RENAME:
        found.append(f"its file system is {kind}: {WITHOUT_ATOMIC_RENAME[kind]}")
    if not _replaces(folder):
        found.append("a file that was replaced there is not read as it was written")
    return found


def file_system(folder: Path, mounts: Path) -> str | None:
    """Return the type of a folder's file system, or None if unknown."""
    try:
        lines = mounts.read_text().splitlines()
    except OSError:
        return None
    place, best, kind = folder.resolve(), -1, None
    for line in lines:
        _, mounted, name, *_ = line.split()
        root = Path(_OCTAL.sub(lambda code: chr(int(code[1], 8)), mounted))
        if place.is_relative_to(root) and len(root.parts) >= best:
            best, kind = len(root.parts), name
    return kind


def _replaces(folder: Path) -> bool:
    name = f".mlbench-probe-{secrets.token_hex(4)}"
    old, new = folder / f"{name}.tmp", folder / f"{name}.new.tmp"
    try:
        old.write_text("old")
        new.write_text("new")
        new.replace(old)
        return old.read_text() == "new" and not new.exists()
    finally:
        for path in (old, new):
            path.unlink(missing_ok=True)
