"""Pairs that an experiment leaves out are told as such, and never filled in."""

from __future__ import annotations

from itertools import product

import pytest

import mlbench as mb
from mlbench.cli.export_folder import write_folder
from tests.runs import write_run

DATASETS = ("d0", "d1", "d2", "d3")
SCORES = {
    (dataset, method): [base + 0.01 * i, base + 0.02 + 0.01 * i]
    for (i, dataset), (method, base) in product(
        enumerate(DATASETS), {"A": 0.5, "B": 0.6, "C": 0.7, "slow": 0.8}.items()
    )
    if (dataset, method) != ("d2", "slow")
}


@pytest.fixture
def results(tmp_path):
    tests = [{"method": "A", "over_datasets": ["friedman"]}]
    root = write_run(tmp_path / "run", SCORES, not_on={"slow": ["d2"]}, tests=tests)
    return mb.open_results(root)


def test_tables_say_so_and_the_protocol_names_the_pair(results):
    view = results.table("macro_f1")
    text = " ".join(str(view).split())
    assert "— (not run)" in text
    assert "missing" not in text
    assert "not run: slow on d2." in text
    assert results.counts == {"ok": 30}


def test_nothing_is_filled_in_over_data_sets(results):
    (ranks,) = results.ranks("macro_f1", method="A").tables
    assert [record["n_datasets"] for record in ranks.records] == [4] * 3
    assert "Left out, with no score on some of these data sets: slow." in ranks.notes
    assert "Left out, with no score on some data set: slow." in str(results.verdict())


@pytest.mark.slow
def test_the_page_has_no_rows_of_the_pair_to_link_to(results, tmp_path):
    results.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for dataset in range(4):
        for method in range(4):
            anchor = f"rows-{dataset}-{method}"
            is_run = (dataset, method) != (2, 3)
            assert (f'id="{anchor}"' in page) == is_run
            assert (f'href="#{anchor}"' in page) == is_run


def test_the_export_says_the_same(results, tmp_path):
    write_folder(results, tmp_path / "export")
    exported = mb.open_results(tmp_path / "export")
    assert str(exported.table("macro_f1")) == str(results.table("macro_f1"))
