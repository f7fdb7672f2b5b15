"""What many cells say alike is said once."""

from __future__ import annotations

from mlbench.comparisons.settings import report_settings
from mlbench.report.html.failures import damaged, failures, warnings
from mlbench.report.html.split_tables import SplitTables
from mlbench.results.results import Results


def splits_of(folder):
    return SplitTables(folder, report_settings(folder), folder.path)


def test_failures_are_grouped_by_what_they_say(troubled):
    found = {problem.kind: problem for problem in failures(splits_of(troubled))}
    assert set(found) == {"error", "timeout", "missing"}
    assert found["timeout"].n_cells == 3
    ((place, splits, anchor),) = found["timeout"].where
    assert (place, splits, anchor) == ("flags, ECC", "splits 0, 1, 2", "rows-1-2")
    assert found["error"].traceback.endswith("ValueError: <b>no</b>")
    assert found["missing"].where[0][1] == "split 3"


def test_warnings_are_grouped_without_how_often_each_cell_said_them(troubled):
    (problem,) = warnings(splits_of(troubled))
    assert (problem.message, problem.n_cells) == ("hm", 8)
    assert [place for place, *_ in problem.where] == ["emotions, SMTL", "flags, SMTL"]


def test_damaged_files_are_named(make_results):
    folder = make_results(n_splits=1)
    key = folder.cells[0][-1]
    (folder.path / "rows" / key[:2] / f"{key}.json").write_text("{}")
    again = Results.of_run(folder.path)
    ((path, problem),) = damaged(again)
    assert path == f"rows/{key[:2]}/{key}.json"
    assert "not a complete file" in problem
    assert [problem.kind for problem in failures(splits_of(again))] == ["missing"]
