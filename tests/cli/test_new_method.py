"""``methods new``: a file to start a method from."""

from __future__ import annotations


def test_the_file_passes_all_checks(lab):
    written = lab.mlbench("methods", "new", "MyMethod")
    assert written.stdout.splitlines()[0] == "wrote mymethod.py"
    checked = lab.mlbench("methods", "validate", "mymethod.py:MyMethod")
    assert checked.returncode == 0, checked.stdout


def test_no_file_is_replaced(tmp_path, call):
    (tmp_path / "mine.py").write_text("precious")
    refused = call(tmp_path, "methods", "new", "Mine")
    assert refused.exit_code == 2
    assert "mine.py: exists; choose another file with --out" in refused.output
    assert (tmp_path / "mine.py").read_text() == "precious"


def test_a_class_needs_a_name(tmp_path, call):
    refused = call(tmp_path, "methods", "new", "my-method")
    assert refused.exit_code == 2
    assert "cannot be the name of a class" in refused.output
