"""``init``: a first experiment for a data file."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlbench.bundle import published_results
from mlbench.config.load import load_experiment
from mlbench.data.texts import text_choice
from mlbench.yaml_loader import load_yaml, parse_yaml

SONGS = "songs.csv", "--labels", "sad,fast"


@pytest.fixture
def songs(tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["title"] = [f"song {i}" for i in range(60)]
    frame["sad"] = (frame.a > 0).astype(int)
    frame["fast"] = (frame.b > 1.4).astype(int)
    frame.to_csv(tmp_path / "songs.csv", index=False)
    return tmp_path


def test_features_of_0_and_1_alone_may_be_labels_that_were_forgotten(songs, call):
    done = call(songs, "init", "songs.csv", "--labels", "sad")
    assert "features of 0 and 1 alone: 'fast'; if one is a label, name it in" in done.output


def test_a_label_without_a_value_is_refused_and_one_of_one_value_is_told(songs, call):
    frame = pd.read_csv(songs / "songs.csv")
    frame.assign(calm=np.nan, loud=0).to_csv(songs / "songs.csv", index=False)
    refused = call(songs, "init", "songs.csv", "--labels", "sad,calm")
    assert refused.exit_code == 2
    assert "no row has a value of the label calm; leave it out of --labels" in refused.output
    told = call(songs, "init", "songs.csv", "--labels", "sad,loud").output
    assert "one value in all rows, so nothing to learn: label loud" in told
    refused = call(songs, "init", "songs.csv", "--labels", "loud")
    assert refused.exit_code == 2
    assert "the only label has one value in all rows (loud)" in refused.output


def test_numbers_with_a_decimal_comma_are_no_categories(songs, call):
    frame = pd.read_csv(songs / "songs.csv")
    frame = frame.assign(year=[*range(30)] * 2)
    frame.to_csv(songs / "songs.csv", index=False, sep=";", decimal=",")
    told = call(songs, "init", *SONGS, "--set", 'delimiter=";"').output
    assert "decimal comma are read as text, so write them with a point: 'a'" in told
    assert "nominal=[a]" not in told


def test_groups_that_are_named_need_no_hint(songs, call):
    frame = pd.read_csv(songs / "songs.csv")
    frame["band"] = [f"band {i // 3}" for i in range(60)]
    frame["singer"] = [f"singer {i // 2}" for i in range(60)]
    frame.to_csv(songs / "songs.csv", index=False)
    told = call(songs, "init", *SONGS, "--set", "groups=band").output
    assert "left out 2 of 5 columns: 'title', 'singer'" in told
    assert "groups: 20, the rows of each in one part of every split" in told
    assert "groups=singer" not in told


def test_whole_numbers_that_repeat_may_be_groups(songs, call):
    frame = pd.read_csv(songs / "songs.csv")
    numbers = np.repeat(np.arange(100, 130), 2)
    frame.assign(album_id=numbers, age=numbers).to_csv(songs / "songs.csv", index=False)
    told = call(songs, "init", *SONGS).output
    assert (
        "groups? album_id has 30 values, which repeat: --set groups=album_id keeps the rows of "
        "each in one part of every split; as it stands, it is a feature\n"
    ) in told
    assert "age" not in told


def test_categories_named_as_groups_are_may_be_some(songs, call):
    frame = pd.read_csv(songs / "songs.csv")
    frame["session"] = [f"s{i // 10}" for i in range(60)]
    frame["mood"] = frame["session"]
    frame.to_csv(songs / "songs.csv", index=False)
    told = call(songs, "init", *SONGS).output
    assert "groups? session has 6 values, which repeat: --set groups=session keeps" in told
    assert "groups? mood" not in told


def test_labels_may_be_named_one_by_one(songs, call):
    done = call(songs, "init", "songs.csv", "--labels", "sad", "--labels", "fast")
    assert "2 labels" in done.output.splitlines()[0]


def test_what_is_said_of_a_column_with_a_value_for_each_row_can_be_done(songs, call):
    done = call(songs, "init", *SONGS, "--set", "text=[title]")
    assert "3 features and 1 text column" in done.output
    assert "{use: mlknn, normalize: null," in (songs / "songs.yaml").read_text()
    assert "left out" not in done.output


def test_the_experiment_says_what_was_found_and_is_valid(songs, call):
    done = call(songs, "init", *SONGS)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [
        "wrote songs.yaml: 60 samples, 3 features, 2 labels",
        "left out 1 of 4 columns: 'title' (text or dates)",
        "  'title' has many short values; to use it: --set 'text=[title]'",
        "for one of these, give the command again with the --set and with --force",
        "next: mlbench run songs.yaml",
    ]
    text = (songs / "songs.yaml").read_text()
    assert "# Left out: 1 of 4 columns: 'title' (text or dates)." in text
    experiment = load_experiment(songs / "songs.yaml").experiment
    assert experiment.name == "songs"
    assert set(experiment.methods) == {"BR", "ECC", "ML-kNN", "forest"}
    assert experiment.protocol.splits.stratify == "labels"  # `fast` has few positives
    assert experiment.protocol.preprocess == ("standardize",)
    assert "40 cells to run" in call(songs, "plan", "songs.yaml").output


def test_all_methods_are_tuned_by_each_metric_and_cut_by_one_rule(songs, call):
    call(songs, "init", *SONGS)
    experiment = load_experiment(songs / "songs.yaml").experiment
    assert not experiment.keep_predictions
    path = songs / "songs.yaml"
    path.write_text(path.read_text().replace("# keep_predictions", "keep_predictions"))
    assert load_experiment(path).experiment.keep_predictions
    for name in experiment.methods:
        method = experiment.settings_of(name)
        assert method.tune
        assert method.searched_by == ("macro_f1", "micro_f1", "macro_auc")
        assert method.threshold.f1 == "cv_f1_label"


def test_rakel_needs_more_labels_than_a_labelset_holds(tmp_path, call):
    table = np.random.default_rng(5).integers(0, 2, size=(60, 6))
    pd.DataFrame(table, columns=list("abcdef")).to_csv(tmp_path / "six.csv", index=False)
    for labels, has_it in {"d,e,f": False, "c,d,e,f": True}.items():
        done = call(tmp_path, "init", "six.csv", "--labels", labels, "--force")
        assert done.exit_code == 0, done.output
        assert ("RAkEL" in load_experiment(tmp_path / "six.yaml").experiment.methods) == has_it


def test_missing_values_are_imputed(songs, call):
    path = songs / "songs.csv"
    path.write_text(path.read_text().replace("song 0,", "song 0,", 1) + ",1,1,gap,0,1\n")
    done = call(songs, "init", *SONGS)
    assert "missing values: kept, and imputed by means of training parts" in done.output
    experiment = load_experiment(songs / "songs.yaml").experiment
    assert experiment.protocol.preprocess == ("impute", "standardize")
    assert experiment.datasets[0].options["missing"] == "keep"


def test_a_missing_value_may_be_refused(songs, call):
    path = songs / "songs.csv"
    path.write_text(path.read_text() + ",1,1,gap,0,1\n")
    done = call(songs, "init", *SONGS, "--set", "missing=refuse")
    assert done.exit_code == 2
    assert "error: songs.csv: attribute 'a' has 1 missing value; keep them with" in done.output


@pytest.fixture
def reviews(tmp_path):
    """A table with text, categories, dates, and codes."""
    rng = np.random.default_rng(3)
    words = ["river", "bread", "weather", "market", "window"]
    frame = pd.DataFrame({"age": rng.normal(size=40), "city": rng.choice(["Bonn", "Ulm"], 40)})
    frame["note"] = [" ".join(rng.choice(words, 6)) for _ in range(40)]
    frame["day"] = [f"2020-01-{1 + i % 20:02}" for i in range(40)]
    frame["code"] = [f"no. {i}" for i in range(40)]
    frame["good"] = rng.integers(0, 2, 40)
    frame.to_csv(tmp_path / "reviews.csv", index=False)
    return tmp_path


def test_names_with_a_comma_are_quoted_in_what_is_to_be_copied(tmp_path, call):
    notes = [f"the singer of day {i} was heard again in town" for i in range(40)]
    codes = [f"c{i} x" for i in range(40)]
    table = {"note, text": notes, "code": codes, "size": range(40), "good": [0, 1] * 20}
    pd.DataFrame(table).to_csv(tmp_path / "odd.csv", index=False)
    done = call(tmp_path, "init", "odd.csv", "--labels", "good")
    (told,) = (line for line in done.output.splitlines() if "to use it" in line)
    option = shlex.split(told.partition("--set ")[2])[0]
    assert parse_yaml(option.removeprefix("text="), Path("x")).value == ["note, text", "code"]
    text = (tmp_path / "odd.yaml").read_text()
    (line,) = (line for line in text.splitlines() if line.startswith("# text:"))
    assert parse_yaml(line.removeprefix("# "), Path("x")).value["text"]["columns"] == ["note, text"]


def test_few_values_are_categories_and_long_ones_text(reviews, call):
    done = call(reviews, "init", "reviews.csv", "--labels", "good")
    assert done.output.splitlines() == [
        "wrote reviews.yaml: 40 samples, 3 features and 1 text column, 1 label",
        "categories: city (2 values)",
        "text: note (6 words on average); `tfidf` turns it into features",
        "left out 2 of 5 columns: 'day', 'code' (text or dates)",
        "  'code' has many short values; to use it: --set 'text=[note, code]'",
        "  'day' holds dates; for splits in time order: --set time=day",
        "for one of these, give the command again with the --set and with --force",
        "next: mlbench run reviews.yaml",
    ]
    (dataset,) = load_experiment(reviews / "reviews.yaml").experiment.datasets
    assert (dataset.options["nominal"], dataset.options["text"]) == (["city"], ["note"])
    text = (reviews / "reviews.yaml").read_text()
    other = next(line[2:] for line in text.splitlines() if line.startswith("# text: "))
    chosen = parse_yaml(other, Path("x")).value["text"]
    assert text_choice(chosen, "").columns == ("note",)
    assert "40 cells to run" in call(reviews, "plan", "reviews.yaml").output


def test_times_give_splits_in_their_order(reviews, call):
    done = call(reviews, "init", "reviews.csv", "--labels", "good", "--set", "time=day")
    assert done.exit_code == 0
    experiment = load_experiment(reviews / "reviews.yaml").experiment
    assert experiment.protocol.splits.kind == "time"
    assert "20 cells to run" in call(reviews, "plan", "reviews.yaml").output
    both = ("--set", "time=day", "--set", "groups=code", "--force")
    done = call(reviews, "init", "reviews.csv", "--labels", "good", *both)
    assert done.exit_code == 2
    assert "splits keep groups together or follow the order of time, not both" in done.stderr


def test_a_name_alone_is_a_list_of_one(reviews, call):
    given = ("--labels", "good", "--set", "nominal=city", "--set", "text=note")
    assert call(reviews, "init", "reviews.csv", *given).exit_code == 0
    (dataset,) = load_experiment(reviews / "reviews.yaml").experiment.datasets
    assert (dataset.options["nominal"], dataset.options["text"]) == (["city"], ["note"])


def test_many_values_that_repeat_may_be_groups(songs, call):
    frame = pd.read_csv(songs / "songs.csv")
    frame["singer"] = [f"singer {i % 25}" for i in range(60)]
    frame.to_csv(songs / "songs.csv", index=False)
    done = call(songs, "init", *SONGS)
    first = done.output.splitlines()[1]
    assert first.startswith("groups? singer has 25 values, which repeat: --set groups=singer ")
    assert first.endswith("--set 'nominal=[singer]' or --set 'text=[singer]'")
    done = call(songs, "init", *SONGS, "--set", "groups=singer", "--force")
    assert "singer" not in done.output
    (dataset,) = load_experiment(songs / "songs.yaml").experiment.datasets
    assert dataset.options["groups"] == "singer"


def test_choices_of_ones_own_are_kept(reviews, call):
    given = ("--set", "text={columns: [code, note]}", "--set", "ignore=[day]")
    done = call(reviews, "init", "reviews.csv", "--labels", "good", *given)
    assert "3 features and 2 text columns" in done.output
    assert "'day' (listed under `ignore`)" in done.output
    assert "to use it" not in done.output
    (dataset,) = load_experiment(reviews / "reviews.yaml").experiment.datasets
    assert dataset.options["nominal"] == ["city"]
    assert dataset.options["text"] == ["code", "note"]


def test_text_alone_is_not_preprocessed(reviews, call):
    given = ("--set", "ignore=[age,city,day,code]")
    assert call(reviews, "init", "reviews.csv", "--labels", "good", *given).exit_code == 0
    assert load_experiment(reviews / "reviews.yaml").experiment.protocol.preprocess == ()


def test_methods_of_ones_own_run_with_the_others_and_the_first_is_tested(songs, call):
    done = call(songs, "init", *SONGS, "--method", "mine.py:Mine", "--method", "my.module.ECC")
    assert done.output.splitlines()[-2:] == [
        "mine.py is not there yet: `mlbench methods new Mine` writes one",
        "next: mlbench run songs.yaml --allow-import",
    ]
    value = load_yaml(songs / "songs.yaml").value
    others = ("BR", "ECC", "ML-kNN", "forest")
    assert [*value["methods"]] == [*others, "Mine", "my ECC"]
    assert value["methods"]["Mine"] == {"use": "mine.py:Mine"}
    assert value["tests"] == [{"method": "Mine", "test": "corrected_t"}]


def test_each_experiment_has_a_name_of_its_own(songs, call):
    names = {"own first.yaml": "own-first", "_.yaml": "experiment", "x" * 120 + ".yaml": "x" * 100}
    for file, name in names.items():
        assert call(songs, "init", *SONGS, "--out", file).exit_code == 0
        experiment = load_experiment(songs / file).experiment
        assert experiment.name == name
        assert experiment.datasets[0].display == "songs"


def test_one_label_is_counted_as_one(songs, call):
    done = call(songs, "init", "songs.csv", "--labels", "sad", "--set", "ignore=[fast]")
    assert "wrote songs.yaml: 60 samples, 3 features, 1 label\n" in done.output


def test_methods_suit_labels_that_are_partly_unknown(songs, call):
    path = songs / "songs.csv"
    path.write_text(path.read_text() + "1,1,1,gap,,1\n")
    assert call(songs, "init", *SONGS).exit_code == 0
    planned = call(songs, "plan", "songs.yaml")
    assert (planned.exit_code, "30 cells to run" in planned.output) == (0, True)


def test_a_path_starts_where_the_file_is(songs, call):
    assert call(songs, "init", *SONGS, "--out", "own/first.yaml").exit_code == 0
    (dataset,) = load_experiment(songs / "own/first.yaml").experiment.datasets
    assert dataset.use == str(songs / "songs.csv")


def test_a_named_data_set(tmp_path, call):
    assert call(tmp_path, "init", "digits").exit_code == 0
    assert "- use: digits\n" in (tmp_path / "digits.yaml").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("songs.csv",), "example `--labels sad,fast` (or `--set class_column=NAME`, if"),
        (("songs.csv",), "class); the columns are 'a', 'b', 'c', 'title', 'sad', 'fast'\n"),
        (("songs.tsv",), "`--labels NAME,NAME` (or"),
        (("songs.csv", "--labels", "sadd"), "songs.csv: --labels: no column named 'sadd' (did you"),
        (("mixed.csv", "--labels", "y"), "mixed.csv:2: 'n.k.' is not a number; if the column 'x'"),
        (("mixed.csv", "--labels", "y"), "categories, use `--set 'nominal=[x]'`"),
        (("songs.csv", "--labels", "title"), "choose the column by `--set class_column=title`"),
        ((*SONGS, "--set", "nominal=[sad]"), "nominal: 'sad' is also in --labels; keep one"),
        ((*SONGS, "--set", "nominal=[b,titel]"), "nominal: no feature named 'titel' (did you mean"),
        (("nosuch.csv",), "nosuch.csv: no such file"),
        ((*SONGS, "--out", "songs.csv"), "songs.csv: exists; choose another file with --out"),
        (("nam-toi",), "did you mean 'nam-toy'?"),
    ],
)
def test_what_cannot_be_written(songs, call, words, message):
    (songs / "songs.tsv").write_text("a;y\n1;0\n")
    (songs / "mixed.csv").write_text("x,y\nn.k.,0\n1,1\n2,0\n3,1\n")
    done = call(songs, "init", *words)
    assert done.exit_code == 2
    assert message in done.output


ON_BASE = ("init", "--base", "strong-baselines", "--method", "mine.py:Mine")


def test_a_method_of_ones_own_stands_on_published_results(tmp_path, call):
    done = call(tmp_path, *ON_BASE, "--method", "lspc", "--method", "pack.module.ECC")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [
        "wrote mine.yaml",
        "mine.py is not there yet: `mlbench methods new Mine` writes one",
        "data: mlbench data fetch --base strong-baselines",
        "next: mlbench run mine.yaml --allow-import",
    ]
    text = (tmp_path / "mine.yaml").read_text()
    assert max(map(len, text.splitlines())) <= 100
    value = load_yaml(tmp_path / "mine.yaml").value
    methods = {"Mine": "mine.py:Mine", "lspc": "lspc", "my ECC": "pack.module.ECC"}
    assert value == {
        "name": "mine",
        "base": "strong-baselines",
        "methods": {name: {"use": use} for name, use in methods.items()},
    }
    comments = " ".join(line.strip("# ") for line in text.splitlines() if "#" in line)
    assert "beside 12 methods of strong-baselines (2026-11-24) on 6 data sets. Only" in comments
    assert "Protocol: 5 random splits, 60 % to train (seed 2026)" in comments


def test_what_stands_in_comments_is_an_experiment_too(tmp_path, call):
    call(tmp_path, *ON_BASE)
    text = (tmp_path / "mine.yaml").read_text()
    lines = ("# base: ", "  # Mine: ", "# metrics: ")
    for line in lines:
        key = line.lstrip(" #").partition(":")[0]
        text = re.sub(rf"^ *{key}: .*\n", "", text, flags=re.MULTILINE)
        text = text.replace(line, line.replace("# ", ""))
    value = parse_yaml(text, tmp_path).value
    assert value["base"]["datasets"] == ["flags", "emotions"]
    assert value["methods"]["Mine"]["tune"] == {"PARAMETER": [0.1, 1, 10]}
    assert value["metrics"] == ["macro_f1", "micro_f1", "macro_auc", "example_jaccard"]


def test_a_method_is_named_from_where_the_file_is(tmp_path, call):
    (tmp_path / "m").mkdir()
    words = ("init", "--base", "baselines", "--method", "m/own.py:Own", "--out", "m/first.yaml")
    assert "methods new Own --out m/own.py` writes" in call(tmp_path, *words).output
    assert call(tmp_path, "methods", "new", "Own", "--out", "m/own.py").exit_code == 0
    assert "not there yet" not in call(tmp_path, *words, "--force").output
    assert load_yaml(tmp_path / "m/first.yaml").value["methods"] == {"Own": {"use": "own.py:Own"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Mine: pass", "mine.py has no 'Mien' (did you mean 'Mine'?)"),
        ("class Mine", "mine.py cannot be read as Python: "),
        ("from other import Mien", ""),
        ("from other import *", ""),
        ("Mien = type('Mien', (), {})", ""),
    ],
)
@pytest.mark.parametrize("beside", [("--base", "baselines"), ("rows.csv",)])
def test_a_class_that_its_file_does_not_have_is_refused(tmp_path, call, text, said, beside):
    (tmp_path / "mine.py").write_text(text + "\nraise SystemExit('it ran')\n")
    (tmp_path / "rows.csv").write_text("x,a,b\n" + "1,0,1\n2,1,0\n3,1,1\n4,0,0\n" * 5)
    labels = () if beside[0] == "--base" else ("--labels", "a,b")
    done = call(tmp_path, "init", *beside, *labels, "--method", "mine.py:Mien", "--out", "m.yaml")
    assert done.exit_code == (2 if said else 0), done.output
    assert said in done.output
    assert "it ran" not in done.output
    assert (tmp_path / "m.yaml").exists() is not bool(said)


def test_a_base_in_a_folder_is_named_from_where_the_file_is(tmp_path, call):
    shutil.copytree(published_results()["baselines"], tmp_path / "there")
    words = ("--base", "there", "--method", "lspc", "--out", "own/first.yaml")
    assert call(tmp_path, "init", *words).exit_code == 0
    assert load_yaml(tmp_path / "own/first.yaml").value["base"] == "../there"
    call(tmp_path, "init", *words[:4])
    assert load_yaml(tmp_path / "lspc.yaml").value["base"] == "./there"
    for path in ("own/first.yaml", "lspc.yaml"):
        experiment = load_experiment(tmp_path / path).experiment
        assert [*experiment.methods] == ["lspc"]
        assert "emotions" in [each.use for each in experiment.datasets]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--base", "strong-baseline", "--method", "lspc"), "did you mean 'strong-baselines'?"),
        (("--base", "baselines"), "needs a method of yours: --method mine.py:Mine"),
        (("--base", "baselines", "--method", "mine.py:"), "name a class, as in mine.py:Mine"),
        (("digits", "--base", "baselines", "--method", "lspc"), "--base brings its data"),
        (("digits", "--method", "mine.py:"), "name a class, as in mine.py:Mine"),
        ((), "name DATA, or --base and --method"),
    ],
)
def test_what_cannot_stand_on_a_base(tmp_path, call, words, message):
    done = call(tmp_path, "init", *words)
    assert done.exit_code == 2
    assert message in done.output
    assert not [*tmp_path.glob("*.yaml")]


def test_a_file_of_a_method_has_its_ending(tmp_path, call):
    done = call(tmp_path, "init", "--base", "arena", "--method", "mine:Mine")
    assert done.exit_code == 2
    assert "--method mine:Mine: a file has its ending: mine.py:Mine" in done.output


def test_a_column_without_any_value_is_left_out_and_named(songs, call):
    frame = pd.read_csv(songs / "songs.csv")
    frame["note"] = ""
    frame.to_csv(songs / "songs.csv", index=False)
    done = call(songs, "init", *SONGS)
    assert done.exit_code == 0, done.output
    assert "wrote songs.yaml: 60 samples, 3 features" in done.output
    assert "no row has a value of 'note'" in done.output
    assert load_yaml(songs / "songs.yaml").value["datasets"][0]["ignore"] == ["note"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("songs.xlsx", "no format has its ending; save a table as CSV, with the ending .csv"),
        ("./songs.arff", "mlbench init ./songs.arff"),
    ],
)
def test_a_file_is_not_the_name_of_a_data_set(songs, call, name, words):
    (songs / name).touch()
    done = call(songs, *(("init",) if "xlsx" in name else ("data", "show")), name)
    assert done.exit_code == 2
    assert "is a file, not the name of a data set" in done.output
    assert words in done.output
