"""Whether two methods have the same scores."""

from __future__ import annotations

import math

import pytest

from mlbench.results.same_scores import LargestGap, have_same_scores, largest_gap
from tests.rows import make_row


def cells(*scores):
    return {("a", i): make_row(metrics={"macro_f1": each}) for i, each in enumerate(scores)}


@pytest.mark.parametrize(
    ("there", "here", "gap"),
    [
        ({"macro_f1": 0.5}, {"macro_f1": 0.5, "macro_auc": 0.6}, LargestGap(0.0, "macro_f1")),
        (
            {"macro_f1": 0.5, "macro_auc": 0.5},
            {"macro_f1": 0.5, "macro_auc": 0.75},
            LargestGap(0.25, "macro_auc"),
        ),
        (
            {"macro_f1": 0.5, "coverage": 3.0},
            {"macro_f1": 0.75, "coverage": 9.0},
            LargestGap(0.25, "macro_f1"),
        ),
        (
            {"macro_f1": 0.5, "coverage": 3.0},
            {"macro_f1": 0.5, "coverage": 9.0},
            LargestGap(6.0, "coverage"),
        ),
        ({"macro_f1": None}, {"macro_f1": 0.5}, LargestGap(math.inf, "macro_f1")),
        ({"macro_f1": None}, {"macro_f1": None}, LargestGap(0.0, "macro_f1")),
        ({"macro_f1": 0.5}, {"macro_auc": 0.5}, None),
    ],
)
def test_two_cells_differ_most_in_a_metric_of_both(there, here, gap):
    assert largest_gap(there, here) == gap


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (LargestGap(0.0053, "macro_f1"), "0.53 points of Macro F1"),
        (LargestGap(6.0, "coverage"), "6 in Coverage"),
        (LargestGap(0.1, "their_metric"), "0.1 in their_metric"),
        (LargestGap(math.inf, "macro_f1"), "Macro F1, which one of them lacks"),
    ],
)
def test_a_gap_has_its_unit_and_metric(gap, words):
    assert str(gap) == words


@pytest.mark.parametrize(
    ("here", "same"),
    [([0.1, 0.2], True), ([0.1 + 1e-15], True), ([0.1, 0.21], False), ([], False)],
)
def test_methods_are_the_same_on_the_cells_of_both(here, same):
    assert have_same_scores(cells(0.1, 0.2, 0.3), cells(*here)) is same


@pytest.mark.parametrize(("losses", "same"), [([None, None], True), ([None, 0.7], False)])
def test_a_metric_that_one_of_them_never_has_does_not_count(losses, same):
    """As of probabilities, where one has none; one that it has now and then counts."""
    there, here = (
        {i: make_row(metrics={"macro_f1": 0.5, "log_loss": loss}) for i, loss in enumerate(given)}
        for given in ([0.3, 0.7], losses)
    )
    assert have_same_scores(there, here) is same
