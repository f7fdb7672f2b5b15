from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data.readers import read_table
from mlbench.data.readers.mulan import read_label_names
from mlbench.errors import DataError

ARFF = """@relation 'music: -C 1'
@attribute 'happy' {1,0}
@attribute tempo numeric
@attribute sad {NO,YES}
@attribute mood {calm,wild}
@attribute 'don\\'t know' {false,true}
@data
1,120,YES,wild,false
0,90,NO,calm,true
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sad"><label name="don't know"></label></label>
<label name="happy"></label>
</labels>
"""


def test_labels_are_found_by_name_wherever_they_stand(write):
    files = {"all": write("m.arff", ARFF), "labels": write("m.xml", XML)}
    table = read_table("mulan", files, {})
    assert table.label_names == ("happy", "sad", "don't know")
    assert table.Y.tolist() == [[1, 1, 0], [0, 0, 1]]
    assert [attribute.name for attribute in table.attributes] == ["tempo", "mood"]
    assert table.cells.tolist() == [[120, 1], [90, 0]]
    assert table.n_train is None


def test_in_sparse_files_an_omitted_label_has_its_first_value(write):
    text = ARFF[: ARFF.index("@data")] + "@data\n{1 120,2 YES}\n{0 0, 4 true}\n"
    files = {"all": write("m.arff", text), "labels": write("m.xml", XML)}
    assert read_table("mulan", files, {}).Y.tolist() == [[1, 1, 0], [0, 0, 1]]


def test_the_published_training_part_comes_first(write):
    head = ARFF[: ARFF.index("1,120")]
    files = {
        "test": write("m-test.arff", head + "0,90,NO,calm,true\n"),
        "train": write("m-train.arff", head + "1,120,YES,wild,false\n1,60,NO,calm,false\n"),
        "labels": write("m.xml", XML),
    }
    table = read_table("mulan", files, {})
    assert table.cells[:, 0].tolist() == [120, 60, 90]
    assert table.n_train == 2


BOMB = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><labels><label name="&b;"/></labels>'
FILE = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><labels>&a;</labels>'


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (BOMB, r"m\.xml:1: a document type .* is not allowed"),
        (FILE, r"m\.xml:1: a document type .* is not allowed"),
        ("<labels>\n<label name='a'>", r"m\.xml:2: not well-formed XML"),
        (
            "<labels><label name='&x;'/></labels>",
            r"m\.xml:1: not well-formed XML: undefined entity",
        ),
        ("<labels><label/></labels>", r"m\.xml:1: a label without a name"),
        ("<labels><label name='a'/><label name='a'/></labels>", "'a' appears twice"),
        ("<labels></labels>", r"m\.xml: names no label"),
        ('<?xml version="1.0" encoding="klingon"?><labels/>', "not well-formed XML"),
        ("", "not well-formed XML"),
    ],
)
def test_bad_xml(write, xml, message):
    with pytest.raises(DataError, match=message):
        read_label_names(write("m.xml", xml))


def test_a_label_that_is_no_attribute(write):
    files = {
        "all": write("m.arff", ARFF),
        "labels": write("m.xml", "<labels><label name='hapy'/></labels>"),
    }
    message = r"m\.xml: the label 'hapy' is not an attribute of m\.arff \(did you mean 'happy'\?\)"
    with pytest.raises(DataError, match=message):
        read_table("mulan", files, {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("'happy' {1,0}", "'happy' {1,0,2}"), r"'happy' has the values \{1, 0, 2\}; a label must"),
        (("'happy' {1,0}", "'happy' numeric"), None),
        (("sad {NO,YES}", "sad string"), "label 'sad' is text"),
    ],
)
def test_what_can_be_a_label(write, change, message):
    files = {"all": write("m.arff", ARFF.replace(*change)), "labels": write("m.xml", XML)}
    if message is None:
        assert read_table("mulan", files, {}).Y.tolist() == [[1, 1, 0], [0, 0, 1]]
    else:
        with pytest.raises(DataError, match=message):
            read_table("mulan", files, {})


def test_roles_and_options_are_checked(write):
    path = write("m.arff", ARFF)
    with pytest.raises(DataError, match="no file has the role 'labels'"):
        read_table("mulan", {"all": path}, {})
    with pytest.raises(DataError, match="train and test, or all, are needed"):
        read_table("mulan", {"train": path, "labels": write("m.xml", XML)}, {})
    with pytest.raises(DataError, match="mulan has no option 'class_column'"):
        read_table("mulan", {"all": path}, {"class_column": "first"})
    with pytest.raises(DataError, match=r"no format named 'mulam' \(did you mean 'mulan'\?\)"):
        read_table("mulam", {"all": path}, {})


@pytest.mark.slow
@settings(max_examples=100)
@given(st.binary(max_size=100), st.integers(0, len(XML)))
def test_nothing_but_a_data_error_escapes_from_xml(tmp_path_factory, junk, place):
    path = tmp_path_factory.getbasetemp() / "junk.xml"
    path.write_bytes(XML.encode()[:place] + junk + XML.encode()[place + len(junk) :])
    try:
        assert read_label_names(path)
    except DataError as error:
        assert "junk.xml" in str(error)  # noqa: PT017 - junk may be legal
