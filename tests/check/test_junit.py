"""The XML has the form that pytest itself writes, which CI systems are known to read."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from mlbench.check import compare_with_reference, reference_of, to_junit
from mlbench.results import Results
from tests.plans import make_plan

SUITE = """
import pytest
def test_passes(): print("words")
def test_fails(): assert False
def test_skips(): pytest.skip("why")
@pytest.fixture
def broken(): raise ValueError
def test_errs(broken): pass
"""


@pytest.fixture(scope="module")
def of_pytest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("junit")
    (folder / "test_it.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command += ["--junitxml=out.xml", "-o", "junit_logging=system-out", "test_it.py"]
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return ElementTree.parse(folder / "out.xml").getroot()


@pytest.fixture
def document(make_folder, ten, elsewhere):
    then = {"A": ten, "<B> & C": ten, "D": ten, "E\x00": ten}
    moved = [score + 0.05 for score in ten]
    drifted = [score + 1e-12 for score in ten]
    now = {"A": ten, "<B> & C": moved, "D": drifted, "E\x00": [..., *ten[1:]], "F": ten}
    check = compare_with_reference(
        reference_of(make_folder(then)), make_folder(now, environment=elsewhere)
    )
    return ElementTree.fromstring(to_junit(check))


def form(root):
    """Return the elements with their parents and attributes."""
    found = {}
    for parent in root.iter():
        for child in parent:
            found.setdefault((parent.tag, child.tag), set()).update(child.attrib)
    return found


@pytest.mark.slow
def test_every_element_and_attribute_is_one_that_pytest_writes(document, of_pytest):
    ours, theirs = form(document), form(of_pytest)
    assert ours.keys() <= theirs.keys()
    for place, attributes in ours.items():
        assert attributes <= theirs[place], place
    for place in (("testsuites", "testsuite"), ("testsuite", "testcase")):
        assert ours[place] == theirs[place]
    assert document.tag == of_pytest.tag


def test_a_method_that_is_lost_by_its_name_alone_is_told(make_folder, ten):
    folder = make_folder({"A": ten})
    cells = [(cell.dataset, "B", cell.split, cell.key) for cell in folder.cells]
    plan = make_plan(["toy"], ["B"], 10, cells, name="trial", metrics=["macro_f1"])
    check = compare_with_reference(reference_of(folder), Results(folder.path, plan, folder.rows))
    lost, *_ = ElementTree.fromstring(to_junit(check)).iter("error")
    assert lost.get("message").endswith(
        "; renamed: the cells are those of toy/B now, with the same keys"
    )


def test_where_other_bits_come_from_is_told(make_folder, ten):
    moved = make_folder({"A": [ten[0] + 0.1, *ten[1:]]})
    check = compare_with_reference(reference_of(make_folder({"A": ten})), moved)
    (failure,) = ElementTree.fromstring(to_junit(check)).iter("failure")
    assert "Other bits of the same key come from what no key knows" in failure.text


def test_what_another_fingerprint_means_is_told(make_folder, ten):
    reference = reference_of(make_folder({"A": ten}))
    (series,) = reference.series
    data = {**series.identity["dataset"], "fingerprint": "0" * 64}
    series = series.model_copy(update={"identity": {**series.identity, "dataset": data}})
    then = reference.model_copy(update={"series": [series]})
    check = compare_with_reference(then, make_folder({"A": [each + 0.1 for each in ten]}))
    (failure,) = ElementTree.fromstring(to_junit(check)).iter("failure")
    assert "dataset.fingerprint is the hash of the data as they were read" in failure.text


def test_what_changed_behind_lost_cells_is_told_too(document):
    assert "numpy 2.4.6 -> 2.5.0" in document.find(".//error").text


def test_cells_that_failed_again_and_metrics_that_are_not_checked_are_told(make_folder, ten):
    folder = make_folder({"A": ["error", *ten[1:]]})
    check = compare_with_reference(reference_of(folder), folder)
    suite = ElementTree.fromstring(to_junit(replace(check, unchecked=("one_error",))))[0]
    told = "not compared: toy/A, split 0: failed in the reference, and again"
    assert suite.find("testcase/system-out").text == told
    assert suite.find("system-err").text.startswith("Not checked: one_error, which the experiment")


def test_a_number_that_stays_says_what_has_changed_behind_it(document):
    (case,) = (each for each in document.iter("testcase") if each.get("name") == "A macro_f1")
    assert case[0].text.startswith("environment changed: ")


def test_the_totals_are_those_of_the_cases(document):
    (suite,) = document
    cases = list(suite)
    outcomes = {case.get("name"): [child.tag for child in case] for case in cases}
    assert outcomes == {
        "A macro_f1": ["system-out"],
        "<B> & C macro_f1": ["failure"],
        "D macro_f1": ["system-out"],
        "E\ufffd macro_f1": ["error"],
        "F macro_f1": ["skipped"],
    }
    totals = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert totals == {"tests": "5", "failures": "1", "errors": "1", "skipped": "1"}
    assert {case.get("classname") for case in cases} == {"trial.toy"}


def test_a_failure_says_by_how_much_and_since_what(document):
    failure = document.find(".//failure")
    assert failure.get("message").endswith("(+0.05000; significant, p = 0.0000)")
    assert "numpy 2.4.6 -> 2.5.0" in failure.text


def test_strictly_new_numbers_are_failures_and_moved_ones_name_lost_cells(make_folder, ten):
    then = reference_of(make_folder({"A": ten}))
    now = make_folder({"A": [*ten[:9], "error"], "B": ten}, revision=2)
    strict = compare_with_reference(then, now, is_strict=True)
    suite = ElementTree.fromstring(to_junit(strict)).find("testsuite")
    moved, new = (case.find("failure").get("message") for case in suite.iter("testcase"))
    assert moved.endswith("changed: method.revision); toy/A, split 9: failed (error): m")
    assert new == "not in the reference, and the check is strict"
    assert suite.get("failures") == "2"
