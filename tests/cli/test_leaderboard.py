"""`mlbench leaderboard` as a user meets it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.runs import write_run

RUN = {
    **{(name, "A"): [0.9, 0.8] for name in ("flags", "emotions", "yeast", "mine")},
    **{(name, "B"): [0.5, 0.4] for name in ("flags", "emotions", "yeast", "mine")},
    **{(name, "C"): [0.3, 0.2] for name in ("flags", "emotions", "yeast")},
}


@pytest.fixture
def leaderboard(call, tmp_path):
    """Rank the methods of a small run."""
    write_run(tmp_path / "run", RUN, cards=["flags", "emotions", "yeast"])
    return lambda *words: call(tmp_path, "leaderboard", "run", *words)


def methods(done):
    return [record["method"] for record in json.loads(done.stdout)]


def test_the_first_line_answers(leaderboard):
    done = leaderboard()
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("A leads in Macro F1: mean rank 1.00 over 3 of 4 data sets and 3")
    assert "With cells that have not run: C. Left out: mine." in done.stdout
    assert "`mlbench audit` says what could be wrong with these comparisons." in done.stdout


def test_published_results_are_named_and_not_by_their_path(call, tmp_path):
    done = call(tmp_path, "leaderboard", "strong-baselines", "--metric", "hamming_loss")
    assert done.stderr.startswith("error: strong-baselines: there are no scores in hamming_loss;")


def test_the_formats_say_the_same(leaderboard):
    records = json.loads(leaderboard("--format", "json").stdout)
    lines = list(csv.DictReader(io.StringIO(leaderboard("--format", "csv").stdout)))
    assert [*lines[0]] == [*records[0]]
    assert [line["mean_rank"] for line in lines] == [str(each["mean_rank"]) for each in records]
    assert "| 1 | A | 1.00 | 100 % |" in leaderboard("--format", "markdown").stdout


def test_data_sets_are_chosen_by_name_or_by_the_domain_of_their_card(leaderboard):
    assert "on emotions" in leaderboard("--domain", "music").stdout
    assert "on emotions" in leaderboard("--dataset", "emotions").stdout
    both = leaderboard("--domain", "music", "--domain", "biology").stdout
    assert "over 2 of 4 data sets" in both
    assert "over 3 of 4 data sets" in leaderboard("--finished").stdout


def test_methods_are_chosen_by_name(leaderboard):
    assert methods(leaderboard("--method", "C", "--method", "B", "--format", "json")) == ["B", "C"]
    every = methods(leaderboard("--format", "json"))
    left = methods(leaderboard("--without", "C", "--format", "json"))
    assert left == [name for name in every if name != "C"]


def test_a_metric_that_only_describes_methods_ranks_none(leaderboard):
    done = leaderboard("--metric", "cut_ratio")
    assert done.exit_code == 2
    assert "cut_ratio describes methods, and ranks none" in done.stderr


@pytest.mark.parametrize("words", [[], ["--brief"], ["--html", "page.html"]])
def test_an_experiment_that_only_describes_methods_has_none(call, tmp_path, words):
    write_run(tmp_path / "run", RUN, metrics=["cut_ratio"])
    done = call(tmp_path, "leaderboard", "run", *words)
    assert done.exit_code == 2
    assert "cut_ratio describes methods, and ranks none" in done.stderr


def test_a_metric_has_a_table_of_its_own(call, tmp_path):
    words = ["--metric", "macro_auc", "--metric", "micro_f1"]
    done = call(tmp_path, "leaderboard", "strong-baselines", *words)
    assert "forest leads in Macro AUC" in done.stdout
    assert "leads in Micro F1" in done.stdout


def test_a_brief_table_has_a_column_for_each_metric(call, tmp_path):
    words = ["--brief", "--metric", "macro_auc", "--metric", "micro_f1"]
    done = call(tmp_path, "leaderboard", "strong-baselines", *words)
    assert "Method        Macro AUC  Micro F1  Seconds" in done.stdout
    assert done.stdout.count(" leads in ") == 2
    alone = call(tmp_path, "leaderboard", "strong-baselines", *words[3:], "--format", "json")
    brief = call(tmp_path, "leaderboard", "strong-baselines", *words, "--format", "json")
    records = [each for each in json.loads(brief.stdout) if each["metric"] == "micro_f1"]
    assert records == json.loads(alone.stdout)


def test_a_page_is_never_brief(leaderboard):
    done = leaderboard("--html", "page.html", "--brief")
    assert done.exit_code == 2
    assert "--brief is for what is printed" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--dataset", "emotion"], "no data set 'emotion' in the results (did you mean 'emotions'"),
        (["--method", "D"], "no method 'D' in the results; known: A, B, C"),
        (["--domain", "texts"], "no domain 'texts' in the results; known: biology, music, other"),
        (["--domain", "music", "--dataset", "yeast"], "no data set is left: of yeast none has"),
        (["--metric", "macro_auc"], "no scores in macro_auc; there are some in: macro_f1"),
        (["--metric", "f2"], "there is no metric 'f2'"),
        (["--method", "A"], "a leaderboard takes two methods; here is A"),
        (["--method", "A", "--without", "A"], "a leaderboard takes two methods; here is none"),
        (["--without", "Q"], "there is no method 'Q'"),
        (
            ["--dataset", "mine", "--method", "C", "--method", "A"],
            "with --without; with cells that have not run: C; --dataset flags ranks the 2 that",
        ),
    ],
)
def test_what_is_not_there_is_named(leaderboard, words, told):
    done = leaderboard(*words)
    assert done.exit_code == 2
    assert told in done.stderr


def test_a_page_is_written_and_nothing_printed(leaderboard, tmp_path):
    done = leaderboard("--html", "pages/board.html", "--domain", "music")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "wrote pages/board.html, in a new folder\n"
    text = (tmp_path / "pages/board.html").read_text()
    assert "has the best mean in Macro F1 on emotions, of 3 methods." in text
    assert "yeast" not in text


def test_a_page_is_no_folder(leaderboard):
    done = leaderboard("--html", ".")
    assert done.exit_code == 2
    assert "is a folder; give a file, such as leaderboard.html" in done.stderr


def test_published_results_are_named_where_nothing_is(call, tmp_path, monkeypatch):
    monkeypatch.setattr("mlbench.cli.leaderboard.DEFAULT", "not there")
    done = call(tmp_path, "leaderboard")
    assert done.exit_code == 2
    assert "name RESULTS: a folder, or published results: " in done.stderr
    monkeypatch.undo()
    assert "\narena, 20" in call(tmp_path, "leaderboard").stdout
