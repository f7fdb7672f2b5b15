"""What `mlbench run` and `mlbench report` print of many tests."""

from __future__ import annotations

import csv
import io

import pytest

from mlbench.cli.report import MAX_LINES_OF_TESTS, print_tables
from mlbench.errors import MlbenchError
from mlbench.report.selection import Selection
from mlbench.results import open_results
from tests.runs import write_run


def written(folder, n_datasets):
    """A run of three methods with a test of the first against both others on each data set."""
    scores = {
        (f"d{i}", method): [level, level + 0.1]
        for i in range(n_datasets)
        for method, level in (("A", 0.1), ("B", 0.3), ("C", 0.6))
    }
    write_run(folder, scores, metrics=["macro_f1"], tests=[{"method": "A", "test": "t"}])
    return open_results(folder)


@pytest.mark.parametrize(("n_datasets", "is_long"), [(20, False), (21, True)])
def test_a_run_counts_many_lines_of_tests_and_shows_few(tmp_path, capsys, n_datasets, is_long):
    results = written(tmp_path, n_datasets)
    assert 2 * n_datasets == MAX_LINES_OF_TESTS + 2 * is_long
    print_tables(results, "text", Selection(), brief=True)
    printed = capsys.readouterr().out
    heading = "Macro F1: A against the others"
    assert (f"{2 * n_datasets} lines of tests: mlbench report {tmp_path}" in printed) == is_long
    assert (heading in printed) != is_long
    assert "Verdict" in printed
    print_tables(results, "text", Selection())
    assert heading in capsys.readouterr().out


SCORES = {
    ("d", "A"): [0.50, 0.56, 0.58, 0.61],
    ("d", "B"): [0.40, 0.45, 0.49, 0.50],
    ("d", "C"): [0.45, 0.52, 0.55, 0.55],
    ("e", "A"): [0.60, 0.66, 0.68, 0.71],
    ("e", "B"): [0.50, 0.51, 0.55, 0.53],
    ("e", "C"): [0.51, 0.59, 0.61, 0.66],
}


def records(results, capsys, **wanted):
    """The lines of the CSV of one table."""
    print_tables(results, "csv", Selection(**wanted))
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


@pytest.fixture
def two(tmp_path):
    tests = [{"method": "A", "test": "t", "over_datasets": ["friedman", "win_tie_loss"]}]
    return open_results(write_run(tmp_path, SCORES, metrics=["macro_f1"], tests=tests))


def test_what_is_not_shown_still_counts_in_corrections_and_ranks(two, capsys):
    for table in ("compare", "ranks", "wins"):
        every = records(two, capsys, tables=(table,))
        shown = records(two, capsys, tables=(table,), methods=("A", "C"))
        assert shown == [line for line in every if "B" not in (line["method"], line.get("against"))]
        assert len(every) > len(shown) > 0
    print_tables(two, "text", Selection(methods=("C", "A"), datasets=("e",)))
    told = capsys.readouterr().out
    assert "Shown: 2 of 3 methods and 1 of 2 data sets; corrections and ranks are among all" in told
    assert told.index("\nA ") < told.index("\nC ")  # the order of the experiment
    assert "\nB " not in told


def test_a_method_alone_has_no_tables_against_the_others(two, capsys):
    print_tables(two, "text", Selection(methods=("A",)))
    printed = " ".join(capsys.readouterr().out.split())
    assert "Shown: 1 of 3 methods" in printed
    assert "against the others over data sets" not in printed


def test_without_the_compared_method_there_is_no_comparison(two, capsys):
    print_tables(two, "text", Selection(methods=("B", "C")))
    printed = " ".join(capsys.readouterr().out.split())
    assert "against the others" not in printed
    assert (
        "of the methods shown, C has the best mean; no test compares it with another of them"
        in printed
    )


def test_rows_and_columns_of_scores_can_be_exchanged(two, capsys):
    print_tables(two, "markdown", Selection(tables=("scores",)))
    usual = capsys.readouterr().out
    print_tables(two, "markdown", Selection(tables=("scores",), transpose=True))
    exchanged = capsys.readouterr().out
    cells = [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:6]]
        for text in (usual, exchanged)
    ]
    assert cells[1][0] == ["Data set", "A", "B", "C"]
    assert cells[0][0] == ["Method", "d", "e"]
    assert [row[1] for row in cells[1][2:]] == cells[0][2][1:]  # the scores of A


def test_a_data_set_that_is_not_there_is_named(two):
    with pytest.raises(MlbenchError, match="there is no data set 'f' in the results"):
        print_tables(two, "text", Selection(datasets=("f",)))
