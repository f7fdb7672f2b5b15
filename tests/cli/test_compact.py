"""``mlbench compact`` as a user meets it."""

from __future__ import annotations

import json

import pytest

EXPERIMENT = """
name: small
datasets: [{use: nam-toy, as: two, tasks: 2, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 3}}
methods: {ML-kNN: {use: mlknn, k: 5}}
"""


@pytest.fixture
def done(lab):
    lab.write("small.yaml", EXPERIMENT)
    assert lab.mlbench("run", "small.yaml", "--out", "out").returncode == 0
    return lab


def test_every_command_reads_a_packed_folder_as_it_read_the_single_files(done, call):
    reads = [("status", "out", "--json"), ("export", "out"), ("report", "out")]
    reads += [
        ("plan", "small.yaml", "--out", "out"),
        ("why", "small.yaml", "two/ML-kNN/1", "--out", "out"),
    ]
    before = [call(done.folder, *words).stdout for words in reads]
    packed = call(done.folder, "compact", "out")
    assert (packed.exit_code, packed.stdout) == (0, "3 files packed; 3 rows in the pack\n")
    assert [call(done.folder, *words).stdout for words in reads] == before
    assert json.loads(before[0])["counts"] == {"ok": 3}
    assert call(done.folder, "merge", "out", "--into", "copy").stdout.startswith("3 rows copied")
    assert call(done.folder, "export", "copy").stdout == before[1]


def test_what_a_damaged_pack_has_lost_runs_again(done, call):
    whole = call(done.folder, "export", "out").stdout
    call(done.folder, "compact", "out")
    (pack,) = done.folder.glob("out/packs/*")
    pack.write_bytes(pack.read_bytes()[:4096])
    assert "what is lost counts as missing" in call(done.folder, "report", "out").stderr
    again = done.mlbench("run", "small.yaml", "--out", "out")
    assert "what is lost runs again" in again.stderr
    assert call(done.folder, "export", "out").stdout == whole


def test_a_folder_without_results_is_refused(lab, call):
    refused = call(lab.folder, "compact", ".")
    assert refused.exit_code == 2
    assert "not a results folder" in refused.stderr
