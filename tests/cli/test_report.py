"""What `mlbench run` and `mlbench report` print of many tests."""

from __future__ import annotations

import pytest

from mlbench.cli.report import MAX_LINES_OF_TESTS, print_tables
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
    print_tables(results, "text", (), brief=True)
    printed = capsys.readouterr().out
    heading = "Macro F1: A against the others"
    assert (f"{2 * n_datasets} lines of tests: mlbench report {tmp_path}" in printed) == is_long
    assert (heading in printed) != is_long
    assert "Verdict" in printed
    print_tables(results, "text", ())
    assert heading in capsys.readouterr().out
