"""What is too large to be read, generated or planned is refused in words, before it is made."""

from __future__ import annotations

import pytest

HEAD = "name: gift\nprotocol: {splits: {train: 0.5, repeats: %d}}\n"
TOY = "datasets: [{use: nam-toy, tasks: 3, samples: 60, dimensions: 4}]\n"
ONE = "methods: {M: mlknn}\n"


@pytest.mark.parametrize(
    "data",
    [
        "{use: nam-toy, samples: 1000000000000}",
        "{use: nam-toy, tasks: 1000000000000, samples: 1}",
        "{use: nam-toy, dimensions: 200000, samples: 4}",
        "{use: paintings-like, samples: 100000000000}",
        "{use: paintings-like, users: 100000000}",
    ],
)
def test_generated_data(call, write, data):
    write("gift.yaml", f"{HEAD % 1}datasets: [{data}]\n{ONE}")
    told = call("plan", "gift.yaml")
    assert told.exit_code == 2
    assert "are more than can be generated; (samples + 1000) x (" in told.stderr
    assert told.stderr.startswith("error: gift.yaml:3:12: ")


@pytest.mark.slow
def test_columns_of_an_arff_file(call, write):
    columns = "".join(f"@attribute a{i} numeric\n" for i in range(250_001))
    write("wide.arff", f"@relation 'wide: -C 1'\n{columns}@data\n{{0 1}}\n")
    write("gift.yaml", f"{HEAD % 1}datasets: [{{use: ./wide.arff, labels: 1}}]\n{ONE}")
    told = call("plan", "gift.yaml")
    assert told.exit_code == 2
    assert "wide.arff:250002: more than 250000 attributes" in told.stderr


def test_cells(call, write):
    methods = "".join(f"  M{i}: {{use: mlknn, k: {i + 1}}}\n" for i in range(30))
    write("gift.yaml", f"{HEAD % 100_000}{TOY}methods:\n{methods}")
    told = call("plan", "gift.yaml")
    assert told.exit_code == 2
    assert "protocol.splits: 3000000 cells (data sets x methods x 100000 splits)" in told.stderr
    assert "the limit is 200000" in told.stderr


@pytest.mark.slow
def test_methods(call, write):
    write(
        "gift.yaml", f"{HEAD % 1}{TOY}methods:\n" + "".join(f"  M{i}: br\n" for i in range(40_000))
    )
    told = call("plan", "gift.yaml")
    assert told.exit_code == 2
    assert "methods: there are 40000 methods; the most is 10000" in told.stderr


@pytest.mark.parametrize("name", ["''", "' '", '"\\t"', '" \\u200b"'])
def test_a_method_without_a_name(call, write, name):
    write("gift.yaml", f"{HEAD % 1}{TOY}methods: {{{name}: br}}\n")
    told = call("plan", "gift.yaml")
    assert told.exit_code == 2
    assert "methods: a method has an empty name" in told.stderr


def test_an_import_that_fails_is_told(call, write):
    write("base.py", "import no_such_module\nBase = object\n")
    write("mine.py", "from base import Base\nclass Mine(Base): pass\n")
    for method in ("'mine.py:Mine'", "{use: br, base: 'mine.py:Mine'}"):
        write("gift.yaml", f"{HEAD % 1}{TOY}methods: {{M: {method}}}\n")
        told = call("plan", "gift.yaml", "--allow-import")
        assert told.exit_code == 2
        assert (
            "mine.py failed: ModuleNotFoundError: No module named 'no_such_module'" in told.stderr
        )
