from __future__ import annotations

import bz2
import gzip
import hashlib

import pytest

from mlbench.data.card_checks import check_file, sha256_of
from mlbench.data.cards import CardFile
from mlbench.errors import DataError

CONTENT = b"some content\n" * 100
SHA = hashlib.sha256(CONTENT).hexdigest()
OTHER = "0" * 64


@pytest.mark.parametrize(
    ("pack", "suffix"), [(bytes, ""), (gzip.compress, ".gz"), (bz2.compress, ".bz2")]
)
def test_the_hash_of_the_file_and_of_its_content(tmp_path, pack, suffix):
    path = tmp_path / f"file{suffix}"
    path.write_bytes(pack(CONTENT))
    assert sha256_of(path) == hashlib.sha256(pack(CONTENT)).hexdigest()
    assert sha256_of(path, suffix) == SHA


def test_the_three_states(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    assert check_file(path, CardFile(path="file", sha256=SHA)) == ("ok", SHA, SHA)
    assert check_file(path, CardFile(path="file", sha256=OTHER)) == ("differs", OTHER, SHA)
    assert check_file(path, CardFile(path="file")) == ("unknown", None, None)


def test_a_card_that_knows_only_the_compressed_file_judges_only_that(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(CONTENT))
    stored = sha256_of(path)
    assert check_file(path, CardFile(path="file.gz", sha256=stored))[0] == "ok"
    assert check_file(path, CardFile(path="file.gz", sha256=OTHER)) == ("differs", OTHER, stored)


def test_a_file_may_be_compressed_without_its_name_saying_so(tmp_path):
    path = tmp_path / "file.gz.part"
    path.write_bytes(gzip.compress(CONTENT))
    file = CardFile(path="file", sha256=SHA)
    assert check_file(path, file, ".gz")[0] == "ok"
    assert check_file(path, file)[0] == "differs"


def test_what_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        check_file(tmp_path, CardFile(path="file", sha256=SHA))
