from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import arff as liac
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data import arff as arff_module
from mlbench.data.arff import read_arff, read_relation
from mlbench.data.table import Attribute
from mlbench.errors import DataError

REAL_FILES = [
    "bibtex/bibtex-test.arff.gz",
    "bibtex/bibtex-train.arff.gz",
    "bibtex/bibtex.arff.gz",
    "birds/birds-test.arff",
    "birds/birds-train.arff",
    "cal500/cal500.arff",
    "corel16k001/Corel16k001-test.arff.gz",
    "corel5k/Corel5k-sparse.arff",
    "corel5k/Corel5k-test-sparse.arff",
    "corel5k/Corel5k-train-sparse.arff",
    "emotions/emotions-test.arff",
    "emotions/emotions-train.arff",
    "emotions/emotions.arff",
    "enron/enron-test.arff",
    "enron/enron-train.arff",
    "enron/enron.arff",
    "flags/flags-test.arff",
    "flags/flags-train.arff",
    "flags/flags.arff",
    "medical/medical-test.arff",
    "medical/medical-train.arff",
    "medical/medical.arff",
    "scene/scene-test.arff.gz",
    "scene/scene-train.arff.gz",
    "tmc2007-500/tmc2007-500-test.arff.gz",
    "tmc2007-500/tmc2007-500-train.arff.gz",
    "tmc2007-500/tmc2007-500.arff.gz",
    "yeast/yeast-test.arff",
    "yeast/yeast-train.arff.gz",
    "yeast/yeast.arff.gz",
]


def dense(cells):
    return cells.toarray() if hasattr(cells, "toarray") else cells


def by_rows(path, monkeypatch):
    """Read without the array operations, so that liac-arff splits every row."""
    with monkeypatch.context() as patch:
        patch.setattr(arff_module, "parse_rows_at_once", lambda *_: None)
        return read_arff(path)


def test_a_dense_file(write):
    path = write(
        "weather.arff",
        """% A comment
@RELATION weather

@attribute temperature REAL
@Attribute\toutlook\t{sunny, rainy , 'partly cloudy'}
@attribute windy {0,1}

@DATA
21.5,sunny,0
-3e1, 'partly cloudy' ,1

% another comment
?,rainy,?
""",
    )
    arff = read_arff(path)
    assert arff.relation == "weather"
    assert arff.attributes == (
        Attribute("temperature"),
        Attribute("outlook", "nominal", ("sunny", "rainy", "partly cloudy")),
        Attribute("windy", "nominal", ("0", "1")),
    )
    np.testing.assert_array_equal(arff.cells, [[21.5, 0, 0], [-30, 2, 1], [np.nan, 1, np.nan]])


def test_in_a_sparse_file_an_omitted_cell_is_zero_or_the_first_value(write):
    path = write(
        "s.arff",
        "@relation s\n@attribute a numeric\n@attribute b {YES,NO}\n@attribute c {0,1}\n@data\n"
        "{0 2.5, 1 NO}\n{}\n{1 NO,2 1}\n{0 ?}\n",
    )
    cells = read_arff(path).cells
    assert cells.format == "csr"
    np.testing.assert_array_equal(
        cells.toarray(), [[2.5, 1, 0], [0, 0, 0], [0, 1, 1], [np.nan, 0, 0]]
    )


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        (r"'Swainson\'s Thrush'", "Swainson's Thrush"),
        ('"with \\"quotes\\""', 'with "quotes"'),
        ("'a, b {c} %'", "a, b {c} %"),
        ("-", "-"),
        ("/", "/"),
        ("0", "0"),
        ("1-1/2-year", "1-1/2-year"),
        ("50%", "50%"),
        ("don't", "don't"),
        ("naïve", "naïve"),
        (r"'caf\u00e9'", "café"),
    ],
)
def test_odd_names(write, declared, name):
    path = write("n.arff", f"@relation n\n@attribute {declared} numeric\n@data\n1\n")
    assert read_arff(path).attributes == (Attribute(name),)


FOUR = """\
@relation r
@attribute a integer [0,9]
@attribute b real [0.0, 9.5]
@attribute c {x,'y z'}
@attribute d string
@inputs a, b
@outputs c
@data
"""


@pytest.mark.parametrize(
    "rows",
    [
        "1,2,x,s\n3,4,'y z',t\n",
        "1,2,x,s,\n3,4,'y z',t,\n",
        "1 2 x s\n3\t4 'y z'  t\n",
        "1,2 , x s\n3, 4 'y z' t\n",
        "1,2,x,s % first\n3,4,'y z','50 % t' % second\n",
        "{0 1,1 2,3 s}\n3,4,'y z',t\n",
        "1,2,x,s\n{0 3, 1 4, 2 'y z', 3 t}\n",
        "{0 1,1 2,3 s,}\n{0 3, 1 4, 2 'y z', 3 t ,}\n",
        "1,2,x,'D:\\data\\songs'\n3,4,'y\\ z','\\j'\n",
    ],
)
def test_rows_as_weka_moa_and_others_write_them(write, rows):
    cells = dense(read_arff(write("f.arff", FOUR + rows)).cells)
    assert cells.tolist() == [[1, 2, 0, 0], [3, 4, 1, 0]]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(write, ending):
    text = "@relation e\n@attribute a numeric\n@data\n1\n2"
    path = write("e.arff", text.replace("\n", ending))
    assert read_arff(path).cells.tolist() == [[1.0], [2.0]]


def test_compressed_files_are_read_as_they_are(write):
    text = b"@relation e\n@attribute a numeric\n@data\n1\n2\n"
    for path in (write("e.arff.gz", gzip.compress(text)), write("e.arff.bz2", bz2.compress(text))):
        assert read_arff(path).cells.tolist() == [[1.0], [2.0]]


def test_text_and_dates_have_no_numbers(write):
    path = write(
        "t.arff",
        "@relation t\n@attribute s string\n@attribute d date 'yyyy-MM-dd'\n@attribute a numeric\n"
        "@data\n'hello, world','2001-04-03',1\n?,'2001-04-04',2\n",
    )
    arff = read_arff(path)
    assert [attribute.kind for attribute in arff.attributes] == ["text", "text", "numeric"]
    np.testing.assert_array_equal(arff.cells, [[0, 0, 1], [np.nan, 0, 2]])


@pytest.mark.slow
@pytest.mark.parametrize("relative", REAL_FILES)
def test_real_files_agree_with_liac_arff(real_file, relative):
    path = real_file(relative)
    text = (
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    ).decode()
    ours = read_arff(path)
    sparse = text[text.lower().index("@data") :].split("\n", 1)[1].lstrip().startswith("{")
    theirs = liac.loads(text, encode_nominal=True, return_type=liac.LOD if sparse else liac.DENSE)
    names = [name.replace("\\'", "'") for name, _ in theirs["attributes"]]
    assert [attribute.name for attribute in ours.attributes] == names
    for attribute, (_, kind) in zip(ours.attributes, theirs["attributes"], strict=True):
        assert attribute.values == (tuple(kind) if isinstance(kind, list) else ())
    if sparse:
        cells = ours.cells
        assert cells.shape[0] == len(theirs["data"])
        for i, row in enumerate(theirs["data"]):
            own = dict(
                zip(
                    cells.indices[cells.indptr[i] : cells.indptr[i + 1]].tolist(),
                    cells.data[cells.indptr[i] : cells.indptr[i + 1]].tolist(),
                    strict=True,
                )
            )
            assert own == {j: value for j, value in row.items() if value != 0}
    else:
        np.testing.assert_array_equal(ours.cells, np.array(theirs["data"], dtype=float))


NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-99, 99).map(str)
VALUES = [
    ("0", "1"),
    ("1", "0"),
    ("NO", "YES"),
    ("2", "10", "1"),
    ("a b", "c"),
    tuple("0123456789"),
]


@st.composite
def arff_tables(draw):
    """The kinds of some columns, rows of texts, and whether to write them sparsely."""
    kinds = draw(st.lists(st.sampled_from([None, *VALUES]), min_size=1, max_size=5))
    cells = [NUMBERS if kind is None else st.sampled_from(kind) for kind in kinds]
    rows = draw(
        st.lists(st.tuples(*(cell | st.just("?") for cell in cells)), min_size=1, max_size=6)
    )
    return kinds, rows, draw(st.booleans())


@pytest.mark.slow
@settings(max_examples=150)
@given(arff_tables())
def test_what_is_written_is_read_whichever_way_the_rows_are_split(tmp_path_factory, table):
    kinds, rows, sparse = table
    quote = {cell: f"'{cell}'" if " " in cell else cell for row in rows for cell in row}
    header = [
        f"@attribute a{j} " + ("numeric" if kind is None else "{'" + "','".join(kind) + "'}")
        for j, kind in enumerate(kinds)
    ]
    expected = np.array(
        [
            [
                np.nan if cell == "?" else float(cell) if kind is None else kind.index(cell)
                for cell, kind in zip(row, kinds, strict=True)
            ]
            for row in rows
        ]
    )
    body = [
        "{" + ", ".join(f"{j} {quote[cell]}" for j, cell in enumerate(row)) + "}"
        if sparse
        else ",".join(quote[cell] for cell in row)
        for row in rows
    ]
    path = tmp_path_factory.mktemp("table") / "t.arff"
    path.write_text("\n".join(["@relation t", *header, "@data", *body]))
    np.testing.assert_array_equal(dense(read_arff(path).cells), expected)
    with pytest.MonkeyPatch.context() as patch:
        np.testing.assert_array_equal(dense(by_rows(path, patch).cells), expected)


PIECES = [
    b"1e999",
    b"nan",
    b"inf",
    b"0x1",
    b"1_0",
    b"01",
    b"+1",
    b"'",
    b'"',
    b"{",
    b"}",
    b",",
    b"?",
]
PIECES += [
    b"\xff",
    b"\0",
    b"\\",
    b"%",
    b"\n",
    b" ",
    b"\t",
    b"\r",
    b"99999999999999999999",
    b"{0 1}",
]
PIECES += [b"@data", b"@attribute", b"\xc3\xa9", b"{99999999999999999999 ?}", b"{7 ?}"]
SOUND = [
    b"@relation 'r: -C 1'\n@attribute a numeric\n@attribute 'b c' {0, 1}\n"
    b"@attribute d {x,'y z',w}\n@attribute s string\n@data\n1.5,0,x,'hi there'\n?,1,'y z',foo\n",
    b"@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute c {1,0}\n"
    b"@attribute e {2,10,1}\n@data\n1,0,1,10\n2,1,0,2\n3.25,0,1,1\n",
    b"@relation r\n@attribute a {0,1}\n@attribute b {NO,YES}\n@attribute n numeric\n@data\n"
    b"{0 1,2 4}\n{}\n{1 YES, 2 3.5}\n% c\n\n{2 ?}\n",
]


@st.composite
def damaged(draw):
    content = draw(st.sampled_from(SOUND))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.sampled_from([0, 0, 1, 5]))
        content = content[:start] + draw(st.sampled_from(PIECES)) + content[start + length :]
    return content


@pytest.mark.slow
@settings(max_examples=400)
@given(damaged() | st.binary(max_size=200))
def test_nothing_but_a_data_error_escapes_and_both_ways_agree(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "damaged.arff"
    path.write_bytes(content)

    def outcome(read):
        try:
            return str(dense(read().cells).tolist())
        except DataError as error:
            return str(error)

    with pytest.MonkeyPatch.context() as patch:
        slow = outcome(lambda: by_rows(path, patch))
    assert outcome(lambda: read_arff(path)) == slow
    assert slow.startswith((f"{path}:", "[["))


@settings(max_examples=60)
@given(st.binary(max_size=200), st.sampled_from([".gz", ".bz2"]))
def test_damaged_archives_are_data_errors(tmp_path_factory, content, suffix):
    path = tmp_path_factory.getbasetemp() / f"damaged.arff{suffix}"
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_arff(path)


def test_an_unclosed_brace_takes_no_time(write):
    values = ",".join(map(str, range(2000)))
    path = write("u.arff", f"@relation u\n@attribute a {{{values}\n@data\n1\n")
    with pytest.raises(DataError, match=r"u\.arff:2: the values of attribute 'a'.*close the brace"):
        read_arff(path)


HEAD = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute 'c d' {x,y}\n"
WRONG = {
    "no rows": (HEAD + "@data\n% none\n", ":5: no data rows after @data"),
    "no @data": (HEAD, ":4: the file ends without a @data line"),
    "empty": ("", ":1: the file ends without a @data line"),
    "no attribute": ("@relation r\n@data\n1\n", ":2: no @attribute line before @data"),
    "no ARFF": ("hello\n", ":1: found 'hello' where @relation, @attribute or @data"),
    "twice": (HEAD + "@attribute a real\n@data\n", ":5: a second attribute named 'a'"),
    "bad type": (
        "@attribute a numbre\n@data\n",
        ":1: attribute 'a' has the type 'numbre'; it must",
    ),
    "relational": ("@attribute a relational\n@data\n", ":1: attribute 'a' is relational"),
    "unclosed quote": (
        "@attribute 'a numeric\n@data\n",
        ":1: cannot read .*closed on the same line",
    ),
    "no type": ("@attribute a\n@data\n", ":1: attribute 'a' has the type ''"),
    "open brace": (
        "@attribute a {0,1\n@data\n",
        ":1: the values of attribute 'a'.*close the brace",
    ),
    "same value": ("@attribute a {0,0}\n@data\n", ":1: the values of attribute 'a': '0' is listed"),
    "too few": (HEAD + "@data\n1,0,x\n1,0\n", ":7: 2 values, but the header declares 3"),
    "too many": (HEAD + "@data\n1,0,x,4\n", ":6: 4 values, but the header declares 3"),
    "no value": (
        HEAD + "@data\n1,2,x\n",
        ":6: '2' is not a value of attribute 'b'; it must be one of",
    ),
    "no number": (
        HEAD + "@data\n1,0,x\n1o,0,x\n",
        ":7: '1o' is not a finite number, .*'a' requires",
    ),
    "infinite": (HEAD + "@data\n1e999,0,x\n", ":6: '1e999' is not a finite number"),
    "nan": (HEAD + "@data\nnan,0,x\n", ":6: 'nan' is not a finite number.*write \\? for a missing"),
    "open cell": (HEAD + "@data\n1,0,'x\n", ":6: cannot split the row into values"),
    "huge column": (
        HEAD + "@data\n{0 1}\n{99999999999 1}\n",
        ":7: a column number beyond .*0 to 2",
    ),
    "column twice": (HEAD + "@data\n{0 1,0 2}\n", ":6: a column number appears twice"),
    "sparse syntax": (HEAD + "@data\n{0 1,2}\n", ":6: cannot split the row into values"),
    "a weight": (HEAD + "@data\n1,{2}\n", r":6: the row ends with \{2\}, an instance weight"),
    "semicolons": (HEAD + "@data\n1;0;x\n", ":6: 1 value, .*commas separate values, not ';'"),
    "a sparse weight": (
        HEAD + "@data\n{0 1}, {0.5}\n",
        r":6: the row ends with \{0.5\}, an instance",
    ),
    "not UTF-8": (b"@attribute \xff numeric\n@data\n1\n", ":1: byte 0xff is not UTF-8"),
    "UTF-16": ("@relation r\n".encode("utf-16"), ":1: a zero byte"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_each_mistake_is_told_with_its_line(write, fault):
    content, message = WRONG[fault]
    path = write("wrong.arff", content)
    with pytest.raises(DataError, match=r"wrong\.arff" + message):
        read_arff(path)


def test_missing_and_cut_files(tmp_path, write):
    with pytest.raises(DataError, match=r"nothing\.arff: no such file"):
        read_arff(tmp_path / "nothing.arff")
    cut = gzip.compress(SOUND[0])[:-20]
    with pytest.raises(DataError, match=r"cut\.arff\.gz: the compressed content is damaged"):
        read_arff(write("cut.arff.gz", cut))
    with pytest.raises(DataError, match=r"cannot be read"):
        read_arff(Path(tmp_path))


def test_the_relation_is_read_without_the_rows(write):
    path = write("a.arff", b"@relation 'birds: -C 2'\n@attribute a numeric\n@data\nno number\n")
    assert read_relation(path) == "birds: -C 2"
    with pytest.raises(DataError):
        read_arff(path)
