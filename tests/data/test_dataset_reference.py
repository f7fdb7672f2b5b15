from __future__ import annotations

import gzip

import pytest

from mlbench.config.datasets import DatasetReference
from mlbench.data import load_dataset
from mlbench.data.dataset_reference import DataReference, is_path, with_lists
from mlbench.errors import DataError

BODY = "@attribute y {0,1}\n@attribute a numeric\n@attribute z {0,1}\n@data\n1,2,0\n0,3,1\n"
PLAIN, MEKA = "@relation m\n" + BODY, "@relation 'm: -C 1'\n" + BODY
XML = "<labels><label name='z'/></labels>"


@pytest.mark.parametrize(
    ("use", "path"),
    [
        ("emotions", False),
        ("yahoo-arts", False),
        ("my/emotions", True),
        ("data.arff", True),
        ("data.arff.gz", True),
        ("X.csv", True),
        ("a.svm", True),
        ("corel5k.v2", False),
    ],
)
def test_names_and_paths(use, path):
    assert is_path(use) == path


@pytest.mark.parametrize("xml", ["m.xml", "only-one-here.xml"])
def test_an_arff_file_beside_its_xml(write, xml):
    path = write("own/m.arff", MEKA if xml == "m.xml" else PLAIN)
    write(f"own/{xml}", XML)
    data = load_dataset(str(path))
    assert (data.name, data.label_names, data.feature_names) == ("m", ("z",), ("y", "a"))


def test_the_xml_of_a_published_part_has_the_name_of_the_whole(write):
    path = write("own/m-train.arff.gz", gzip.compress(PLAIN.encode()))
    write("own/m.xml", XML)
    write("own/another.xml", XML.replace("z", "y"))
    data = load_dataset(str(path))
    assert (data.name, data.label_names) == ("m-train", ("z",))


def test_a_meka_file(write):
    assert load_dataset(str(write("own/m.arff", MEKA))).label_names == ("y",)


def test_a_csv_pair_by_either_spelling_or_by_folder(write):
    for x, y in (("X", "Y"), ("features", "labels"), ("music-X", "music-Y")):
        path = write(f"{x}-pair/{x}.csv", "a,b\n1,2\n3,4\n")
        write(f"{x}-pair/{y}.csv", "cat\n1\n0\n")
        assert load_dataset(str(path)).label_names == ("cat",)
        if "-" not in x:
            assert load_dataset(str(path.parent)).feature_names == ("a", "b")


def test_other_text_files(write):
    svm = load_dataset(str(write("a.svm", "1,2 1:1\n2 2:1\n")))
    assert svm.label_names == ("1", "2")
    csv = write("t.csv", "a,1,2\nb,3,4\n")
    assert load_dataset({"use": str(csv), "class_column": "first"}).label_names == ("a", "b")
    odd = write("t.dat", "1 2 a\n3 4 b\n")
    reference = {"use": str(odd), "format": "delimited", "delimiter": "whitespace", "rows": 1}
    assert load_dataset(reference).X.shape == (1, 2)


@pytest.mark.parametrize(
    ("name", "content", "settings", "message"),
    [
        ("m.arff", PLAIN, {}, r"m\.arff: cannot tell which attributes are labels; put .*m\.xml"),
        ("m.dat", "1,2\n", {}, r"m\.dat: cannot detect the format from the name; write \{use: "),
        ("m.dat", "1,2\n", {"format": "delimted"}, r"no format named 'delimted' \(did you mean"),
        (
            "d.csv",
            "1,2\n",
            {},
            r"no file with the labels next to it .*choose them with `label_columns`.*; the columns "
            "are '1', '2'$",
        ),
        (
            "X.csv",
            "a\n1\n",
            {},
            r"X\.csv: no file with the labels next to it \(looked for Y\.csv\)",
        ),
        ("d.csv", "a,y\n1,0\n", {"label_colums": "y"}, r"'label_colums' \(did you mean 'label_c"),
        ("a.svm", "1 1:1\n", {"header_lines": 1}, "unknown key 'header_lines'"),
        ("m.arff", MEKA, {"labels": 2}, "m: labels is 2, but there are only 1"),
    ],
)
def test_files_that_do_not_tell_what_they_are(write, name, content, settings, message):
    path = write(f"own/{name}", content)
    with pytest.raises(DataError, match=message):
        load_dataset({"use": str(path), **settings})


@pytest.mark.parametrize("use", ["~no-such-user/a.arff", "a" * 5000 + ".arff", "a\0.arff"])
def test_what_cannot_be_a_path(use):
    with pytest.raises(DataError, match=r"cannot be the path of a file|no such file"):
        load_dataset(use)


def test_no_such_file_and_a_folder_of_something_else(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.arff: no such file"):
        load_dataset(str(tmp_path / "nowhere.arff"))
    with pytest.raises(DataError, match=r"this folder does not contain X\.csv and Y\.csv"):
        load_dataset(f"{tmp_path}/")


def test_a_column_that_a_card_calls_nominal_may_be_ignored():
    reference = DataReference("songs", {"ignore": ["genre"]})
    assert reference.encoding({"nominal": ["genre"]}).ignore == ("genre",)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ({"text": "note"}, {"text": ["note"]}),
        ({"text": {"columns": "note", "use": "tfidf"}}, {"text": ["note"]}),
        (
            {"text": {"columns": "note", "use": "hashing"}},
            {"text": {"columns": ["note"], "use": "hashing"}},
        ),
        ({"nominal": "ward", "ignore": "day"}, {"nominal": ["ward"], "ignore": ["day"]}),
        ({"text": 3, "labels": 4}, {"text": 3, "labels": 4}),
    ],
)
def test_what_means_the_same_has_one_form(written, plain):
    assert with_lists(written) == plain
    one, other = (DatasetReference(use="v.csv", **each) for each in (written, plain))
    assert one.canonical == other.canonical


def test_a_column_that_is_listed_twice_is_refused(tmp_path):
    (tmp_path / "v.csv").write_text("a,b,y\nx,1,0\nz,2,1\n")
    given = {"use": str(tmp_path / "v.csv"), "label_columns": ["y"], "nominal": ["a", "a"]}
    with pytest.raises(DataError, match="nominal lists 'a' twice"):
        load_dataset(given)
