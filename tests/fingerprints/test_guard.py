"""The guard bites: in a copy of the package numbers are changed, and code is moved.

The method is one whose cases take no time. If its text is not what a change looks for any more,
another place in it will do.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fingerprints.imports import METHODS, make_method
from tests.processes import copy_code

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
NAME = "mlknn"


@dataclass
class Copy:
    """The package and its fingerprints in a folder of their own."""

    folder: Path

    @property
    def recorded(self) -> str:
        return (self.folder / "tests" / HERE.name / "fingerprints.json").read_text()

    def run(self, *words: str, of: str = NAME) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", HERE.name, *words, of],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": f"{self.folder}{os.pathsep}{self.folder / 'tests'}"},
            capture_output=True,
            text=True,
            check=False,
        )

    def check(self, of: str = NAME) -> str:
        """Compare the method's numbers with the file; return what is said."""
        done = self.run("--check", of=of)
        assert not done.stderr, done.stderr
        assert done.returncode == ("the numbers are those of the file" not in done.stdout)
        return done.stdout

    def identity(self) -> dict[str, object]:
        """Return what the keys of the method's results hold of it."""
        code = (
            "import json; from mlbench import make_method; "
            "from mlbench.plan.identity import method_identity; "
            f"print(json.dumps(method_identity(make_method({NAME!r}, k=7))))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def method(self) -> tuple[Path, str]:
        """Return the file and the name of the method's class."""
        kind = type(make_method(NAME))
        return self.folder / Path(*kind.__module__.split(".")).with_suffix(".py"), kind.__name__

    def raise_revision(self) -> int:
        """Declare the next revision at the end of the class, and return it."""
        path, name = self.method()
        revision = getattr(type(make_method(NAME)), "revision", 1) + 1
        (found,) = (
            node
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.ClassDef) and node.name == name
        )
        lines = path.read_text().splitlines(keepends=True)
        lines.insert(found.end_lineno, f"\n    revision = {revision}\n")
        path.write_text("".join(lines))
        return revision


@pytest.fixture
def copy(tmp_path):
    package = Path(sys.modules[METHODS[NAME].partition(".")[0]].__file__).parent
    copy_code(package, tmp_path / package.name)
    copy_code(HERE, tmp_path / "tests" / HERE.name)
    return Copy(tmp_path)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{path.name} does not have {old!r} any more: look for something else"
    path.write_text(text.replace(old, new))


def test_the_copy_is_what_is_measured(copy):
    assert "are those of the file" in copy.check()
    path, name = copy.method()
    replace(path, f"class {name}", f"raise RuntimeError\nclass {name}")
    assert "RuntimeError" in copy.run("--check").stderr


def test_a_constant_that_changes_is_seen_until_the_revision_is_raised(copy):
    before = copy.recorded
    replace(copy.method()[0], "a = (p + P)", "a = (2 * p + P)")
    said = copy.check()
    assert f"numbers of {NAME} moved: raise its revision, or undo the change" in said
    assert "dense: defaults: scores by" in said
    refused = copy.run()
    assert refused.returncode == 1
    assert f"{NAME} is not rewritten" in refused.stderr
    assert copy.recorded == before

    revision = copy.raise_revision()
    said = copy.check()
    assert (
        f"{NAME} has revision {revision}, and the file numbers of revision {revision - 1}" in said
    )
    assert "run `make fingerprints`; these moved" in said

    written = copy.run()
    assert written.returncode == 0, written.stderr
    assert f"{NAME} written anew" in written.stdout
    assert "are those of the file" in copy.check()


def test_code_that_moves_keeps_its_numbers_and_its_keys(copy):
    identity, recorded = copy.identity(), copy.recorded
    path, name = copy.method()
    package = copy.folder / METHODS[NAME].partition(".")[0]
    moved = package / "elsewhere" / "near.py"
    moved.parent.mkdir()
    shutil.move(path, moved)
    replace(moved, name, "Neighborly")
    replace(moved, "np.asarray(a / (a + b), dtype=np.float64)", "_posterior(a, b)")
    with moved.open("a") as file:
        file.write("\n\ndef _posterior(a, b):\n    return np.asarray(a / (a + b), dtype=float)\n")
    catalogue = package / "methods" / "catalogue.py"
    with catalogue.open("a") as file:
        file.write(f'\nMETHODS["{NAME}"] = "{package.name}.elsewhere.near:Neighborly"\n')
    assert "are those of the file" in copy.check()
    written = copy.run()
    assert written.returncode == 0, written.stderr
    assert copy.recorded == recorded
    assert copy.identity() == identity == {"name": NAME, "revision": 2, "params": {"k": 7}}


def test_an_import_that_the_base_of_the_methods_does_not_use_changes_no_key(copy):
    before = copy.identity()
    base = type(make_method(NAME)).__mro__[1]
    path = copy.folder / Path(*base.__module__.split(".")).with_suffix(".py")
    replace(path, "import numpy as np\n", "import wave\n\nimport numpy as np\n")
    assert copy.identity() == before
    assert "are those of the file" in copy.check()


@pytest.mark.parametrize(
    ("file", "old", "new", "of"),
    [
        (
            "estimator_adapter",
            "return array[:, place",
            "return 1 - array[:, place",
            "estimator_outputs",
        ),
        ("metrics/label_metrics", "counts.fp + counts.fn", "counts.fp", "metrics"),
        ("metrics/label_metrics", "counts.fp + counts.fn", "counts.fp", "parameter_search"),
        (
            "protocol/tuning",
            "is_above(highest, mean)",
            "is_above(mean, highest)",
            "parameter_search",
        ),
        (
            "protocol/cross_validation",
            "self.preparation.parts(",
            "Preparation().parts(",
            "parameter_search",
        ),
    ],
)
def test_a_change_of_the_protocol_is_seen(copy, file, old, new, of):
    package = copy.folder / METHODS[NAME].partition(".")[0]
    replace(package / f"{file}.py", old, new)
    said = copy.check(of=f"protocol/{of}")
    assert f"numbers of protocol/{of} moved: raise its revision, or undo the change" in said
