"""The page in a real browser."""

from __future__ import annotations

import re

import pytest

from mlbench.report.html import to_html
from tests.processes import wait_until
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
    luminance,
    widths,
)

pytestmark = NEEDS_BROWSER


@pytest.fixture
def visit(browser):
    """Open a folder's page, as wide and in such colors as asked for."""

    def visit(folder, width=1200, colors="light", anchor="", scripts=True):
        page = folder.path / "report.html"
        if not page.exists():
            page.write_text(to_html(folder, folder.path), encoding="utf-8")
        return look(browser, page.as_uri() + anchor, width, colors, scripts)

    return visit


def column(browser, table, number):
    script = "return [...document.querySelectorAll(arguments[0])].map(cell => cell.textContent)"
    return browser.execute_script(script, f"#{table} tbody tr > :nth-child({number})")


def once_there(browser, selector):
    """Return an element that a script adds when it is told that its panel was opened."""
    wait_until(lambda: browser.find_elements("css selector", selector))
    return browser.find_element("css selector", selector)


def means(texts):
    return [float(re.match(r"[\d.]+", text).group()) for text in texts if text[0].isdigit()]


@pytest.mark.parametrize("results", ["troubled", "hostile"])
def test_nothing_is_asked_of_the_network_and_nothing_complained_of(
    visit, results, seen_often, drawn
):
    browser = visit(seen_often[results])
    assert asked_of_the_network(browser) == [browser.current_url]
    assert browser.get_log("browser") == []
    assert len(browser.find_elements("css selector", "figure svg")) >= 3


def test_hostile_names_do_nothing(visit, seen_often, drawn):
    hostile = seen_often["hostile"]
    browser = visit(hostile)
    browser.execute_script(
        "for (const each of document.querySelectorAll('details')) each.open = true"
    )
    for cell in browser.find_elements("css selector", "#table-1 th, #table-1 td"):
        browser.execute_script("arguments[0].dispatchEvent(new Event('mouseover'))", cell)
    assert browser.execute_script("return window.hacked") is None
    assert browser.find_elements("css selector", "img, iframe") == []
    assert browser.title == hostile.plan.experiment.title
    assert sorted(column(browser, "table-1", 1)) == sorted(hostile.plan.methods)


def test_a_heading_sorts_its_column_best_first_worst_first_and_back(visit, troubled):
    browser = visit(troubled)
    heading = browser.find_element("css selector", "#table-1 thead tr:last-child th:nth-child(4)")
    button = heading.find_element("css selector", "button")
    before = column(browser, "table-1", 4)
    orders = []
    for _ in range(3):
        button.click()
        orders.append((heading.get_attribute("aria-sort"), column(browser, "table-1", 4)))
    (down, falling), (up, rising), (none, after) = orders
    assert (down, up, none) == ("descending", "ascending", "none")
    assert means(rising) == sorted(means(before))
    assert means(falling) == sorted(means(before), reverse=True)
    assert "—" in rising[-1]
    assert "—" in falling[-1]
    assert after == before


def test_keys_sort_too(visit, troubled):
    from selenium.webdriver.common.keys import Keys

    browser = visit(troubled)
    button = browser.find_element("css selector", "#table-1 thead tr:last-child th button")
    for key in (Keys.ENTER, Keys.SPACE):
        button.send_keys(key)
    names = column(browser, "table-1", 1)
    assert names == sorted(names, reverse=True) == ["SMTL", "ECC", "BR"]
    assert browser.switch_to.active_element == button


def test_totals_stay_below(visit, make_results):
    wanted = {"against": None, "test": ["wilcoxon"], "correction": "holm", "layout": "wide"}
    folder = make_results(tests=[{"method": "SMTL", **wanted}])
    browser = visit(folder)
    lines = "return [...document.querySelectorAll('#table-2 tr')].map(r => r.cells[0].textContent)"
    totals = ["win/tie/loss, plain", "win/tie/loss, Holm"]
    assert browser.execute_script(lines)[-4:] == ["BR", "ECC", *totals]
    for order in (["BR", "ECC"], ["ECC", "BR"]):
        browser.find_element("css selector", "#table-2 thead tr:last-child th button").click()
        assert browser.execute_script(lines)[-4:] == [*order, *totals]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_number_opens_the_rows_that_it_leads_to(visit, troubled, scripts):
    browser = visit(troubled, scripts=scripts)
    link = browser.find_element("css selector", "#table-1 tbody a")
    target = link.get_attribute("href").partition("#")[2]
    panel = browser.find_element("id", target)
    assert not panel.is_displayed()
    link.click()
    wait_until(panel.is_displayed)
    wait_until(lambda: 0 <= panel.rect["y"] - browser.execute_script("return scrollY") <= 900)
    assert "ok" in panel.text


def test_a_link_to_rows_from_elsewhere_opens_them(visit, troubled):
    panel = visit(troubled, anchor="#rows-1-2").find_element("id", "rows-1-2")
    wait_until(panel.is_displayed)
    assert panel.text.count("timeout") == 3


def test_rows_sort_once_they_are_open(visit, troubled):
    browser = visit(troubled, anchor="#rows-0-0")
    button = once_there(browser, "#rows-0-0 thead tr:last-child th button")
    for _ in range(2):
        button.click()
    assert column(browser, "rows-0-0", 1) == ["3", "2", "1", "0"]


@pytest.mark.parametrize("results", ["troubled", "hostile"])
@pytest.mark.parametrize("width", [400, 1200, 1600])
def test_the_page_is_never_wider_than_the_window(visit, results, width, seen_often, drawn):
    browser = visit(seen_often[results], width=width)
    browser.execute_script(
        "for (const each of document.querySelectorAll('details')) each.open = true"
    )
    wide, window = widths(browser)
    assert wide <= window <= width


def test_on_a_telephone_labels_stay_where_a_table_scrolls(visit, troubled):
    browser = visit(troubled, width=390)
    for table, label in (("leaderboard", 2), ("table-1", 1), ("table-2", 2)):
        scroll = browser.find_element("css selector", f"#{table} .scroll")
        cell = scroll.find_element("css selector", f"tbody th:nth-child({label})")
        moved = "arguments[0].scrollLeft = 1000; return arguments[0].scrollLeft"
        assert browser.execute_script(moved, scroll) > 0
        assert scroll.rect["x"] <= cell.rect["x"] <= scroll.rect["x"] + 60


def test_a_telephone_gets_drawings_of_its_width(visit, make_results, drawn):
    shown = "return [...document.querySelectorAll('figure svg')].map(e => e.checkVisibility())"
    folder = make_results()
    assert visit(folder, width=390).execute_script(shown) == [False, True] * 5
    assert visit(folder, width=1200).execute_script(shown) == [True, False] * 5


def test_on_paper_long_tables_are_open_and_headings_repeat(visit, make_results):
    """Chromium leaves what is positioned out of a heading that it repeats."""
    methods = ["mine", *(f"other {i}" for i in range(16))]
    browser = visit(make_results(methods=methods, n_splits=2))
    long = browser.find_element("css selector", "#table-2 details.long-table")
    assert not long.get_property("open")
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert long.get_property("open")
    button = once_there(browser, "#table-2 thead th button")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert button.value_of_css_property("position") == "static"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert not long.get_property("open")


def test_a_data_set_is_named_once_until_its_rows_are_sorted(visit, make_results):
    browser = visit(make_results())
    shown = (
        "return [...document.querySelectorAll('#table-2 tbody th:first-child span')]"
        ".map(each => getComputedStyle(each).opacity)"
    )
    assert column(browser, "table-2", 1) == ["emotions", "emotions", "flags", "flags"]
    assert browser.execute_script(shown) == ["1", "0", "1", "0"]
    browser.find_element(
        "css selector", "#table-2 thead tr:last-child th:nth-child(3) button"
    ).click()
    assert browser.execute_script(shown) == ["1"] * 4


@NEEDS_AXE
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_nothing_to_object_to(visit, seen_often, width, drawn):
    browser = visit(seen_often["troubled"], width=width)
    browser.execute_script(OPEN_ALL)
    once_there(browser, "#table-2 thead th button")
    assert axe_violations(browser) == []


def test_contrast_is_computed_as_defined():
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_every_text_can_be_read(visit, make_results, colors):
    folder = make_results(("Emotions", "Yeast"), ("BR", "ECC", "mine"), published="ke")
    pairs = colors_of_texts(visit(folder, colors=colors))
    papers = {luminance(paper) > 0.5 for _, paper in pairs}
    assert papers == {colors == "light"}
    assert len({text for text, _ in pairs}) >= 4
    assert min(contrast(*pair) for pair in pairs) >= MIN_CONTRAST


def test_everything_that_can_be_pressed_can_be_reached_by_key(visit, troubled):
    browser = visit(troubled)
    reachable = browser.execute_script(
        "return [...document.querySelectorAll('a, button, summary, .scroll')].map(e => e.tabIndex)"
    )
    assert set(reachable) == {0}
