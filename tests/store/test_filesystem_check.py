from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.store.filesystem_check import durability_warnings, file_system

MOUNTS = r"""/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
bucket /home/ann/my\040bucket fuse.s3fs rw 0 0
/dev/sdb1 /media/stick vfat rw 0 0
tmpfs /media/stick tmpfs rw 0 0
"""


@pytest.fixture
def mounts(tmp_path):
    path = tmp_path / "mounts"
    path.write_text(MOUNTS)
    return path


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/results", "ext4"),
        ("/home/ann/results", "nfs4"),
        ("/home/ann/my bucket/results", "fuse.s3fs"),
        ("/media/stick/results", "tmpfs"),
        ("/homeless", "ext4"),
    ],
)
def test_the_innermost_and_latest_mount_counts(mounts, folder, kind):
    assert file_system(Path(folder), mounts) == kind


def test_a_system_without_the_list_tells_nothing(tmp_path):
    assert file_system(tmp_path, tmp_path / "none") is None
    assert durability_warnings(tmp_path, tmp_path / "none") == []


def test_a_folder_that_renames_by_copying_is_named_and_left_clean(tmp_path, mounts):
    results = tmp_path / "results"
    results.mkdir()
    mounts.write_text(f"bucket {tmp_path} fuse.s3fs rw 0 0\n")
    (doubt,) = durability_warnings(results, mounts)
    assert "fuse.s3fs: an object store renames by copying" in doubt
    assert list(results.iterdir()) == []


def test_a_replaced_file_that_reads_as_before_is_told(tmp_path, mounts, monkeypatch):
    monkeypatch.setattr(Path, "replace", lambda self, target: None)
    assert durability_warnings(tmp_path, mounts) == [
        "a file that was replaced there is not read as it was written"
    ]
    assert list(tmp_path.iterdir()) == [mounts]
