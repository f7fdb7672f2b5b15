"""Results folders from a few words, and their pages as a reader's program sees them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlbench.report.html import to_html
from mlbench.results.results import Results
from mlbench.store import Row, Store
from tests.plans import plain_plan
from tests.report.html.browsing import BINARY, DRIVER
from tests.rows import GRID, make_row

SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
VOID = {"meta", "link", "br", "img", "input"}
HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<img src=x onerror='window.hacked = 3'>",
    '" onmouseover="window.hacked = 4" \' & {{ 7 * 7 }}',
    "javascript:window.hacked=5 --> ]]> </style></svg>",
)


def key_of(*words: object) -> str:
    return hashlib.sha256(repr(words).encode()).hexdigest()


def row_of(dataset: str, method: str, split: int, **changes: Any) -> Row:
    """Return a row with scores that depend on its names alone."""
    key = key_of(dataset, method, split)
    rng = np.random.default_rng(int(key[:8], 16))
    f1, auc = (float(value) for value in rng.uniform(0.6, 0.9, 2))
    chosen = GRID[int(rng.integers(3))]
    return make_row(
        **{
            "key": key,
            "dataset": dataset,
            "method": method,
            "split": split,
            "metrics": {"macro_f1": f1, "macro_auc": auc, "micro_f1": f1},
            "params": chosen,
            "tuning": {"scores": [[f1]] * 3},
            "seconds": {"tune": 1 + f1, "fit": f1, "predict": 0.1 * f1, "total": 2 + 2 * f1},
            "peak_memory_mb": 100 + 10 * f1,
            "environment": {"python": "3.11", "numpy": "2.4"},
            **changes,
        }
    )


def failed(kind: str, message: str, traceback: str = "") -> dict[str, Any]:
    """Return what is different in the row of a cell that failed."""
    failure = {"kind": kind, "message": message, "traceback": traceback}
    nothing: dict[str, Any] = {"metrics": {}, "params": {}, "tuning": None, "seconds": {}}
    return {"status": kind, "failure": failure, "peak_memory_mb": None, **nothing}


@pytest.fixture(scope="module")
def _started_browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = BINARY
    for switch in (*SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    home = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    service = webdriver.ChromeService(DRIVER, env=home)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture
def browser(_started_browser):
    yield _started_browser
    _started_browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.fixture
def drawn():
    """Ask for a page with figures, which take a second."""


@pytest.fixture(autouse=True)
def _quick(request, monkeypatch):
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr("mlbench.report.html.figures.drawings", lambda *_: [])


Change = Callable[[str, str, int], dict[str, Any] | None]


def write_results(
    root: Path,
    datasets: Sequence[str] = ("emotions", "flags"),
    methods: Sequence[str] = ("SMTL", "BR", "ECC"),
    n_splits: int = 4,
    change: Change = lambda dataset, method, split: {},
    **experiment: Any,
) -> Results:
    """Write a results folder; `change` alters rows, or leaves them out by returning None."""
    store = Store(root)
    cells = [
        (dataset, method, split, key_of(dataset, method, split))
        for dataset in datasets
        for method in methods
        for split in range(n_splits)
    ]
    method = {"use": "br", "tune": {"C": [0.1, 1.0, 10.0]}}
    settings = {
        "name": "small",
        "title": "A small experiment",
        "protocol": {
            "splits": {"kind": "random", "train": 0.6, "test": None, "repeats": 4, "seed": 1},
            "tuning": {"folds": 3, "scope": "every-split", "scoring": "macro_f1"},
            "preprocess": ["standardize"],
        },
        "metrics": ["macro_f1", "macro_auc"],
        "tests": [
            {
                "method": methods[0],
                "against": None,
                "test": ["corrected_t", "wilcoxon"],
                "correction": "holm",
            }
        ],
    }
    settings |= experiment
    plan = plain_plan(datasets, dict.fromkeys(methods, method), n_splits, cells, **settings)
    store.write_plan(plan, "name: small\n")
    for dataset, name, split, _ in cells:
        changes = change(dataset, name, split)
        if changes is not None:
            store.write_row(row_of(dataset, name, split, **changes))
    return Results.of_run(store.root)


Make = Callable[..., Results]


@pytest.fixture
def make_results(tmp_path: Path) -> Make:
    return partial(write_results, tmp_path / "results")


@dataclass
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterable[Element]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.walk() if element.tag == tag]

    def get(self, name: str) -> str:
        return self.attributes.get(name) or ""

    def by_id(self, name: str) -> Element:
        (found,) = [element for element in self.walk() if element.get("id") == name]
        return found

    @property
    def text(self) -> str:
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        return "".join(parts)

    @property
    def grid(self) -> list[list[str]]:
        """The texts of a table's body and foot."""
        rows = [
            row for part in ("tbody", "tfoot") for body in self.all(part) for row in body.all("tr")
        ]
        return [[cell.text for cell in row.children if isinstance(cell, Element)] for row in rows]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute of {tag} stands twice"
        element = Element(tag, dict(attrs))
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag, f"{tag} is closed where another element is open"

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


@pytest.fixture
def read():
    """Return the tree of a folder's page; every element of it is closed where it should be."""

    def read(folder: Results, *metrics: str) -> Element:
        reader = _Reader()
        reader.feed(to_html(folder, folder.path, metrics))
        reader.close()
        return reader.root

    return read


@pytest.fixture
def troubled(make_results):
    return make_troubled(make_results)


@pytest.fixture
def hostile(make_results):
    return make_hostile(make_results)


@pytest.fixture(scope="module")
def seen_often(tmp_path_factory):
    """The same results for all tests of a file, by their names: pages with figures take seconds."""
    makers = {"troubled": make_troubled, "hostile": make_hostile}
    return {
        name: make(partial(write_results, tmp_path_factory.mktemp(name)))
        for name, make in makers.items()
    }


def make_troubled(make: Make) -> Results:
    """Make results with an error, timeouts, a missing cell and a warning."""
    traceback = 'Traceback:\n  File "m.py", line 3, in fit\nValueError: <b>no</b>'

    def change(dataset: str, method: str, split: int) -> dict[str, Any] | None:
        if (dataset, method) == ("flags", "ECC"):
            return None if split == 3 else failed("timeout", "took longer than its limit of 5 s")
        if (dataset, method, split) == ("emotions", "BR", 1):
            return failed("error", "<b>no</b>", traceback)
        return {"warnings": ["hm (3 times)"]} if method == "SMTL" else {}

    return make(change=change)


def make_hostile(make: Make) -> Results:
    """Make results whose every name and text would like to be a program."""
    message = "</details></pre><script>window.hacked = 6</script>"

    def change(dataset: str, method: str, split: int) -> dict[str, Any]:
        if split == 0:
            return failed("error", message, message)
        params = {HOSTILE[0]: HOSTILE[2]}
        return {"warnings": [message], "params": params, "environment": {HOSTILE[1]: HOSTILE[3]}}

    return make(
        HOSTILE,
        tuple(reversed(HOSTILE)),
        change=change,
        title=HOSTILE[1],
        description=HOSTILE[2],
    )
