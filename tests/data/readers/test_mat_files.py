from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat
from scipy.sparse import csc_matrix

from mlbench.data.readers import read_table
from mlbench.errors import DataError


def mat(variables) -> bytes:
    stream = io.BytesIO()
    savemat(stream, variables)
    return stream.getvalue()


def cells(*arrays):
    box = np.empty((1, len(arrays)), dtype=object)
    box[0, :] = arrays
    return box


YAHOO = {
    "train_data": np.array([[0.5, 0.0, 1.0], [0.0, 0.0, 0.0]]),
    "test_data": np.array([[0.0, 0.25, 0.0]]),
    "train_target": np.array([[1, -1], [-1, -1]], dtype=np.int16),
    "test_target": np.array([[-1], [1]], dtype=np.int16),
}


def test_yahoo_targets_are_transposed_and_minus_one_is_no(write):
    table = read_table("yahoo-mat", {"all": write("y.mat", mat(YAHOO))}, {})
    assert table.Y.tolist() == [[1, 0], [0, 0], [0, 1]]
    np.testing.assert_array_equal(table.cells.toarray(), [[0.5, 0, 1], [0, 0, 0], [0, 0.25, 0]])
    assert table.label_names == ("label1", "label2")
    assert table.n_train == 2


def test_yahoo_data_may_be_stored_sparse(write):
    variables = YAHOO | {"train_data": csc_matrix(YAHOO["train_data"])}
    table = read_table("yahoo-mat", {"all": write("y.mat", mat(variables))}, {})
    np.testing.assert_array_equal(table.cells.toarray()[0], [0.5, 0, 1])


ARFF = (
    "@relation c\n@attribute sky {0,1}\n@attribute c1 {0,1}\n@attribute c2 {0,1}\n"
    "@attribute sea {0,1}\n@data\n0,0,0,0\n"
)
XML = "<labels><label name='sea'/><label name='sky'/></labels>"
COREL = {
    "data": np.array([[1, 0], [0, 1], [255, 0]], dtype=np.uint8),
    "target": np.array([[0, 1, 0], [1, 1, 0]], dtype=np.uint8),
}


def test_corel_takes_its_names_from_the_arff_and_the_xml_file(write):
    files = {"all": write("c.mat", mat(COREL))}
    bare = read_table("corel-mat", files, {})
    assert bare.label_names == ("label1", "label2")
    assert bare.Y.tolist() == [[0, 1], [1, 1], [0, 0]]
    assert bare.cells.toarray().tolist() == [[1, 0], [0, 1], [255, 0]]
    files |= {"header": write("c.arff", ARFF), "labels": write("c.xml", XML)}
    named = read_table("corel-mat", files, {})
    assert named.label_names == ("sky", "sea")
    assert [attribute.name for attribute in named.attributes] == ["c1", "c2"]


def test_landmine_stacks_tasks_with_samples_of_their_own(write):
    variables = {
        "feature": cells(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0]])),
        "label": cells(np.array([[0], [1]], dtype=np.uint8), np.array([[1]], dtype=np.uint8)),
    }
    table = read_table("landmine-mat", {"all": write("l.mat", mat(variables))}, {})
    assert table.cells.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert table.Y.tolist() == [[0], [1], [1]]
    assert table.tasks.tolist() == [0, 0, 1]
    assert table.task_names == ("task1", "task2")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train_data": None}, "no variable 'train_data'; the file has: test_data"),
        ({"train_data": np.array([["a", "b"]])}, "'train_data' is not numeric"),
        ({"train_data": np.ones((2, 3), dtype=complex)}, "'train_data' is complex"),
        (
            {"train_data": np.array([[np.inf, 0, 0], [0, 0, 0]])},
            "train_data contains a value that",
        ),
        (
            {"train_target": np.array([[1, -1, 1]])},
            "train_target is 1 x 3; it must be labels x row",
        ),
        (
            {"train_target": np.array([[1, 2], [0, 0]])},
            "train_target contains 0, 1, 2; labels must be",
        ),
        (
            {"test_target": np.array([[1]])},
            "2 labels, the test part 3 and 1; they must be the same",
        ),
        ({"test_data": np.array([[1.0]])}, "the training part has 3 features"),
    ],
)
def test_yahoo_mistakes(write, change, message):
    variables = {k: v for k, v in (YAHOO | change).items() if v is not None}
    with pytest.raises(DataError, match=rf"y\.mat: .*{message}"):
        read_table("yahoo-mat", {"all": write("y.mat", mat(variables))}, {})


def test_landmine_mistakes(write):
    def read(feature, label):
        path = write("l.mat", mat({"feature": feature, "label": label}))
        return read_table("landmine-mat", {"all": path}, {})

    x, y = np.ones((2, 2)), np.ones((2, 1))
    with pytest.raises(DataError, match="must be cell arrays"):
        read(x, y)
    with pytest.raises(DataError, match="2 cells of feature, but 1 of label"):
        read(cells(x, x), cells(y))
    with pytest.raises(DataError, match="label of task 2 is 1 x 3"):
        read(cells(x, x), cells(y, np.ones((3, 1))))
    with pytest.raises(DataError, match="task 2 has 3 features"):
        read(cells(x, np.ones((2, 3))), cells(y, y))


def test_corel_names_must_fit(write):
    files = {
        "all": write("c.mat", mat(COREL)),
        "header": write("c.arff", ARFF),
        "labels": write("c.xml", "<labels><label name='sky'/></labels>"),
    }
    with pytest.raises(DataError, match=r"names 3 features and 1 labels, but c\.mat has 2 and 2"):
        read_table("corel-mat", files, {})


def test_newer_and_broken_files(write):
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    with pytest.raises(DataError, match=r"n\.mat: not a readable MATLAB file: .*save -v7"):
        read_table("yahoo-mat", {"all": write("n.mat", header + bytes(400))}, {})
    with pytest.raises(DataError, match=r"e\.mat: not a readable MATLAB file"):
        read_table("yahoo-mat", {"all": write("e.mat", b"")}, {})


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_nothing_but_a_data_error_escapes(tmp_path_factory, data):
    content = bytearray(mat(YAHOO))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "junk.mat"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        table = read_table("yahoo-mat", {"all": path}, {})
    except DataError as error:
        assert "junk.mat" in str(error)  # noqa: PT017 - junk may be legal
    else:
        assert table.cells.shape[0] == table.Y.shape[0]
