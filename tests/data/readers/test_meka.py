from __future__ import annotations

import pytest

from mlbench.data.readers import read_table
from mlbench.errors import DataError


def file_with(relation):
    return (
        f"@relation {relation}\n@attribute a {{0,1}}\n@attribute b {{0,1}}\n@attribute c numeric\n"
        "@attribute d {0,1}\n@data\n1,0,1,1\n0,0,0,1\n"
    )


@pytest.mark.parametrize(
    ("relation", "labels"),
    [
        ("'Music: -C 2'", ("a", "b")),
        ("'Music: -C -2'", ("c", "d")),
        ("'all -C 3: -C 1'", ("a",)),
        ("Music: -C 2 -split-percentage 67", ("a", "b")),
        ("'-c 2'", ("a", "b")),
    ],
)
def test_the_relation_says_how_many_labels_and_at_which_end(write, relation, labels):
    table = read_table("meka", {"all": write("m.arff", file_with(relation))}, {})
    assert table.label_names == labels
    assert len(table.attributes) == 4 - len(labels)


@pytest.mark.parametrize("count", ["-C 2", "-C -1"])
def test_filters_of_weka_may_have_moved_the_labels(write, count):
    relation = f"'t: {count}-weka.filters.unsupervised.attribute.Remove-R1-2'"
    files = {"all": write("m.arff", file_with(relation))}
    with pytest.raises(DataError, match=f"the relation says {count}, but filters of Weka"):
        read_table("meka", files, {})
    assert read_table("meka", files, {"label_count": -1}).label_names == ("d",)


@pytest.mark.parametrize("relation", ["'t -C 2: x'", "'t -C 2'"])
def test_what_stands_before_the_colon_is_the_name_of_the_data(write, relation):
    with pytest.raises(DataError, match=r"cannot tell which .* write `name: -C n` there"):
        read_table("meka", {"all": write("m.arff", file_with(relation))}, {})


def test_the_option_goes_before_the_relation(write):
    files = {"all": write("m.arff", file_with("'Music: -C 2'"))}
    assert read_table("meka", files, {"label_count": -1}).label_names == ("d",)


@pytest.mark.parametrize("relation", ["music", "'m: -C 0'", "'m: -C 4'", "'m: -C 99999999999'"])
def test_no_sensible_count(write, relation):
    with pytest.raises(DataError, match=r"m\.arff: cannot tell which of the 4 attributes"):
        read_table("meka", {"all": write("m.arff", file_with(relation))}, {})
