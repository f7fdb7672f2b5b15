"""What a run does, and does not do again."""

from __future__ import annotations

import json
import os
import re
import socket

import pytest

from mlbench.errors import MlbenchError
from mlbench.executors.local import LocalExecutor
from mlbench.store.active_runs import RunningNote

P = "P: {use: 'bad.py:Prior'}"
Q = "Q: {use: mlknn, tune: {k: [3, 5]}}"


def fits(bad_lab) -> int:
    log = bad_lab.folder / "fits.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def run(bad_lab, *words, out="out"):
    finished = bad_lab.mlbench("run", "trial.yaml", "--out", out, *words)
    assert finished.returncode == 0, finished.stderr
    return bad_lab.mlbench("export", out).stdout


def test_the_numbers_depend_on_neither_workers_nor_order_nor_other_methods(bad_lab, experiment):
    experiment(P, Q, repeats=3)
    one = run(bad_lab, "--jobs", "1", out="one")
    two = run(bad_lab, "--jobs", "2", out="two")
    experiment("More: {use: 'bad.py:Prior', pause: 0.01}", Q, P, repeats=3)
    other = run(bad_lab, out="other")

    assert one == two
    lines = [line for line in other.splitlines() if ",More," not in line]
    assert sorted(lines) == sorted(one.splitlines())


def test_rows_say_how_many_cells_the_run_had_at_work(bad_lab, experiment):
    experiment(P, repeats=2)
    run(bad_lab, "--jobs", "3", out="two")
    experiment(P, repeats=3)
    run(bad_lab, "--jobs", "3", out="two")
    state = json.loads(bad_lab.mlbench("status", "two", "--format", "json").stdout)
    assert sorted(each["jobs"] for each in state["environments"]) == ["1", "2"]
    assert bad_lab.mlbench("status", "two").stdout.count("computed with") == 1


def test_only_what_is_missing_runs(bad_lab, experiment):
    experiment(P, repeats=2)
    first = run(bad_lab)
    assert fits(bad_lab) == 2
    assert run(bad_lab) == first
    assert fits(bad_lab) == 2
    experiment(P, repeats=5)
    assert run(bad_lab).startswith(first.rstrip("\n"))
    assert fits(bad_lab) == 5
    experiment(P.replace("P:", "Renamed:"), repeats=5)
    assert run(bad_lab).startswith(first.replace(",P,", ",Renamed,").rstrip("\n"))
    assert fits(bad_lab) == 5
    experiment("P: {use: 'bad.py:Prior', pause: 0.001}", repeats=5)
    run(bad_lab)
    assert fits(bad_lab) == 10


def test_an_edited_method_runs_again_and_why_says_so(bad_lab, experiment):
    experiment(P, repeats=1)
    run(bad_lab)
    why = bad_lab.mlbench("why", "trial.yaml", "toy/P/0", "--out", "out")
    assert "would not run again" in why.stdout
    code = (bad_lab.folder / "bad.py").read_text()
    bad_lab.write("bad.py", code.replace("X[:, :1] + self.noise_", "X[:, :1] - self.noise_"))
    why = bad_lab.mlbench("why", "trial.yaml", "toy/P/0", "--out", "out")
    told = "the code of bad.py:Prior has changed [(][0-9a-f]{12} -> [0-9a-f]{12}[)]"
    assert re.search(told, why.stdout)
    run(bad_lab)
    assert fits(bad_lab) == 2


def test_a_run_warns_of_another_one_only_if_it_has_the_same_cells_to_run(bad_lab, experiment):
    experiment(P, repeats=1)
    with RunningNote(bad_lab.folder / "out") as note:
        note.start("toy/P/1")
        assert "at work" not in bad_lab.mlbench("run", "trial.yaml", "--out", "out").stderr
        experiment(P, repeats=2)
        told = bad_lab.mlbench("run", "trial.yaml", "--out", "out").stderr
    assert f"warning: process {os.getpid()} on {socket.gethostname()} is at work in out: " in told
    assert "cells that it runs now may run twice" in told


def test_two_names_for_the_same_cell_run_once_and_are_both_shown(bad_lab, experiment):
    experiment(P, P.replace("P:", "Same:"), repeats=2)
    export = run(bad_lab)
    assert fits(bad_lab) == 2
    same = [line.replace(",Same,", ",P,") for line in export.splitlines() if ",Same," in line]
    assert same == [line for line in export.splitlines() if ",P," in line]


def test_failures_stay_until_they_are_asked_for_or_their_limit_is_raised(
    bad_lab, experiment, let_through
):
    def again(limit: str, *words: str) -> dict:
        slow = f"Slow: {{use: 'bad.py:Waits', limits: {{time: {limit}}}}}"
        experiment("Raises: {use: 'bad.py:Raises'}", slow, repeats=1)
        finished = bad_lab.mlbench("run", "trial.yaml", "--out", "out", *words)
        assert finished.returncode == 1
        return json.loads(bad_lab.mlbench("status", "out", "--format", "json").stdout)

    assert again("5 s")["counts"] == {"error": 1, "timeout": 1}
    assert fits(bad_lab) == 1
    again("4 s")
    assert fits(bad_lab) == 1, "a lower limit cannot change a timeout"
    let_through(2)
    state = again("10 min")
    assert state["counts"] == {"error": 1, "ok": 1}
    assert fits(bad_lab) == 2
    before = bad_lab.mlbench("run", "trial.yaml", "--out", "out").stderr
    assert "0 to run" in before
    assert (
        "1 to run" in bad_lab.mlbench("run", "trial.yaml", "--out", "out", "--retry-failed").stderr
    )


def test_status_says_where_tracebacks_and_output_are_and_how_to_run_again(bad_lab, experiment):
    experiment("Raises: {use: 'bad.py:Raises'}", repeats=1)
    bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    log = bad_lab.folder / "out" / "worker.log"
    log.unlink(missing_ok=True)
    told = "tracebacks, and what was printed: mlbench status out --full"
    again = "to run them again: mlbench run CONFIG --retry-failed"
    assert bad_lab.mlbench("status", "out").stdout.endswith(f"\n{told}\n{again}\n")
    log.touch()
    shown = bad_lab.mlbench("status", "out").stdout
    assert shown.endswith(f"\n{told}; output of methods: out/worker.log\n{again}\n")


def test_an_error_that_is_explained_keeps_the_lines_of_the_method(bad_lab, experiment):
    experiment("Odd: {use: 'bad.py:FindsAnOddShape'}", repeats=1)
    bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    shown = bad_lab.mlbench("status", "out", "--full").stdout
    assert "FindsAnOddShape cannot be fitted: the shape is odd; it says of itself" in shown
    assert 'raise ValueError("the shape is odd")' in shown


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_tuning_on_the_first_split_is_done_once_and_kept(bad_lab, experiment, jobs):
    method = "P: {use: 'bad.py:Prior', tune: {pause: [0.001, 0.002]}}"
    experiment(method, repeats=4)
    text = (bad_lab.folder / "trial.yaml").read_text()
    text = text.replace("protocol: {", "protocol: {tuning: {folds: 3, scope: first-split}, ")
    bad_lab.write("trial.yaml", text)
    run(bad_lab, "--jobs", jobs)
    assert fits(bad_lab) == 3 * 2 + 4
    rows = [json.loads(path.read_text())["row"] for path in bad_lab.folder.glob("out/rows/*/*")]
    assert {json.dumps(row["tuning"]) for row in rows} == {json.dumps(rows[0]["tuning"])}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_search_that_cells_share_is_done_once_per_split(bad_lab, experiment, jobs):
    use = "use: 'bad.py:Prior', tune: {pause: [0.001, 0.002]}"
    policies = ["default", "train_f1_global", "train_f1_label"]
    experiment(*(f"{policy}: {{{use}, threshold: {policy}}}" for policy in policies))
    run(bad_lab, "--jobs", jobs)
    assert fits(bad_lab) == 2 * (2 * 5) + 3 * 2  # two splits: candidates on folds; final fits
    assert len(list(bad_lab.folder.glob("out/searches/*"))) == 2
    rows = [json.loads(path.read_text())["row"] for path in bad_lab.folder.glob("out/rows/*/*")]
    assert len(rows) == 6
    assert len({json.dumps(row["tuning"]) for row in rows}) == 2


def test_cuts_that_are_added_later_take_over_the_searches_that_were_done(bad_lab, experiment):
    use = "use: 'bad.py:Prior', tune: {pause: [0.001, 0.002]}"
    plain, label = f"A: {{{use}}}", f"B: {{{use}, threshold: train_f1_label}}"
    experiment(plain)
    run(bad_lab)
    before = fits(bad_lab)
    experiment(plain, label)
    run(bad_lab)
    assert fits(bad_lab) == before + 2  # the final fits
    rows = [json.loads(path.read_text())["row"] for path in bad_lab.folder.glob("out/rows/*/*")]
    assert sorted((row["method"], row["split"]) for row in rows) == [
        ("A", 0),
        ("A", 1),
        ("B", 0),
        ("B", 1),
    ]
    assert len({json.dumps(row["tuning"]) for row in rows}) == 2


def test_a_search_of_one_cell_alone_leaves_no_file(bad_lab, experiment):
    experiment("P: {use: 'bad.py:Prior', tune: {pause: [0.001, 0.002]}}")
    run(bad_lab)
    assert not (bad_lab.folder / "out" / "searches").exists()


def test_what_methods_say_of_their_fits_is_exported_and_noted(bad_lab, experiment):
    experiment(P, "S: {use: 'bad.py:StopsEarly'}", repeats=2)
    run(bad_lab)
    exported = bad_lab.mlbench("export", "out", "--what", "fit").stdout.splitlines()
    assert exported[:4] == [
        "dataset,method,split,entry,value",
        "toy,S,0,converged,False",
        "toy,S,0,gap,0.021",
        "toy,S,0,iterations,7",
    ]
    assert len(exported) == 1 + 2 * 3
    report = " ".join(bad_lab.mlbench("report", "out").stdout.split())
    assert "S, toy: 2 of 2, largest gap 0.021." in report


def test_kept_predictions_give_the_scores_of_the_row(bad_lab, experiment):
    import numpy as np

    from mlbench import load_dataset
    from mlbench.metrics import evaluate

    experiment(Q, repeats=1, more="keep_predictions: true")
    run(bad_lab)
    (path,) = bad_lab.folder.glob("out/predictions/*.npz")
    with np.load(path, allow_pickle=False) as kept:
        rows, scores, labels = kept["rows"], kept["scores"], kept["labels"]
    data = load_dataset({"use": "nam-toy", "tasks": 3, "samples": 60, "dimensions": 4})
    (row,) = bad_lab.folder.glob("out/rows/*/*")
    metrics = json.loads(row.read_text())["row"]["metrics"]
    assert evaluate(data.Y[rows], scores, labels).values["macro_auc"] == metrics["macro_auc"]
    assert evaluate(data.Y[rows], scores, labels).values["micro_f1"] == metrics["micro_f1"]


def test_a_folder_with_another_experiment_is_refused(bad_lab, experiment):
    experiment(P)
    run(bad_lab)
    text = (bad_lab.folder / "trial.yaml").read_text().replace("name: trial", "name: other")
    bad_lab.write("trial.yaml", text)
    for command in ("run", "submit"):
        finished = bad_lab.mlbench(command, "trial.yaml", "--out", "out")
        assert finished.returncode == 2
        assert "holds the results of the experiment 'trial'" in finished.stderr


def test_another_table_under_the_same_name_is_noticed_and_both_are_kept(bad_lab, experiment):
    experiment(P, repeats=1)
    first = run(bad_lab)
    experiment(Q, repeats=1)
    second = bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    assert "of the same name with other data sets or methods" in second.stderr
    experiment(P, repeats=1)
    assert run(bad_lab) == first
    assert fits(bad_lab) == 1


@pytest.mark.parametrize(("jobs", "advises"), [(1, False), (2, True)])
def test_fewer_workers_are_advised_only_where_there_are_several(
    monkeypatch, tmp_path, jobs, advises
):
    def fails(*_):
        raise EOFError("unexpected EOF")

    monkeypatch.setattr("mlbench.executors.local.fork_worker", fails)
    executor = LocalExecutor(tmp_path, [], jobs)
    with pytest.raises(MlbenchError, match="run the command again") as refused:
        executor._start_worker()
    assert ("with --jobs below 2" in str(refused.value)) == advises
