from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mlbench.data import from_dataframe, load_dataset, save_dataset
from mlbench.data.subsets import Subset, take_subset
from mlbench.data.texts import text_choice
from mlbench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore:data. left out")

NOTES = ["a river", "boats, boats", None, "river – boat", "one, two", "x"]


@pytest.fixture
def frame():
    """A feature, text, a constant, and a label."""
    return pd.DataFrame(
        {
            "age": [1.5, 2, 3, 4, 5, 6],
            "note": NOTES,
            "other": ["b"] * 6,
            "wet": [1, 1, 0, 1, 0, 0],
        }
    )


@pytest.fixture
def table(frame, tmp_path):
    frame.to_csv(tmp_path / "table.csv", index=False)
    return {"use": str(tmp_path / "table.csv"), "label_columns": ["wet"]}


def test_a_text_column_stands_beside_the_features(frame):
    with pytest.warns(UserWarning, match=r"data: left out 1 of 3 columns: 'other' \(text or dat"):
        data = from_dataframe(frame, label_columns="wet", text="note")
    assert data.feature_names == ("age",)
    assert data.texts.values[:, 0].tolist() == [note or "" for note in NOTES]
    assert "'other'" in data.left_out
    assert "note" not in data.left_out
    assert "text (note)" in repr(data)


def test_a_file_gives_what_its_frame_gives(frame, table):
    option = {"columns": ["note"], "ngram_range": [1, 2]}
    ours = from_dataframe(frame, label_columns="wet", text=option)
    for _ in range(2):  # parsed, and from the cache
        theirs = load_dataset({**table, "text": option})
        assert theirs.fingerprint == ours.fingerprint
        assert theirs.texts.values.tolist() == ours.texts.values.tolist()
        assert theirs.texts.vectorizer.make().ngram_range == (1, 2)


def test_text_may_be_all_that_there_is(frame, tmp_path):
    data = from_dataframe(frame[["note", "wet"]], label_columns="wet", text=["note"])
    assert data.X.shape == (6, 0)
    save_dataset(data, tmp_path / "saved.npz")
    saved = load_dataset(str(tmp_path / "saved.npz"))
    assert saved.fingerprint == data.fingerprint
    assert saved.texts.values.tolist() == data.texts.values.tolist()


def test_texts_and_vectorizer_are_in_the_fingerprint(frame):
    def fingerprint(text="note", **changed):
        return from_dataframe(frame.assign(**changed), label_columns="wet", text=text).fingerprint

    options = [
        None,
        "note",
        "other",
        ["note", "other"],
        ["other", "note"],
        {"columns": "note", "use": "hashing"},
        {"columns": "note", "min_df": 2},
        {"columns": "note", "min_df": 2.0 / 6},
    ]
    found = [fingerprint(option) for option in options] + [fingerprint(note=["river"] * 6)]
    assert len({*found}) == len(found)
    assert fingerprint({"columns": ["note"], "use": "tfidf"}) == fingerprint()


def test_rows_take_their_texts_along(frame):
    data = from_dataframe(frame, label_columns="wet", text="note")
    some = take_subset(data, Subset(rows=3))
    assert some.texts.values[:, 0].tolist() == [NOTES[row] or "" for row in some.row_numbers]
    with pytest.raises(DataError, match="2 texts, but 6 are needed"):
        replace(data, texts=data.texts.take(np.arange(2)))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("nte", "table.csv: text: no column named 'nte' (did you mean 'note'?)"),
        ("wet", "text: 'wet' is also in label_columns; keep one of them"),
        ("other", "text: 'other' is also in nominal; keep one of them"),
        ("age", "text: the column 'age' holds float64, no text"),
        ("void", "text: all texts of the column 'void' are empty"),
        ([], "text: [] are no names of columns; write `[note]`, or"),
        ({"use": "tfidf"}, "text: None are no names of columns"),
        (["note", "note"], "each name once"),
        ({"columns": "note", "use": "tfdf"}, "use is 'tfdf'; it must be tfidf"),
        ({"columns": "note", "mindf": 2}, "no parameter 'mindf' that can be set here (did you m"),
        ({"columns": "note", "min_df": "two"}, "The 'min_df' parameter of TfidfVectorizer must be"),
        ({"columns": "note", "ngram_range": [2, 1]}, "lower boundary larger than the upper"),
        ({"columns": "note", "ngram_range": 2}, "Got 2 instead; ngram_range takes two numbers, as"),
        ({"columns": "note", "token_pattern": "["}, "unterminated character set"),
        ({"columns": "note", "use": "hashing", "min_df": 2}, "HashingVectorizer has no parameter"),
        ({"columns": "note", "tokenizer": str.split}, "no parameter 'tokenizer' that can be set"),
    ],
)
def test_wrong_choices_are_told(frame, tmp_path, option, message):
    frame.assign(void=None).to_csv(tmp_path / "table.csv", index=False)
    wanted = {"use": str(tmp_path / "table.csv"), "label_columns": ["wet"], "nominal": ["other"]}
    with pytest.raises(DataError) as raised:
        load_dataset({**wanted, "text": option})
    assert message in str(raised.value)


def test_parameters_that_leave_no_word_of_one_text_are_no_mistake():
    assert text_choice({"columns": "a", "min_df": 5, "max_df": 0.5}, "s").columns == ("a",)


def test_the_number_of_features_is_that_of_all_rows(frame):
    def number(option):
        return from_dataframe(frame, label_columns="wet", text=option).texts.n_features()

    assert number("note") == 5  # river, boats, boat, one, two
    assert number({"columns": "note", "use": "hashing", "n_features": 64}) == 64
    with pytest.raises(DataError, match=r"'other' leaves no word in 6 rows .* of which 6 have a"):
        number("other")
