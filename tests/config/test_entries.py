"""An experiment file with other data sets and methods keeps its comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.config.entries import with_entries
from mlbench.yaml_loader import parse_yaml

INLINE = """\
# Of two data sets.
name: small
datasets: [flags, {use: emotions, as: few, rows: 100}]  # two

methods:
  # nearest neighbors
  ML-kNN: {use: mlknn, tune: {k: [5, 9]}}  # tuned
  BR:     br

# Time is short.
limits: {time: 10 min}
"""
BLOCKS = """\
name: mine
datasets:
- yeast
# many labels
- use: enron
  rows: 100
methods:
  mine:  # not yet published
    use: mine.py:Mine
    tune:
      depth: [1, 2]
"""


def on_all(*names):
    return {name: [] for name in names}


def test_new_entries_come_last_as_they_are_written():
    datasets = ["flags", "few", "yeast", "enron[rows=100]"]
    methods = on_all("ML-kNN", "BR", "mine")
    assert (
        with_entries(INLINE, [BLOCKS], datasets, methods)
        == """\
# Of two data sets.
name: small
datasets: [flags, {use: emotions, as: few, rows: 100}, yeast, {use: enron, rows: 100}]  # two

methods:
  # nearest neighbors
  ML-kNN: {use: mlknn, tune: {k: [5, 9]}}  # tuned
  BR:     br
  mine:  # not yet published
    use: mine.py:Mine
    tune:
      depth: [1, 2]

# Time is short.
limits: {time: 10 min}
"""
    )


def test_entries_are_put_in_order_with_the_comments_above_them():
    text = with_entries(
        BLOCKS, [INLINE], ["enron[rows=100]", "few", "yeast"], on_all("ML-kNN", "mine")
    )
    assert (
        text
        == """\
name: mine
datasets:
# many labels
- use: enron
  rows: 100
- {use: emotions, as: few, rows: 100}
- yeast
methods:
  # nearest neighbors
  ML-kNN: {use: mlknn, tune: {k: [5, 9]}}  # tuned
  mine:  # not yet published
    use: mine.py:Mine
    tune:
      depth: [1, 2]
"""
    )


def test_entries_that_are_not_wanted_go():
    text = with_entries(INLINE, [], ["flags"], on_all("BR"))
    assert "datasets: [flags]  # two\n" in text
    assert "methods:\n  BR:     br\n\n# Time is short.\n" in text


def test_a_method_that_is_not_on_other_data_sets_is_written_so():
    text = with_entries(INLINE, [], ["flags"], {"ML-kNN": ["flags"], "BR": []})
    assert (
        "  # nearest neighbors\n"
        "  ML-kNN: {use: mlknn, tune: {k: [5, 9]}, not_on: [flags]}\n"
        "  BR:     br\n"
    ) in text
    again = with_entries(text, [], ["flags"], on_all("ML-kNN", "BR"))
    assert "  ML-kNN: {use: mlknn, tune: {k: [5, 9]}}\n" in again
    assert with_entries(text, [], ["flags"], {"ML-kNN": ["flags"], "BR": []}) == text


def test_a_line_of_other_data_sets_comes_and_goes_without_the_comments_of_its_method():
    block = (
        "name: x\ndatasets: [flags]\nmethods:\n  kNN:  # near\n    use: mlknn\n    k: 5  # few\n"
    )
    text = f"{block}    not_on: [few]\n"
    assert with_entries(text, [], ["flags"], on_all("kNN")) == block
    assert with_entries(text, [], ["flags"], {"kNN": ["many"]}) == f"{block}    not_on: [many]\n"


def test_a_long_list_has_lines_of_limited_width():
    names = [f"yahoo-reduced-{topic}" for topic in ("arts", "business", "computers", "education")]
    other = f"name: x\ndatasets: [{', '.join(names)}]\nmethods: {{BR: br}}\n"
    text = with_entries(INLINE, [other], ["flags", "few", *names], on_all("ML-kNN", "BR"))
    line = next(line for line in text.splitlines() if line.startswith("datasets"))
    assert (len(line) <= 100, line.endswith(",")) == (True, True)
    assert len(parse_yaml(text, Path("x")).value["datasets"]) == 6


def test_a_setting_of_the_command_line_is_no_comment_of_the_whole():
    text = with_entries("# --set datasets=[flags]\n# mine\n" + INLINE, [], ["flags"], on_all("BR"))
    assert text.startswith("# mine\n# Of two data sets.\n")


@pytest.mark.parametrize(
    "methods",
    [
        "{A: &a {use: br, tune: {C: [1, 2]}}, B: *a}",
        "\n  A: {use: br, class_weight: {0: 1, 1: 2}}\n  ? B\n  : {use: br}",
    ],
)
def test_what_cannot_be_moved_is_written_anew(methods):
    other = f"name: x\ndatasets: [flags]\nmethods: {methods}\n"
    value = parse_yaml(other, Path("x")).value
    text = with_entries(INLINE, [other], ["flags", "few"], on_all("B", "ML-kNN", "A"))
    assert text.startswith("# Of two data sets.\n")
    found = parse_yaml(text, Path("x")).value
    assert [*found["methods"]] == ["B", "ML-kNN", "A"]
    assert {name: found["methods"][name] for name in "AB"} == value["methods"]
    assert found["limits"] == {"time": "10 min"}


def test_a_file_may_have_its_data_sets_from_elsewhere():
    stands = "name: mine\nbase: strong\nmethods:\n  mine: {use: mlknn}  # new\n"
    text = with_entries(INLINE, [stands], ["flags", "few"], on_all("ML-kNN", "BR", "mine"))
    assert "  BR:     br\n  mine: {use: mlknn}  # new\n" in text
    found = parse_yaml(with_entries(stands, [INLINE], ["few"], on_all("mine", "BR")), Path("x"))
    assert found.value["datasets"] == [{"use": "emotions", "as": "few", "rows": 100}]
    assert found.value["methods"] == {"mine": {"use": "mlknn"}, "BR": "br"}
