from __future__ import annotations

import pytest
from click.testing import CliRunner

from mlbench.cli import main


@pytest.fixture
def call():
    return lambda *words: CliRunner().invoke(main, [str(word) for word in ("report", *words)])


def test_the_page_comes_with_the_tables_and_they_stay_the_same(make_results, call):
    folder = make_results()
    result = call(folder.path, "--html")
    page = folder.path / "report.html"
    assert result.exit_code == 0
    assert f"wrote {page}" in result.stderr
    assert result.stdout == call(folder.path).stdout
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_page_may_have_another_place(make_results, call, tmp_path):
    folder = make_results()
    page = tmp_path / "public" / "index.html"
    result = call(folder.path, "--html", page, "--metric", "micro_f1")
    assert f"wrote {page}, in a new folder" in result.stderr
    assert "Micro F1" in page.read_text(encoding="utf-8")
    assert not (folder.path / "report.html").exists()


def test_a_page_that_cannot_be_written_is_wrong_input(make_results, call, tmp_path):
    (tmp_path / "file").write_text("")
    page = tmp_path / "file" / "index.html"
    result = call(make_results().path, "--html", page)
    assert result.exit_code == 2
    assert f"error: {page}: cannot be written: " in result.stderr
    assert "Errno" not in result.stderr


def test_cells_without_a_result_end_it_with_1_and_the_page_is_there(troubled, call):
    assert call(troubled.path, "--html").exit_code == 1
    assert (troubled.path / "report.html").exists()


@pytest.mark.slow
def test_the_same_results_are_the_same_page(make_results, call, drawn):
    folder = make_results()
    pages = []
    for _ in range(2):
        call(folder.path, "--html")
        pages.append((folder.path / "report.html").read_bytes())
    assert pages[0] == pages[1]


def test_a_folder_is_no_place_for_it(make_results, call):
    folder = make_results()
    result = call(folder.path, "--html", folder.path)
    assert result.exit_code == 2
    assert f"{folder.path}: is a folder; give a file, such as" in result.stderr
    assert not (folder.path / "report.html").exists()
