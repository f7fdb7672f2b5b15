"""The leaderboard's page as a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mlbench.comparisons.settings import report_settings
from mlbench.errors import MlbenchError
from mlbench.report.html import leaderboard
from mlbench.report.html.leaderboard import LeaderboardChoice, Range, leaderboard_page
from mlbench.results import open_results
from mlbench.results.origin import Origin
from tests.report.html.conftest import HOSTILE, failed

BASELINES = Path(__file__).parents[3] / "results/strong-baselines"


def page_of(results, **changes):
    """Return the page with all that the results have."""
    settings = report_settings(results)
    choice = {
        "metrics": settings.metrics,
        "datasets": results.datasets,
        "methods": results.methods,
        "domains": dict.fromkeys(results.datasets, "other"),
        **changes,
    }
    return leaderboard_page(results, settings, LeaderboardChoice(**choice))


def data_of(page):
    start = '<script type="application/json" id="data">'
    return json.loads(page.partition(start)[2].partition("</script>")[0])


def test_it_holds_the_scores_of_every_split_in_millionths(make_results):
    results = make_results()
    data = data_of(page_of(results))
    found = results.scores_of(["macro_auc"]).scores("flags", "ECC", "macro_auc")
    assert data["scores"][1][1][2] == [round(1e6 * score) for score in found.values()]
    assert data["means"][1][1][2] == pytest.approx(np.mean([*found.values()]), rel=1e-11)
    assert data["metrics"][1]["name"] == "macro_auc"
    rows = results.rows.values()
    total = [row.seconds["total"] for row in rows if (row.dataset, row.method) == ("flags", "BR")]
    assert sorted(data["seconds"][1][1]) == sorted(round(1e6 * each) for each in total)


def test_no_method_is_ones_own_where_none_is_taken_over(make_results):
    assert data_of(page_of(make_results()))["own"] == []


def test_a_failure_has_its_reason_and_no_score(troubled):
    data = data_of(page_of(troubled))
    assert data["lacking"][0] == [["", "1 error", ""], ["", "", "3 timeouts, 1 missing"]]
    assert data["scores"][0][1][2] == [None] * 4


def test_methods_of_published_results_have_a_mark(make_results):
    results = make_results()
    origin = Origin(
        name="arena",
        written="2026-11-25T10:00:00+00:00",
        sha256="a" * 64,
        is_base=True,
        methods=("BR", "ECC"),
        counts={"ok": 16},
        versions={},
    )
    plan = results.plan.model_copy(update={"taken_over": (origin,)})
    page = page_of(replace(results, plan=plan))
    assert data_of(page)["names"] == ["SMTL", "BR°", "ECC°"]
    assert data_of(page)["methods"] == ["SMTL", "BR", "ECC"]
    assert data_of(page)["own"] == [0]
    assert page.count('<tr class="own">') == 1
    assert "° Taken over, not run here: arena, 2026-11-25." in page


def test_committed_results_make_a_small_page():
    page = page_of(open_results(BASELINES))
    assert len(page.encode()) < 70_000
    assert "LSPC" in page.partition("<tbody>")[2].partition("</tr>")[0]


def test_a_page_that_is_too_large_is_refused(make_results, monkeypatch):
    monkeypatch.setattr(leaderboard, "MAX_BYTES", 30_000)
    with pytest.raises(MlbenchError, match=r"the page would have .* with --metric"):
        page_of(make_results())


def test_results_without_a_score_are_refused(make_results):
    nothing = make_results(change=lambda *_: failed("error", "no"))
    with pytest.raises(MlbenchError, match=r"there are no scores$"):
        page_of(nothing)


def test_names_end_no_script(hostile):
    page = page_of(hostile)
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert HOSTILE[0] in data_of(page)["methods"]


def test_ranges_say_what_they_hold():
    ranges = [Range(0, 20), Range(20, 100), Range(100, None)]
    assert list(map(str, ranges)) == ["fewer than 20", "20 to 99", "100 and more"]
    assert [each.value for each in ranges] == ["-20", "20-100", "100-"]
    assert [each.holds(20) for each in ranges] == [False, True, False]
