"""The leaderboard's page in a real browser: what it computes is what Python computes."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from scipy.special import fdtrc
from scipy.stats import studentized_range

from mlbench.comparisons.settings import MetricColumn
from mlbench.comparisons.standings import cell_times, split_scores, standings_of
from mlbench.number_text import ScoreFormat
from mlbench.report.tables.standings import leads, not_run_in_words, numbers_of, told_apart
from mlbench.results import open_results
from mlbench.statistics import rank_test
from tests.report.html.browsing import (
    MIN_CONTRAST,
    NEEDS_AXE,
    NEEDS_BROWSER,
    OPEN_ALL,
    asked_of_the_network,
    axe_violations,
    colors_of_texts,
    contrast,
    look,
    widths,
)
from tests.report.html.conftest import failed
from tests.report.html.test_leaderboard import BASELINES, page_of

pytestmark = NEEDS_BROWSER

MACRO_F1 = MetricColumn("macro_f1", "Macro F1")
MACRO_AUC = MetricColumn("macro_auc", "Macro AUC")
DOMAINS = {
    "flags": "images",
    "emotions": "music",
    "birds": "music",
    "scene": "images",
    "yeast": "biology",
    "enron": "text",
}
ROWS = """
return [...document.querySelectorAll("#standings tbody tr")].map(
  (row) => [...row.cells].map((cell) => (cell.querySelector("span") ?? cell).textContent))
"""


@pytest.fixture(scope="module")
def baselines():
    return open_results(BASELINES)


@pytest.fixture
def visit(browser, tmp_path, baselines):
    """Open the page of results, by default of the committed baselines."""

    def visit(anchor="", results=baselines, **look_at):
        page = tmp_path / "page.html"
        domains = {name: DOMAINS.get(name, "other") for name in results.datasets}
        page.write_text(page_of(results, domains=domains), encoding="utf-8")
        return look(browser, page.as_uri() + anchor, **look_at)

    return visit


def python_says(results, metric=MACRO_F1, datasets=None, methods=None, only_finished=False):
    """Return the sentences and the rows that Python makes of a choice."""
    scores = results.scores_of([metric.name], seconds=False)
    splits = split_scores(scores, metric, results.datasets, results.methods)
    chosen = datasets or results.datasets, methods or results.methods
    found = standings_of(splits, cell_times(results), *chosen, only_finished)
    sentence = leads(found, len(results.datasets), len(results.methods))
    rows = [
        [str(row.place), row.method, *(cell.printed for cell in numbers_of(row))]
        for row in found.rows
    ]
    return f"{sentence} {told_apart(found)} {not_run_in_words(found)}".strip(), rows


def page_says(browser):
    answer = browser.find_element("id", "answer").get_property("textContent")
    return answer, browser.execute_script(ROWS)


def press(browser, selector):
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


@pytest.fixture
def unfinished(make_results):
    """Eight data sets; a method fails on two of them, it and another have not run on one.

    A fifth method has run on none.
    """

    def change(dataset, method, split):
        if (dataset, method) == ("d1", "ECC") or (dataset, method, split) == ("d2", "ECC", 3):
            return failed("timeout", "took longer than its limit of 5 s")
        not_run = method == "LP" or (dataset, method) in (("d3", "BR"), ("d4", "ECC"))
        return None if not_run else {}

    methods = ("SMTL", "BR", "ECC", "MLP", "LP")
    return make_results([f"d{i}" for i in range(8)], methods, change=change)


def test_it_opens_with_what_python_says(visit, baselines):
    assert page_says(visit()) == python_says(baselines)


def test_failures_take_the_last_ranks_as_in_python(visit, unfinished):
    browser = visit(results=unfinished)
    assert page_says(browser) == python_says(unfinished)
    press(browser, "input[name=finished]")
    assert page_says(browser) == python_says(unfinished, only_finished=True)


def test_a_method_that_finished_nothing_is_no_part_of_the_test(visit, make_results):
    def change(dataset, method, split):
        return failed("timeout", "took longer than its limit of 5 s") if method == "ECC" else {}

    methods = ("SMTL", "BR", "ECC", "MLP")
    results = make_results([f"d{i}" for i in range(8)], methods, change=change)
    answer, rows = page_says(visit(results=results))
    assert (answer, rows) == python_says(results)
    assert answer.rstrip().endswith("Not tested, without a finished data set: ECC.")


def test_a_failure_is_named_where_its_score_would_be(visit, unfinished):
    texts = "return [...document.querySelectorAll('#scores .lacking')].map(e => e.textContent)"
    found = visit(results=unfinished).execute_script(texts)
    assert sorted(found) == ["—1 timeout", "—4 timeouts"]


def test_a_data_set_is_left_out_as_by_the_option(visit, baselines):
    browser = visit()
    press(browser, "input[name=dataset][value=flags]")
    assert page_says(browser) == python_says(baselines, datasets=baselines.datasets[1:])


def test_domains_metrics_and_methods_are_chosen_as_by_the_options(visit, baselines):
    browser = visit(
        "#metric=macro_auc&domain=music&domain=images&method=LSPC&method=ECC&method=MLP"
    )
    chosen = ["flags", "emotions", "birds", "scene"], ["ECC", "LSPC", "MLP"]
    in_order = [name for name in baselines.methods if name in chosen[1]]
    assert page_says(browser) == python_says(baselines, MACRO_AUC, chosen[0], in_order)


def test_rows_and_labels_choose_data_sets(visit, baselines):
    assert page_says(visit("#rows=1000-10000&labels=-20")) == python_says(
        baselines, datasets=["scene", "yeast"]
    )


def test_the_address_restores_a_view(visit, browser):
    visit()
    press(browser, "input[name=domain][value=music]")
    press(browser, "input[name=method][value=forest]")
    press(browser, "th.seconds button")
    address = browser.current_url
    assert "domain=music" in address
    assert "sort=seconds" in address
    before = page_says(browser)
    seconds = [float(row[-1]) for row in before[1]]
    assert seconds == sorted(seconds)
    look(browser, address)
    assert page_says(browser) == before
    assert not browser.find_element("css selector", "input[value=forest]").is_selected()
    press(browser, "#all")
    assert "#" not in browser.current_url
    assert browser.find_element("css selector", "input[value=forest]").is_selected()


def test_an_anchor_is_no_choice(visit, baselines):
    browser = visit("#board")
    assert page_says(browser) == python_says(baselines)
    assert browser.find_element("id", "n-methods").text == "12 of 12"


def test_a_link_to_what_is_not_there_says_so(visit):
    browser = visit("#dataset=flags&dataset=medical&metric=f2")
    told = browser.find_element("id", "told")
    assert told.text == "The link names what is not here: metric f2 and dataset medical."


def test_nothing_chosen_asks_for_a_choice(visit):
    browser = visit("#method=ECC")
    answer = browser.find_element("id", "answer")
    assert answer.text == "Choose two methods or more to see who leads."
    assert not browser.find_element("id", "standings").is_displayed()
    press(browser, "[data-check=method]")
    assert browser.find_element("id", "standings").is_displayed()


def test_without_a_script_there_is_the_table_of_the_first_metric(visit, browser, baselines):
    visit(scripts=False)
    assert page_says(browser) == python_says(baselines)
    assert not browser.find_element("id", "choice").is_displayed()
    assert "Without JavaScript" in browser.find_element("tag name", "main").text


def test_a_heading_sorts_and_turns_round(visit):
    browser = visit()
    for order, first in (("descending", "1"), ("ascending", "12")):
        press(browser, "th.win button")
        heading = browser.find_element("css selector", "th.win")
        assert heading.get_attribute("aria-sort") == order
        assert page_says(browser)[1][0][0] == first


def test_the_diagram_is_there_only_where_the_test_rejects(visit):
    browser = visit()
    label = browser.find_element("css selector", "#difference svg").get_attribute("aria-label")
    assert label.startswith("Critical difference 6.80. LSPC 1.92, ML-LSPC 2.08, ")
    bars = "return document.querySelectorAll('#difference .bar').length"
    assert browser.execute_script(bars) == 3  # the difference, and two groups
    press(browser, "input[name=domain][value=music]")
    assert not browser.find_element("id", "difference").is_displayed()


def test_a_telephone_gets_a_list_with_a_bar_beside_each_group(visit):
    browser = visit(width=390)
    names = "return [...document.querySelectorAll('#difference text')].map(e => e.textContent)"
    assert browser.execute_script(names)[:4] == ["LSPC", "1.92", "ML-LSPC", "2.08"]
    assert len(browser.find_elements("css selector", "#difference .bar")) == 2


def test_the_csv_has_the_scores_of_the_choice(visit, unfinished):
    browser = visit("#dataset=d1&dataset=d2&method=ECC&method=BR", results=unfinished)
    lines = list(csv.DictReader(io.StringIO(browser.execute_script("return csvText(chosen())"))))
    assert len(lines) == 2 * 2 * 4
    scores = unfinished.scores_of(["macro_f1"])
    for line in lines:
        name, method, split = line["dataset"], line["method"], int(line["split"])
        score = scores.scores(name, method, "macro_f1").get(split)
        assert line["value"] == ("" if score is None else f"{score:.6f}".rstrip("0"))
        assert bool(line["lacking"]) == (score is None)


@pytest.mark.parametrize("results", ["baselines", "unfinished", "hostile"])
@pytest.mark.parametrize("width", [390, 1400])
def test_it_never_scrolls_sideways_and_complains_of_nothing(visit, request, results, width):
    browser = visit(results=request.getfixturevalue(results), width=width)
    browser.execute_script(OPEN_ALL)
    wide, window = widths(browser)
    assert wide <= window <= width
    assert asked_of_the_network(browser) == [browser.current_url]
    assert browser.get_log("browser") == []
    assert browser.execute_script("return window.hacked") is None


@NEEDS_AXE
@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("colors", ["light", "dark"])
def test_axe_finds_nothing_to_object_to(visit, unfinished, width, colors):
    for results in (unfinished, open_results(BASELINES)):
        browser = visit(results=results, width=width, colors=colors)
        browser.execute_script(OPEN_ALL)
        assert axe_violations(browser) == []


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_every_text_can_be_read(visit, colors):
    pairs = colors_of_texts(visit(colors=colors))
    assert min(contrast(*pair) for pair in pairs) >= MIN_CONTRAST


def test_on_paper_there_is_no_form_and_the_tables_fit(visit, browser):
    visit(width=760)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not browser.find_element("id", "choice").is_displayed()
    assert browser.find_element("id", "standings").is_displayed()
    wide, paper = widths(browser)
    assert wide <= paper
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("k", [3, 4, 12, 26])
@pytest.mark.parametrize("n", [3, 6, 27])
def test_p_values_of_f_are_those_of_scipy(visit, k, n):
    rng = np.random.default_rng(k * n)
    leaning = np.arange(k) * rng.uniform(0, 2)
    tables = [rng.integers(0, 3 * k, (n, k)) + leaning * weight for weight in (0, 0.3, 1)]
    found = [rank_test(table) for table in tables]
    ranks = [np.apply_along_axis(_ranks, 1, table).tolist() for table in tables]
    q = [0.0] * k + [float(studentized_range.ppf(0.95, k, np.inf))]
    script = "return arguments[0].map((ranks) => rankTest(ranks, arguments[1], 0.05))"
    for mine, theirs in zip(visit().execute_script(script, ranks, q), found, strict=True):
        assert mine["f"] == pytest.approx(theirs.iman_davenport, rel=1e-9)
        assert mine["p"] == pytest.approx(theirs.p_iman_davenport, rel=1e-6)
        assert mine["difference"] == pytest.approx(theirs.critical_difference, rel=1e-12)


def _ranks(row):
    return [sum(row > each) + (sum(row == each) + 1) / 2 for each in row]


def test_the_tail_of_f_is_that_of_scipy_from_near_1_to_the_smallest(visit):
    cases = [
        (f, d1, d2) for f in (0.01, 0.5, 1, 2, 9, 300) for d1 in (2, 3, 18) for d2 in (4, 55, 468)
    ]
    found = visit().execute_script("return arguments[0].map((each) => pOfF(...each))", cases)
    assert found == pytest.approx([fdtrc(d1, d2, f) for f, d1, d2 in cases], rel=1e-6)


def test_where_all_data_sets_rank_alike_p_is_exact(visit):
    ranks = [[1, 2.5, 2.5, 4]] * 3
    script = "const { f, p } = imanDavenport(arguments[0]); return [f === Infinity, p]"
    infinite, p = visit().execute_script(script, ranks)
    assert infinite
    assert p == pytest.approx((2 / 24) ** 2)


def test_numbers_are_printed_as_python_does(visit):
    values = [0.125, 0.375, 2.675, 4.125, 4.135, 1.005, 10.0, 92.5, 91.5, -0.125, -0.001]
    script = "return arguments[0].map((value) => [fixed(value, 2), fixed(value, 0)])"
    assert visit().execute_script(script, values) == [
        [ScoreFormat(1, 2).number(value), ScoreFormat(1, 0).number(value)] for value in values
    ]
    script = "return arguments[0].map(pInWords)"
    assert visit().execute_script(script, [1, 0.99999, 0.0345, 0.001, 8.604e-9, 1e-12]) == [
        *("1", "1", "0.0345", "0.0010", "8.60e-09", "1.00e-12")
    ]
