"""R's files, against another library and written by hand; hostile ones end in one error."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.data import rdata
from mlbench.data.rdata import Numbers, RDataError, RList, RTexts, read_rdata
from tests.data import r_files as r


def test_each_type_is_read_and_only_values_that_are_not_zero_are_kept(written):
    objects = {
        "d": r.doubles(0.0, -2.5, float("nan"), 0.0),
        "i": r.integers(0, 7, r.NA),
        "l": r.logicals(1, 0, r.NA),
        "t": r.texts("a", "", None, "é"),
        "f": r.factor(["no", "yes"], 1, 2),
        "n": r.NULL,
    }
    found = read_rdata(written(r.rda(objects)))
    assert list(found) == list(objects)
    assert (found["d"].kind, found["d"].length) == ("double", 4)
    np.testing.assert_array_equal(found["d"].places, [1, 2])
    np.testing.assert_array_equal(found["d"].dense(), [0, -2.5, np.nan, 0])
    np.testing.assert_array_equal(found["i"].dense(), [0, 7, np.nan])
    np.testing.assert_array_equal(found["l"].dense(), [1, 0, np.nan])
    assert found["t"].values == ["a", "", None, "é"]
    assert found["f"].attributes["levels"].values == ["no", "yes"]
    assert found["n"] is None


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_every_compression_and_version_reads_alike(written, version, pack):
    content = r.named_list({"a": r.doubles(1.0), "b": r.texts("x")})
    for whole in (r.rda({"o": content}, version), r.rds(content, version)):
        (value,) = read_rdata(written(pack(whole))).values()
        assert value.named()["a"].dense().tolist() == [1.0]
        assert value.named()["b"].values == ["x"]


def test_a_vector_longer_than_a_chunk_is_whole(written, monkeypatch):
    monkeypatch.setattr(rdata, "_CHUNK", 64)
    values = np.arange(100.0) % 3
    found = read_rdata(written(r.rda({"x": r.doubles(*values), "t": r.texts("y" * 500)})))
    np.testing.assert_array_equal(found["x"].dense(), values)
    assert found["t"].values == ["y" * 500]


def test_shorter_forms_of_newer_versions_are_read(written):
    objects = {
        "up": r.compact("compact_intseq", r.doubles(4, 1, 1)),
        "down": r.compact("compact_realseq", r.doubles(3, 2, -1)),
        "wrapped": r.compact("wrap_real", r.dotted(r.doubles(5, 0), r.integers(0, 0))),
        "numbers": r.compact("deferred_string", r.dotted(r.doubles(1, 2.5), r.integers(0))),
    }
    found = read_rdata(written(r.rda(objects)))
    assert found["up"].dense().tolist() == [1, 2, 3, 4]
    assert found["down"].dense().tolist() == [2, 1, 0]
    assert found["wrapped"].dense().tolist() == [5, 0]
    assert found["numbers"].values == ["1", "2.5"]


def test_a_name_that_comes_again_is_a_reference(written):
    again = struct.pack(">i", 255 | 1 << 8)
    pair = r.flags(2, tag=True)
    content = pair + r.symbol("a") + r.doubles(1) + pair + again + r.doubles(2) + r.NULL
    found = read_rdata(written(b"RDX3\n" + r.header(3) + content))
    assert found["a"].dense().tolist() == [2]


def test_another_library_writes_what_we_read(tmp_path):
    other = pytest.importorskip("rdata")
    pandas = pytest.importorskip("pandas")
    columns = {
        "x": [0.0, 1.5, 0.0],
        "n": np.array([3, 0, 1], dtype=np.int32),
        "b": [True, False, True],
        "s": ["p", "q", "r"],
    }
    with pandas.option_context("mode.string_storage", "python"):  # rdata knows no other text
        frame = pandas.DataFrame({**columns, "c": pandas.Categorical(["u", "v", "u"])})
    for compression in ("gzip", "bzip2", "xz"):
        path = tmp_path / f"{compression}.rda"
        other.write_rda(path, {"frame": frame}, compression=compression)
        found = read_rdata(path)["frame"]
        assert found.classes == ["data.frame"]
        columns = found.named()
        for name in ("x", "n", "b"):
            np.testing.assert_array_equal(columns[name].dense(), frame[name].astype(float))
        assert columns["s"].values == list(frame["s"])
        assert columns["c"].attributes["levels"].values == ["u", "v"]
        np.testing.assert_array_equal(columns["c"].dense(), [1, 2, 1])


HOSTILE = {
    "empty": b"",
    "text": b"RDA3\nA\n3\n",
    "another format": b"PK\x03\x04 and so on",
    "version": b"RDX3\nX\n" + struct.pack(">3i", 9, 0, 0),
    "long vector": r.header(3) + r.vector(14, 2**31 - 1, b"\0" * 64),
    "longer vector": r.header(3) + r.flags(14) + struct.pack(">i2I", -1, 2**30, 0),
    "long list": r.header(3) + r.vector(19, 2**31 - 1, r.NULL * 9),
    "negative length": r.header(3) + r.vector(14, -7, b""),
    "long text": r.header(3) + r.flags(9) + struct.pack(">i", 2**31 - 1) + b"a",
    "not a text": r.header(3) + r.vector(16, 1, r.NULL),
    "deep": r.header(3) + (r.flags(19) + struct.pack(">i", 1)) * 10_000 + r.NULL,
    "reference to nothing": r.header(3) + struct.pack(">i", 255 | 5 << 8),
    "function": r.header(3) + r.flags(3),
    "promise": r.header(3) + r.flags(5),
    "byte code": r.header(3) + r.flags(21),
    "environment": r.header(3) + r.flags(4),
    "S4": r.header(3) + r.flags(25),
    "unknown type": r.header(3) + r.flags(99),
    "long sequence": r.header(3) + r.compact("compact_intseq", r.doubles(1e15, 1, 1)),
    "unknown form": r.header(3) + r.compact("mmap_real", r.texts("/etc/passwd")),
    "damaged gzip": gzip.compress(r.rds(r.doubles(1.0)))[:-9],
    "damaged xz": lzma.compress(r.rds(r.doubles(*range(99))))[:-30],
    "damaged bz2": bz2.compress(r.rds(r.doubles(*range(99))))[:-9],
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_ends_in_one_error_and_takes_no_memory(written, content):
    path = written(content)
    tracemalloc.start()
    with pytest.raises(RDataError) as caught:
        read_rdata(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert most < 20 * 2**20


@pytest.mark.slow
def test_what_unpacks_to_far_too_much_is_refused(written, monkeypatch):
    monkeypatch.setattr(rdata, "UNQUESTIONED", 10**6)
    zeros = r.rds(r.vector(14, 4 * 10**6, bytes(32 * 10**6)))
    with pytest.raises(RDataError, match="far more than"):
        read_rdata(written(lzma.compress(zeros)))


def test_many_elements_and_many_values_are_refused(written, monkeypatch):
    monkeypatch.setattr(rdata, "MAX_ITEMS", 50)
    monkeypatch.setattr(rdata, "MAX_ITEMS_OUT_OF_ONE", 0)
    monkeypatch.setattr(rdata, "MAX_KEPT", 500)
    with pytest.raises(RDataError, match="more than 50"):
        read_rdata(written(r.rds(r.texts(*"x" * 60))))
    with pytest.raises(RDataError, match="more than 500 bytes"):
        read_rdata(written(r.rds(r.doubles(*range(1, 50)))))


BASE = r.rda(
    {
        "o": r.named_list(
            {
                "x": r.doubles(0, 1.5),
                "f": r.factor(["a", "b"], 1, 2),
                "s": r.compact("compact_intseq", r.doubles(4, 1, 1)),
            }
        )
    }
)


@given(st.integers(0, len(BASE) - 1), st.integers(0, 255), st.booleans())
def test_a_changed_byte_gives_a_value_or_the_one_error(tmp_path_factory, place, byte, cut):
    content = bytearray(BASE)
    content[place] = byte
    path = tmp_path_factory.mktemp("r") / "x.rda"
    path.write_bytes(content[:place] if cut else content)
    try:
        objects = read_rdata(path)
    except RDataError:
        return
    assert all(isinstance(x, Numbers | RTexts | RList | None) for x in objects.values())
