"""A comparison with a reference as JUnit XML, for CI systems.

One test case per data set, method and metric. A number that moved is a failure, which names lost
cells, too; else cells that are missing or failed are an error. A number that the reference does
not have is skipped, or a failure if the check is strict.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from xml.etree import ElementTree

from mlbench.check.compare import ReferenceCheck
from mlbench.check.report import (
    CAUSE_OF_OTHER_BITS,
    changed,
    headline,
    moved_line,
    notes_on_data,
    unchecked,
)
from mlbench.check.rules import OTHER_BITS, CheckedNumber

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(check: ReferenceCheck) -> bytes:
    """Return the comparison as an XML document in UTF-8."""
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite")
    for number in check.numbers:
        _case(suite, check, number)
    if warnings := [*check.warnings, *unchecked(check)]:
        ElementTree.SubElement(suite, "system-err").text = _clean("\n".join(warnings))
    totals = {
        "name": f"mlbench check {check.experiment}",
        "tests": str(len(check.numbers)),
        "failures": str(len(suite.findall("testcase/failure"))),
        "errors": str(len(suite.findall("testcase/error"))),
        "skipped": str(len(suite.findall("testcase/skipped"))),
        "time": "0",
        "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
        "hostname": socket.gethostname(),
    }
    for name, value in totals.items():
        suite.set(name, _clean(value))
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _case(suite: ElementTree.Element, check: ReferenceCheck, number: CheckedNumber) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_clean(f"{check.experiment}.{number.dataset}"),
        name=_clean(f"{number.method} {number.metric}"),
        time="0",
    )
    lost = check.lost_of(number.dataset, number.method)
    if number.verdict == "moved":
        words = "; ".join([moved_line(number), *map(str, lost)])
        _say(case, "failure", words, _background(check, number))
    elif number.verdict == "new" and check.is_strict:
        _say(case, "failure", number.why, headline(check))
    elif lost or number.verdict == "missing":
        words = "; ".join(map(str, lost)) or number.why
        now = dict(check.renamed).get(f"{number.dataset}/{number.method}")
        called = f"; renamed: the cells are those of {now} now, with the same keys" if now else ""
        _say(case, "error", words + called, "\n".join([headline(check), *_changes(check, number)]))
    elif number.verdict in ("new", "failed"):
        _say(case, "skipped", number.why, "")
    elif check.is_strict and number.method in check.stale:
        _say(case, "error", "its rows are of other code than the file has now", headline(check))
    else:
        series = (number.dataset, number.method)
        lines = [f"drifted: {moved_line(number)}"] if number.verdict == "drifted" else []
        lines += [f"not compared: {each}" for each in check.failed if each.series == series]
        if lines := [*lines, *_changes(check, number)]:
            ElementTree.SubElement(case, "system-out").text = _clean("\n".join(lines))


def _say(case: ElementTree.Element, kind: str, message: str, text: str) -> None:
    element = ElementTree.SubElement(case, kind, message=_clean(message))
    element.text = _clean(text) or None


def _background(check: ReferenceCheck, number: CheckedNumber) -> str:
    lost = [f"lost: {each}" for each in check.lost_of(number.dataset, number.method)]
    lines = [moved_line(number), *lost, f"the reference is of {check.written}"]
    return "\n".join([*lines, *_changes(check, number)])


def _changes(check: ReferenceCheck, number: CheckedNumber) -> Iterator[str]:
    """Yield what has changed behind a number."""
    change = check.change_of(number.dataset, number.method)
    if change.environment:
        yield f"environment changed: {changed(change.environment)}"
    if change.code:
        yield f"code of the same revision changed: {changed(change.code)}"
    if change.identity:
        yield f"what the result depends on changed: {changed(change.identity)}"
        yield from notes_on_data([change])
    if OTHER_BITS in number.why:
        yield CAUSE_OF_OTHER_BITS


def _clean(text: str) -> str:
    """Replace what XML cannot hold."""
    return _NOT_IN_XML.sub("\ufffd", text)
