"""The printed values as data: every one complete, every caveat about a value that exists."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric
from mlbench.papers.printed_values import (
    PAPERS,
    Caveat,
    printed_p_values,
    printed_values,
    published_table,
)
from mlbench.published import PrintedValue
from mlbench.published.csv_file import find_paper


def printed_value(paper: str, **wanted: str) -> PrintedValue:
    (found,) = [
        each
        for each in printed_values(paper)
        if all(getattr(each, key) == value for key, value in wanted.items())
    ]
    return found


def test_a_figure_as_the_paper_prints_it():
    found = printed_value(
        "ke", table="Table II", dataset="Cal500", method="SMTL(l11+AUC)", metric="micro_f1"
    )
    assert (found.mean, found.std, found.unit, found.n_splits) == (35.52, 0.811, "percent", 10)
    assert (found.text, found.decimals, found.rounding) == ("35.52 ± 0.811", 2, 0.005)
    assert found.ours == "micro_f1"
    assert found.comparable


def test_a_time_is_a_figure_without_deviation():
    found = printed_value("ke", table="Table IX", dataset="Emotions", method="BR")
    assert (found.mean, found.unit, found.ours) == (1.859, "seconds", "seconds_fit")
    assert found.is_time
    assert math.isnan(found.std)
    assert replace(found, std=float("nan")) == found


def test_no_p_value_is_a_target_and_each_says_why():
    p_values = {paper: printed_p_values(paper) for paper in PAPERS}
    numbers = {paper: len(values) for paper, values in p_values.items()}
    assert numbers == {"ke": 702, "han2010": 0, "ji2009": 1, "nam": 0, "yu2005": 0}
    assert all(each.objections for values in p_values.values() for each in values)
    first = p_values["ke"][0]
    assert (first.table, first.dataset, first.text) == ("Table V", "Optdigits", "4.86E-07")
    assert (first.method, first.metric) == ("SMTL(l21+AUC) against MTL-CLS(l21)", "ttest auc")


@pytest.mark.parametrize(
    ("paper", "table", "metric", "ours"),
    [
        ("ke", "Table IV", "auc", "macro_auc"),
        ("han2010", "Table 2", "auc", "micro_auc"),
        ("han2010", "Table 3", "f1", "micro_f1"),
        ("ji2009", "Table 1", "auc", "macro_auc"),
    ],
)
def test_the_same_word_means_what_its_paper_says(paper, table, metric, ours):
    found = {
        each.ours for each in printed_values(paper) if (each.table, each.metric) == (table, metric)
    }
    assert found == {ours}


def test_a_row_of_a_training_share_is_a_place_of_its_own():
    places = dict.fromkeys(each.our_dataset for each in printed_values("ji2009"))
    assert list(places)[:3] == ["art 20 %", "art 30 %", "art 40 %"]


def test_an_objection_to_data_keeps_the_order_of_methods_and_one_to_a_row_does_not():
    of_data = printed_value("ke", dataset="TMC2007", method="BR", metric="auc")
    of_row = printed_value("ke", dataset="Yeast", method="MTL-REG(l11)", metric="auc")
    assert "6 of 22 labels" in of_data.objections[0]
    assert not of_data.comparable
    assert of_data.keeps_order
    assert not of_row.comparable
    assert not of_row.keeps_order


def test_a_note_leaves_a_figure_comparable():
    found = printed_value("ke", dataset="Emotions", method="StructSVM", metric="micro_f1")
    assert "10 times" in found.note
    assert found.comparable


def test_an_unknown_paper_gets_a_suggestion():
    with pytest.raises(MlbenchError, match=r"'han2011' \(did you mean 'han2010'\?\)"):
        find_paper("han2011")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_is_whole_and_printed_once(paper):
    values = printed_values(paper)
    assert len(values) == len(published_table(paper)) + len(published_table(paper, "times"))
    for each in values:
        assert math.isfinite(each.mean)
        assert each.ours.startswith("seconds_") if each.is_time else get_metric(each.ours)
    keys = Counter((each.table, each.our_dataset, each.method, each.metric) for each in values)
    assert not [key for key, number in keys.items() if number > 1]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_convention_and_oddity_is_about_figures_that_exist(paper):
    scores = published_table(paper, "scores")
    times = [{**line, "metric": "seconds"} for line in published_table(paper, "times")]
    tests = [
        {**line, "method": line[side]}
        for line in published_table(paper, "pvalues")
        for side in ("method_a", "method_b")
    ]
    for convention in published_table(paper, "conventions"):
        place = convention["table"], convention["metric"]
        assert place in {(line["table"], line["metric"]) for line in scores + times}, convention
    for caveat in (Caveat(**line) for line in published_table(paper, "caveats")):
        assert any(caveat.applies_to(line) for line in scores + times + tests), caveat
        assert caveat.kind in ("note", "not comparable"), caveat
        assert caveat.reason, caveat


@pytest.mark.parametrize(
    ("paper", "dataset", "one", "other"),
    [
        ("ke", "MediaMill", "HOMER", "AdaBoostMH"),
        ("han2010", "NUS-6", "SVM", "LDA+SVM"),
        ("han2010", "NUS-16", "SVM", "LDA+SVM"),
        ("han2010", "MM2.0", "SVM", "LDA+SVM"),
    ],
)
def test_rows_that_are_no_target_because_they_are_identical_are(paper, dataset, one, other):
    rows = {
        method: [
            each
            for each in printed_values(paper)
            if (each.dataset, each.method) == (dataset, method)
        ]
        for method in (one, other)
    }
    assert [each.text for each in rows[one]] == [each.text for each in rows[other]]
    assert not any(each.comparable for each in rows[one] + rows[other])
