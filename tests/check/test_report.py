from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mlbench.check import compare_with_reference, reference_of
from mlbench.check.compare import SeriesChange
from mlbench.check.report import (
    changed,
    check_table,
    drift_line,
    headline,
    plain_check,
    told_changes,
)
from mlbench.report.render import to_markdown, to_text


@pytest.fixture
def check(make_folder, ten, elsewhere):
    reference = reference_of(make_folder({"A": ten, "B": ten, "C": ten}))
    now = {"A": ten, "B": [score + 0.05 for score in ten], "C": ["timeout", *ten[1:]]}
    return compare_with_reference(reference, make_folder(now, environment=elsewhere, code="2"))


def test_the_first_line_counts(check):
    assert headline(check) == "trial: 3 numbers checked: 1 moved, 2 same, 1 cell lost"


def test_the_first_line_says_of_a_strict_check_that_rows_are_of_other_code(make_folder, ten):
    folder = make_folder({"A": ten})
    found = compare_with_reference(reference_of(folder), folder, is_strict=True)
    assert headline(replace(found, stale=("A",))) == (
        "trial: 1 number checked: 1 same; rows of A are of other code, so the check fails"
    )


def test_what_drifted_most_is_told_by_its_limit(check):
    """Coverage is in labels: 0.015 of 6 is less than 0.0099 of an F1."""
    number = next(each for each in check.numbers if each.then is not None)
    f1 = replace(number, verdict="drifted", metric="macro_f1", difference=0.0099)
    then = number.then.model_copy(update={"mean": 6.0})
    coverage = replace(f1, metric="coverage", then=then, difference=0.015)
    (line,) = drift_line(replace(check, numbers=(coverage, f1)))
    assert line.startswith(f"2 numbers drifted, most of all {f1.name}: ")


def test_numbers_that_neither_has_are_none_that_were_checked(make_folder):
    folder = make_folder({"A": [0.5, 0.6], "B": ["error", "error"]})
    found = compare_with_reference(reference_of(folder), folder)
    assert headline(found) == "trial: 1 number checked: 1 same; 1 number failed then and now"
    assert plain_check(found)["counts"]["failed"] == 1
    assert not check_table(found).rows


def test_text_shows_what_moved_and_why(check):
    text = " ".join(to_text(check_table(check)).split())
    assert "Pairs p (Holm)" in text
    assert "moved toy B macro_f1" in text
    assert "*+0.05000" in text
    assert "toy A" not in text.partition("Environment")[0]
    assert "lost: toy/C, split 0: failed (timeout): m." in text
    assert "the first one's message is shown; `mlbench status` has all" in text
    assert "numpy 2.4.6 -> 2.5.0 (of all)" in text
    assert "Code of the same revision changed" in text


def test_a_change_of_a_user_s_own_file_is_told_once():
    own = SeriesChange("toy", "A", (("method.code", "1a", "2b"),), (), (("own.py:A", "1a", "2b"),))
    assert [*told_changes([own], 1, "changed")] == [
        "What the results depend on changed: method.code 1a -> 2b (of toy/A)."
    ]


def test_a_comparison_without_differences_is_one_line(make_folder, ten):
    folder = make_folder({"A": ten})
    table = check_table(compare_with_reference(reference_of(folder), folder))
    assert to_text(table) == "trial: 1 number checked: 1 same\n"
    assert to_markdown(table) == "**trial: 1 number checked: 1 same**\n"


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ("openblas 0.3.30 Haswell", "openblas 0.3.30 SkylakeX", True),
        ("openblas 0.3.29 Haswell", "openblas 0.3.30 Haswell", False),
        ("openblas 0.3.30 Haswell", "mkl 2024.1", False),
    ],
)
def test_other_kernels_of_openblas_come_with_the_way_back(make_folder, ten, then, now, told):
    reference = reference_of(make_folder({"A": ten}, environment={"blas": then}))
    drifted = [score + 1e-12 for score in ten]
    folder = make_folder({"A": drifted}, environment={"blas": now})
    text = to_text(check_table(compare_with_reference(reference, folder)))
    assert ("OPENBLAS_CORETYPE=Haswell mlbench run" in " ".join(text.split())) == told


def test_other_data_are_told_with_the_way_to_see_which(check):
    data = SeriesChange("toy", "A", (("dataset.fingerprint", "1a", "2b"),), (), ())
    text = " ".join(to_text(check_table(replace(check, changes=(data,)))).split())
    assert "compare the file, and the card that says how it is read, with their older" in text
    assert "git diff" not in to_text(check_table(check))


def test_another_name_of_the_data_is_told_to_draw_other_splits(check):
    data = SeriesChange("toy", "A", (("dataset.name", "a[nominal=['x']]", "a"),), (), ())
    text = " ".join(to_text(check_table(replace(check, changes=(data,)))).split())
    assert "Splits are drawn from the seed and this name, so they are others." in text


def test_plain_values_are_json_and_complete(check):
    plain = json.loads(json.dumps(plain_check(check), allow_nan=False))
    verdicts = {number["method"]: number["verdict"] for number in plain["numbers"]}
    assert verdicts == {"A": "same", "B": "moved", "C": "same"}
    (lost,) = plain["lost"]
    assert lost["splits"] == [0]
    assert plain["numbers"][0]["p_adjusted"] is None
    assert plain["numbers"][1]["then"]["n"] == 10
    (environment,) = plain["changes"][0]["environment"]
    assert environment == {"what": "numpy", "then": "2.4.6", "now": "2.5.0"}


def test_many_series_with_the_same_change_are_counted(make_folder, ten, elsewhere):
    old = dict.fromkeys("ABCDEF", ten)
    folder = make_folder({**old, "new": ten}, environment=elsewhere)
    text = to_text(check_table(compare_with_reference(reference_of(make_folder(old)), folder)))
    assert "(of toy/A, toy/B, toy/C, toy/D and 2 more)" in " ".join(text.split())


@pytest.mark.parametrize(
    ("then", "now", "words"),
    [
        (
            [{"k": 1}, {"k": 3}, {"k": 10}],
            [{"k": 1}, {"k": 3}, {"k": 40}],
            "without {k: 10}, with {k: 40}",
        ),
        ([{"k": 1}], [{"k": 1}, {"k": 2, "C": None}], "with {k: 2, C: null}"),
        ([1, 2], [2, 1], "[1, 2] -> [2, 1]"),
        ("a" * 70 + "b", "a" * 70 + "c", f"...{'a' * 10}b -> ...{'a' * 10}c"),
        ("a" * 70, "a" * 71, f"...{'a' * 10} -> ...{'a' * 11}"),
        (50, 51, "50 -> 51"),
        ({"grid": [{"k": 1}, {"k": 3}]}, None, "{grid: [{k: 1}, {k: 3}]} -> null"),
    ],
)
def test_a_change_shows_where_the_values_differ(then, now, words):
    assert changed([("tuning.grid", then, now)]) == f"tuning.grid {words}"


def test_numbers_that_moved_for_one_reason_have_one_note(make_folder, ten):
    scores = dict.fromkeys("ABCDEF", ten)
    found = compare_with_reference(
        reference_of(make_folder(scores)), make_folder(scores, revision=2), is_strict=True
    )
    (note,) = [note for note in check_table(found).notes if note.startswith("moved: ")]
    assert note == (
        "moved: toy/A macro_f1, toy/B macro_f1, toy/C macro_f1, toy/D macro_f1 and 2 more: what it "
        "depends on has changed: method.revision."
    )
