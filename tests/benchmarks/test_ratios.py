"""The check of benchmarks: which ratios fell by more than their spread."""

import json

import pytest

from benchmarks.ratios import Ratio, compare, equal_within, measure, read, write


def ratio(*values, what="sorting", against="bubbles"):
    """Return a ratio whose runs took 2 s here and `values` times as long elsewhere."""
    return Ratio(what, against, [2.0] * len(values), [2.0 * value for value in values])


def test_median_and_spread_are_those_of_paired_runs():
    sorting = Ratio("sorting", "bubbles", ours=[1.0, 2.0, 4.0], theirs=[3.0, 4.0, 20.0])
    assert sorting.values == [2.0, 3.0, 5.0]
    assert sorting.median == 3.0
    assert sorting.spread == 3.0


def test_the_lowest_and_the_highest_of_five_runs_do_not_count():
    assert ratio(6, 0.1, 7, 9, 80).values == [6, 7, 9]
    assert ratio(0.1, 7, 9, 80).spread == 79.9


@pytest.mark.parametrize(
    ("now", "before", "falls"),
    [
        ((7, 7, 7), (7, 7, 7), False),
        ((5.9, 5.9, 5.9), (6, 7, 7), True),
        ((6.1, 6.1, 6.1), (6, 7, 7), False),
        ((5, 5.9, 7), (6, 7, 7), False),
        ((9, 9, 9), (7, 7, 7), False),
    ],
    ids=["the same", "below", "within the old spread", "within the new spread", "better"],
)
def test_a_ratio_falls_if_it_is_lower_by_more_than_the_larger_spread(now, before, falls):
    found = compare([ratio(*now)], [ratio(*before)])
    assert bool(found.fallen) == falls
    assert found.exit_code == int(falls)


def test_a_fallen_ratio_is_named_with_both_medians():
    found = compare([ratio(3, 4, 4), ratio(1, what="other")], [ratio(7, 7, 8)])
    assert str(found).splitlines() == [
        "1 of 1 ratios fell",
        "fell: sorting, against bubbles: 4 instead of 7, spread 1",
    ]


def test_ratios_that_were_not_measured_are_named_and_alone_are_no_success():
    searching = ratio(2, what="searching")
    assert compare([ratio(7)], [ratio(7), searching]).missing == ["searching, against bubbles"]
    assert compare([ratio(7)], [ratio(7), searching]).exit_code == 0
    assert compare([ratio(7)], [searching]).exit_code == 2


def test_what_is_written_is_read_again(tmp_path):
    write(tmp_path / "build" / "bench.json", [ratio(7, 8)])
    assert read(tmp_path / "build" / "bench.json") == [ratio(7, 8)]


@pytest.mark.parametrize(
    "content",
    [
        "7.1",
        "{}",
        '{"ratios": [{"what": "sorting"}]}',
        json.dumps({"ratios": [{"what": "a", "against": "b", "ours": [], "theirs": []}]}),
        json.dumps({"ratios": [{"what": "a", "against": "b", "ours": [0], "theirs": [1]}]}),
        json.dumps({"ratios": [{"what": "a", "against": "b", "ours": [1, 2], "theirs": [1]}]}),
    ],
)
def test_a_file_of_something_else_is_refused_by_name(tmp_path, content):
    (tmp_path / "bench.json").write_text(content)
    with pytest.raises(ValueError, match=r"bench\.json"):
        read(tmp_path / "bench.json")


def test_results_that_should_be_equal_and_are_not_are_no_measurement():
    with pytest.raises(AssertionError, match=r"differ by 1\.0e\+00"):
        measure("sum", "another", lambda: [3.0], lambda: [4.0], equal_within(0.5))
