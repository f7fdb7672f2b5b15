"""Printed values from a file of one's own: what it may say, and what is wrong with a bad one."""

from __future__ import annotations

import math

import pytest

from mlbench.errors import MlbenchError
from mlbench.published.csv_file import find_paper, read_published_file

HEAD = "dataset,method,metric,mean,unit\n"
FULL = (
    "paper,table,dataset,setting,method,metric,mean,std,n_splits,unit,ours,note,not_comparable\n"
    "Lee 2020,Table 3,Emotions,,BR,Macro-F,61.30,1.2,10,percent,macro_f1,,\n"
    'Lee 2020,Table 3,Emotions,train=0.2,BR,Macro-F,0.58,,,fraction,macro_f1,"a, b",copied row\n'
    "Lee 2020,Table 4,Emotions,,BR,time,12.5,,,seconds,seconds_fit,,\n"
)


@pytest.fixture
def file(tmp_path):
    """Write a file of printed values, and return its path."""

    def write(text: str, encoding: str = "utf-8"):
        path = tmp_path / "lee.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_all_columns(file):
    paper = read_published_file(file(FULL))
    assert (paper.name, paper.tables) == ("Lee 2020", ["Table 3", "Table 4"])
    score, share, time = paper.values
    assert (score.mean, score.std, score.n_splits, score.decimals) == (61.3, 1.2, 10, 2)
    assert (score.metric, score.ours, score.text) == ("Macro-F", "macro_f1", "61.30 ± 1.2")
    assert score.comparable
    assert (share.our_dataset, share.note, share.objections) == (
        "Emotions 20 %",
        "a, b",
        ("copied row",),
    )
    assert math.isnan(share.std)
    assert (time.ours, time.is_time) == ("seconds_fit", True)


def test_the_columns_that_are_needed(file):
    paper = read_published_file(file(HEAD + "Emotions,BR,misclassification,.25,fraction\n"))
    (value,) = paper.values
    assert (paper.name, value.table, value.n_splits) == ("lee", "lee", None)
    assert (value.ours, value.decimals) == ("hamming_loss", 2)


def test_files_of_spreadsheets_and_empty_lines_are_read(file):
    text = (HEAD + "Emotions,BR,macro_f1,61.3,percent\n,,,,\n\n").replace("\n", "\r\n")
    assert len(read_published_file(file(text, "utf-8-sig")).values) == 1


BAD_LINES = {
    "Emotions,BR,macro_f1,about 60,percent": "2: mean: must be a number as printed, such as 71.30",
    "Emotions,BR,macro_f1,6.1e1,percent": "2: mean: must be a number as printed",
    "Emotions,BR,macro_f1,nan,percent": "2: mean: must be a number as printed",
    "Emotions,BR,macro_f1,,percent": "2: mean: must be a number as printed",
    "Emotions,BR,macro_f1,61.3,fraction": "2: mean: 61.3 fraction is impossible",
    "Emotions,BR,macro_f1,161.3,percent": "2: mean: 161.3 percent is impossible",
    "Emotions,BR,macro_f1,61.3,%": "2: unit: must be percent, fraction, seconds, not '%'",
    "Emotions,BR,makro_f1,61.3,percent": "2: metric: there is no metric 'makro_f1' (did you mean",
    "Emotions,BR,coverage,61.3,percent": "2: unit: coverage is not a fraction",
    "Emotions,BR,time,61.3,seconds": "2: metric: a time must be seconds_tune, seconds_fit,",
    "Emotions,,macro_f1,61.3,percent": "2: method: must not be empty",
    "Emotions,BR": "2: metric: must not be empty",
    "Emotions,BR,macro_f1,61,3,percent": "2: 6 fields for 5 columns; put a text with a comma",
    'Emotions,"BR,macro_f1,61.3,percent': "2: not a line of a CSV file",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_is_named_with_its_column(file, line):
    path = file(f"{HEAD}{line}\n")
    with pytest.raises(MlbenchError) as error:
        read_published_file(path)
    assert str(error.value).startswith(f"{path}:{BAD_LINES[line]}")


BAD_FIELDS = [
    ("std", "1.2", "n_splits: a std needs"),
    ("std", "-1", "std: must not be negative"),
    ("std", "±1", "std: must be a number as printed"),
    ("n_splits", "ten", "n_splits: must be a whole number from 1"),
    ("n_splits", "0", "n_splits: must be a whole number from 1"),
    ("setting", "20 %", "setting: must be empty or a training share (train=0.2)"),
    ("ours", "makro_f1", "ours: there is no metric 'makro_f1'"),
]


@pytest.mark.parametrize(("column", "field", "problem"), BAD_FIELDS)
def test_a_bad_optional_field(file, column, field, problem):
    head = HEAD.strip() + f",{column}\n"
    path = file(f"{head}Emotions,BR,macro_f1,61.3,percent,{field}\n")
    with pytest.raises(MlbenchError) as error:
        read_published_file(path)
    assert str(error.value).startswith(f"{path}:2: {problem}")


def test_all_bad_lines_are_told_at_once_up_to_ten(file):
    path = file(HEAD + "".join(f"Emotions,BR{i},macro_f1,x,percent\n" for i in range(12)))
    with pytest.raises(MlbenchError) as error:
        read_published_file(path)
    told = str(error.value).splitlines()
    assert [line.split(": ")[0] for line in told[:10]] == [f"{path}:{i}" for i in range(2, 12)]
    assert told[10:] == ["and 2 more"]


def test_a_repeated_value_names_the_first(file):
    line = "Emotions,BR,macro_f1,61.3,percent\n"
    path = file(HEAD + line + line)
    with pytest.raises(MlbenchError, match=r":3: repeats line 2$"):
        read_published_file(path)


BAD_FILES = {
    "": ":1: no column 'dataset'",
    HEAD: ": no line with a printed value",
    HEAD.replace(",", ";"): ":1: separate the columns with commas",
    HEAD.replace("mean", "means"): ":1: unknown column 'means' (did you mean 'mean'?)",
    HEAD.replace(",unit", ""): ":1: no column 'unit'",
    HEAD.replace("unit", "unit,mean"): ":1: a column stands there twice",
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_a_bad_file(file, text):
    path = file(text)
    with pytest.raises(MlbenchError) as error:
        read_published_file(path)
    assert str(error.value).startswith(f"{path}{BAD_FILES[text]}")


def test_a_file_that_cannot_be_read(tmp_path, file):
    with pytest.raises(MlbenchError, match="there is no such file of printed values"):
        read_published_file(tmp_path / "none.csv")
    with pytest.raises(MlbenchError, match="cannot be read"):
        read_published_file(tmp_path)
    with pytest.raises(MlbenchError, match="not a text file in UTF-8"):
        read_published_file(file("dataset,méthode\n", "latin-1"))


def test_a_file_has_one_paper(file):
    head, first, *_ = FULL.splitlines(keepends=True)
    with pytest.raises(MlbenchError, match="paper: a file has one paper, not Lee 2020 and Li"):
        read_published_file(
            file(head + first + first.replace("Lee 2020", "Li").replace("BR", "LP"))
        )


def test_a_paper_is_found_by_key_or_file(file):
    assert find_paper("ke").title.startswith("Ke, Pan, Yin, Huang")
    assert find_paper(str(file(FULL))).name == "Lee 2020"
    with pytest.raises(MlbenchError, match=r"'kee' \(did you mean 'ke'\?\).* or a CSV file"):
        find_paper("kee")


def test_a_file_named_without_its_ending_is_suggested(file, monkeypatch):
    path = file(FULL)
    monkeypatch.chdir(path.parent)
    with pytest.raises(MlbenchError, match=rf"{path.stem!r} \(did you mean '{path.name}'\?\)"):
        find_paper(path.stem)


def test_scores_in_percent_that_look_like_fractions_are_refused(file):
    lines = "Emotions,BR,macro_f1,0.613,percent\nEmotions,LP,macro_f1,0.598,percent\n"
    with pytest.raises(MlbenchError, match="unit: all 2 scores in percent are at most 1; if they"):
        read_published_file(file(HEAD + lines))
    losses = lines.replace("macro_f1", "hamming_loss")
    assert len(read_published_file(file(HEAD + losses)).values) == 2
