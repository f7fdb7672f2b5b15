"""Several results folders summed up: each printed number counts once."""

from __future__ import annotations

import math

import pytest

from mlbench.errors import MlbenchError
from mlbench.papers.count_tables import count_tables, counts_as_plain
from mlbench.papers.counts import COLUMNS, Cause, count_numbers, read_causes
from mlbench.report.reproduction.matching import compare_values
from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.report.reproduction.verdict import PrintVerdict
from tests.report.reproduction.printed import printed_value

PRINTED = [
    printed_value("A", 60.0),
    printed_value("B", 60.0),
    printed_value("C", 60.0, objections=("a copy", "and another reason")),
    printed_value("D", 60.0, table="Table 2"),
    printed_value("A", 60.0, dataset="Scene", table="Table 2"),
]


def folder(source="runs/x", splits=3, dataset="Birds", **means):
    """Results on a data set, with means per method in percent."""
    values = {
        (dataset, method.replace("_", " "), "macro_auc"): tuple(
            mean / 100 + 0.01 * (split - (splits - 1) / 2) for split in range(splits)
        )
        for method, mean in means.items()
    }
    return compare_values(MeasuredValues(source, values), "lee", PRINTED)


def verdicts(*folders, causes=()):
    (paper,) = count_numbers(folders, causes)
    assert [each.line.printed for each in paper.values] == PRINTED
    return [each.verdict for each in paper.values]


def test_each_number_has_one_verdict():
    found = verdicts(folder(A=60.5, B=70.0, C=60.0))
    assert found == [
        PrintVerdict.REPRODUCED,
        PrintVerdict.DIFFERS,
        PrintVerdict.NOT_COMPARABLE,
        PrintVerdict.NOT_RUN,
        PrintVerdict.NOT_RUN,
    ]


def test_the_first_folder_counts_and_in_it_the_printed_name_or_the_first_variant():
    near, far = folder("near", A=60.0, B_raw=80.0, B_tree=60.0), folder("far", A=80.0, B=60.0)
    assert verdicts(near, far)[:2] == [PrintVerdict.REPRODUCED, PrintVerdict.DIFFERS]
    assert verdicts(far, near)[:2] == [PrintVerdict.DIFFERS, PrintVerdict.REPRODUCED]
    (paper,) = count_numbers([near, far])
    assert [each.source for each in paper.values] == ["near", "near", "", "", ""]


def test_a_folder_with_other_data_counts_only_where_no_other_ran():
    other, same = folder(dataset="Birds (reduced)", A=60.0), folder(A=80.0)
    assert verdicts(other)[0] is PrintVerdict.NOT_COMPARABLE
    assert verdicts(other, same)[0] is PrintVerdict.DIFFERS
    (paper,) = count_numbers([other])
    assert paper.values[0].why == "other data"


def test_other_interpretations_reproduce_only_over_as_many_splits():
    (paper,) = count_numbers([folder(A=80.0, A_tree=60.0), folder("b", splits=2, A_raw=60.0)])
    assert paper.values[0].reproduced_by == ("tree",)
    assert paper.values[0].why == "no cause known; another interpretation reproduces it"


CAUSES = [
    Cause("lee", "", "Birds", "A", "", "measured", "the scaling"),
    Cause("", "", "Birds", "?", "", "suspected", "the data"),
]


def test_causes_are_counted_of_numbers_that_differ():
    (paper,) = count_numbers([folder(A=80.0, B=80.0, D=60.0)], CAUSES)
    assert paper.causes() == {
        (PrintVerdict.DIFFERS, "measured: the scaling"): 1,
        (PrintVerdict.DIFFERS, "suspected: the data"): 1,
        (PrintVerdict.NOT_COMPARABLE, "a copy"): 1,
    }
    assert [each.is_measured for each in paper.values] == [True, False, False, False, False]


def test_the_tables_of_one_paper():
    counts, causes = count_tables(count_numbers([folder(splits=2, A=90.0, B=90.0, D=60.0)], CAUSES))
    assert [(row.labels[0], *(cell.printed for cell in row.cells)) for row in counts.rows] == [
        ("Table 1", "3", "2", "0", "0", "2", "—", "1", "1", "0"),
        ("Table 2", "2", "1", "1", "0", "0", "—", "0", "0", "1"),
        ("all", "5", "3", "1", "0", "2", "—", "1", "1", "1"),
    ]
    assert "3 of the compared scores are over fewer splits" in " ".join(counts.notes)
    assert [(*row.labels, row.cells[0].printed) for row in causes.rows] == [
        ("differs", "measured: the scaling", "1"),
        ("differs", "suspected: the data", "1"),
        ("not comparable", "a copy", "1"),
    ]


def test_several_papers_have_a_row_each():
    bare = compare_values(MeasuredValues("runs/y", {}), "yu", [])
    counts, causes = count_tables(count_numbers([folder(A=90.0), bare]))
    assert [row.labels[0] for row in counts.rows] == ["lee", "yu", "all"]
    assert "yu: no numbers in print, only figures." in counts.notes
    assert [row.labels for row in causes.rows] == [("lee", "no cause known")]


def test_p_values_of_a_known_paper_are_counted_though_none_is_compared():
    bare = compare_values(MeasuredValues("runs/j", {}), "ji2009", [])
    (paper,) = count_numbers([bare])
    (p_value,) = paper.of_table("Section 5.2")
    assert (p_value.line.printed.text, p_value.verdict) == ("0.0097", PrintVerdict.NOT_COMPARABLE)
    assert p_value.why.startswith("the largest Wilcoxon p over training sizes")


def test_plain_values():
    plain = counts_as_plain(count_numbers([folder(A=90.0, B=60.0)], CAUSES))
    assert [(each["table"], each["differs"]) for each in plain["tables"]] == [
        ("Table 1", 1),
        ("Table 2", 0),
    ]
    figure = plain["figures"][0]
    assert (figure["cause"], figure["source"]) == ("measured: the scaling", "runs/x")
    assert math.isclose(figure["difference"], 30.0)


HEAD = ",".join(COLUMNS)


@pytest.fixture
def file(tmp_path):
    """Write a file of causes, and return its path."""

    def write(text):
        (tmp_path / "causes.csv").write_text(text)
        return tmp_path / "causes.csv"

    return write


def test_a_file_of_causes_may_have_patterns(file):
    (cause,) = read_causes(file(f'{HEAD}\nlee,,,SMTL(*+AUC),*_f1,measured,"a, b"\n'))
    assert cause.cause == "a, b"
    assert cause.explains(printed_value("SMTL(l21+AUC)", 60.0, metric="macro_f1"))
    assert not cause.explains(printed_value("SMTL(l21+F1)", 60.0, metric="macro_f1"))
    assert not cause.explains(printed_value("SMTL(l21+AUC)", 60.0))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n", ":1: the columns must be paper,table,dataset,method,metric,kind,cause"),
        (f"{HEAD}\nlee,,,A,,measured\n", ":2: 7 fields are needed"),
        (f"{HEAD}\nlee,,,A,,measured, \n", ":2: 7 fields are needed"),
        (f"{HEAD}\nlee,,,A,,guessed,why\n", ":2: kind: must be measured or suspected"),
    ],
)
def test_a_bad_file_of_causes(file, text, problem):
    path = file(text)
    with pytest.raises(MlbenchError) as error:
        read_causes(path)
    assert str(error.value).startswith(f"{path}{problem}")


def test_a_file_of_causes_that_is_missing(tmp_path):
    with pytest.raises(MlbenchError, match="cannot be read: No such file"):
        read_causes(tmp_path / "none.csv")
