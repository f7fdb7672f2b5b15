"""Notes on runs that use a folder."""

from __future__ import annotations

from mlbench.store.active_runs import RunningNote, runs_at_work


def test_a_run_is_at_work_before_its_first_cell_and_until_it_ends(tmp_path):
    with RunningNote(tmp_path, workers=4) as note:
        assert [each["workers"] for each in runs_at_work(tmp_path)] == [4]
        assert [each["cells"] for each in runs_at_work(tmp_path)] == [{}]
        note.start("toy/A/0")
        assert [[*each["cells"]] for each in runs_at_work(tmp_path)] == [["toy/A/0"]]
    assert runs_at_work(tmp_path) == []
