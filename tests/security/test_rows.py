"""A row with a right hash and a wrong content is a damaged file to every reader, or harmless."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlbench.store import Store

TRIAL = """name: gift
datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 2, seed: 1}, tuning: {folds: 2}}
metrics: [macro_f1]
methods:
  Tuned: {use: mlsvm_f_l1, solver: fw, tune: {C: [0.1, 1.0, 10.0]}}
  Fixed: {use: mlknn, k: 5}
"""
SAME_FOLDER = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
"""Each example puts the folder back as it was."""
PLACE = '"@"'
HOSTILE = (
    *("null", "true", "-1", "0", "7", "0.5", "1e308", "-1e308", "1e999", "NaN", "-Infinity"),
    *(str(10**400), "9" * 5000, '""', '"x"', '"ok"', '"\\ud800"', f'"{"a" * 64}"'),
    *("[]", "[null]", "[[]]", '[{"x": 1}]', "{}", '{"x": {}}', '{"x": null}'),
    *("[" * 90 + "]" * 90, "[" * 150 + "]" * 150, "[" * 5000 + "]" * 5000),
)
READERS = (
    ("status", "gift"),
    ("status", "gift", "--full"),
    ("status", "gift", "--format", "json"),
    ("report", "gift"),
    ("export", "gift"),
    *(("export", "gift", "--what", what) for what in ("params", "seconds", "counts", "fit")),
    ("check", "gift", "--against", "reference.json", "--format", "json"),
    ("why", "gift.yaml", "toy/Tuned/0", "--out", "gift"),
    ("plan", "gift.yaml", "--out", "gift"),
)
DRAWERS = (
    ("report", "gift", "--html"),
    ("figure", "gift", "--kind", "tuning", "--out", "tuning.svg"),
    ("figure", "gift", "--kind", "gap", "--out", "gap.svg"),
)


@pytest.fixture(scope="module")
def honest(tmp_path_factory, make_lab):
    lab = make_lab(tmp_path_factory.mktemp("rows"))
    lab.write("gift.yaml", TRIAL)
    run = lab.mlbench("run", "gift.yaml", "--out", "gift")
    assert run.returncode == 0, run.stderr
    assert lab.mlbench("check", "gift", "--write", "reference.json").returncode == 0
    return lab.folder


@pytest.fixture
def gift(honest, tmp_path):
    shutil.copytree(honest, tmp_path, dirs_exist_ok=True)
    return Store(tmp_path / "gift")


def places(value, path=()):
    """Yield the path of every part of a plain value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for key, item in items:
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))
        else:
            yield (*path, key)


def changed(row, path, text):
    """Return the file of a row in which one part is another, with the hash of that content."""
    row = copy.deepcopy(row)
    parent = row
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = "@"
    content = json.dumps(row, sort_keys=True, separators=(",", ":")).replace(PLACE, text, 1)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return f'{{"sha256":"{digest}",\n"row":{content}}}\n'


def assert_every_reader_copes(call, gift, readers, data):
    path = data.draw(st.sampled_from(sorted(gift.root.rglob("rows/*/*.json"))))
    text = path.read_text()
    row = json.loads(text)["row"]
    where = data.draw(st.sampled_from(list(places(row))[1:]))
    path.write_text(changed(row, where, data.draw(st.sampled_from(HOSTILE))))
    try:
        for words in readers:
            told = call(*words)
            assert told.exception is None or isinstance(told.exception, SystemExit), (
                words,
                told.exc_info,
            )
            assert told.exit_code in (0, 1, 2, 3)
    finally:
        path.write_text(text)


@settings(max_examples=50, suppress_health_check=SAME_FOLDER)
@given(data=st.data())
def test_no_command_meets_a_row_that_it_cannot_read(call, gift, data):
    assert_every_reader_copes(call, gift, READERS, data)


@settings(max_examples=6, suppress_health_check=SAME_FOLDER)
@given(data=st.data())
def test_no_page_and_no_figure_meets_one(call, gift, data):
    assert_every_reader_copes(call, gift, DRAWERS, data)


def test_a_wrong_part_is_named(call, gift):
    path = min(gift.root.rglob("rows/*/*.json"))
    row = json.loads(path.read_text())["row"]
    path.write_text(changed(row, ("status",), '"fine"'))
    told = call("status", "gift")
    assert f"{path.name}: damaged: not a row: status:" in " ".join(told.stderr.split())
    assert "3 ok, 1 missing" in told.stdout or "1 missing, 3 ok" in told.stdout
