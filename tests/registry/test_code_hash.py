from __future__ import annotations

import ast
import shutil
import sys

import pytest
import sklearn
from sklearn.svm import SVC

from mlbench.methods.adaptation.mlknn import MLkNN
from mlbench.methods.lspc.lspc import LSPC
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.registry import code_hash, resolve
from mlbench.registry.code_hash import (
    content_hash,
    current_provenance,
    normal_form,
    provenance,
)
from mlbench.registry.source_imports import imports_in

SOURCE = '''
def area(x, y=1):
    """Multiply."""
    return x * y  # an area
'''


def form(source):
    return normal_form(ast.parse(source))


@pytest.mark.parametrize(
    "same",
    [
        "def area(x,y = 1):\n    return (x*y)\n",
        'def area(x, y=1):\n    """Another\n    text."""\n\n    return x * y\n',
        '"""A module."""\n' + SOURCE,
    ],
)
def test_words_and_layout_do_not_count(same):
    assert form(same) == form(SOURCE)


@pytest.mark.parametrize(
    "other",
    [
        SOURCE.replace("y=1", "y=2"),
        SOURCE.replace("y=1", "y=True"),
        SOURCE.replace("y=1", "y=1.0"),
        SOURCE.replace("x * y", "x + y"),
        SOURCE.replace("x * y", "x * -y"),
        SOURCE.replace("y=1", "*, y=1"),
        SOURCE.replace("y=1", "y"),
        SOURCE.replace("return x * y", "return 'x * y'"),
        SOURCE.replace("area", "surface"),
        SOURCE + "    raise ValueError",
        "import os\n" + SOURCE,
    ],
)
def test_whatever_can_change_a_result_counts(other):
    assert form(other) != form(SOURCE)


RAISING = "def root(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x**0.5\n"


@pytest.mark.parametrize(
    ("other", "counts"),
    [
        (RAISING.replace("'negative'", "f'{x} is negative'"), False),
        (RAISING.replace("'negative')", "'negative') from None"), False),
        (RAISING.replace("ValueError", "KeyError"), True),
        (RAISING.replace("x < 0", "x <= 0"), True),
        (RAISING.replace("raise ValueError('negative')", "x = 0"), True),
    ],
)
def test_the_words_of_an_error_do_not_count_but_when_it_is_raised_does(other, counts):
    assert (form(other) != form(RAISING)) == counts


def test_fields_that_only_some_versions_of_python_have_are_left_out():
    text = repr(form("class A[T]: pass\n" if sys.version_info >= (3, 12) else SOURCE))
    for field in ("type_params", "ctx", "kind", "type_comment"):
        assert field not in text


def test_the_code_of_a_built_in_method_is_provenance_and_no_part_of_a_key():
    methods = (BinaryRelevance, MLkNN, LSPC)
    assert [content_hash(method) for method in methods] == [None] * 3
    found = {provenance(method) for method in methods}
    assert len(found) == 3
    assert all(len(text) == 64 for text in found)


def test_the_provenance_of_today_is_told_by_name_without_an_import():
    assert current_provenance("mlknn", "") == provenance(MLkNN)
    assert current_provenance("sklearn.svm.SVC", "scikit-learn 0.1") == provenance(SVC)
    assert current_provenance("a.B", "gone-package 1.0") == "gone-package, which is not installed"
    assert current_provenance("mine.py:Mine", "0" * 64) is None


def test_what_a_method_imports_counts_and_what_it_does_not_import_does_not(tmp_path, monkeypatch):
    package = tmp_path / "mlbench"
    shutil.copytree(code_hash._HOME / "mlbench", package)
    monkeypatch.setattr(code_hash, "_HOME", tmp_path)
    mlknn, br = "adaptation/mlknn.py", "problem_transformation/br.py"

    def sources(name):
        return code_hash._sources(package / "methods" / name, tmp_path, "mlbench", True)

    before = sources(mlknn), sources(br)
    with (package / "methods/kernels.py").open("a") as file:
        file.write("\nEXTRA = 1\n")  # mlknn imports neighbors, which imports kernels
    assert sources(mlknn) != before[0]
    assert sources(br) == before[1]
    for name in ("errors", "spelling", "registry/loading", "registry/catalogue"):
        with (package / f"{name}.py").open("a") as file:
            file.write("\nWORDS = 'other ones'\n")
    assert sources(br) == before[1]
    files = ("methods/base.py", "methods/memoize.py", "methods/parameters.py")
    family = (f"methods/problem_transformation/{name}.py" for name in ("base", "base_fits", "br"))
    assert sorted(before[1]) == [f"mlbench/{f}" for f in (*files, *family, "solvers/arrays.py")]


LEFT_OUT = [
    path
    for name in code_hash._NO_NUMBERS
    for path in ([code_hash._HOME / name], sorted((code_hash._HOME / name).glob("*.py")))[
        name.endswith("/")
    ]
]


@pytest.mark.parametrize("path", LEFT_OUT, ids=lambda path: path.name)
def test_a_module_that_is_left_out_can_compute_nothing(path):
    tree = ast.parse(path.read_text())
    imported = {module.partition(".")[0] for module, _ in imports_in(tree)}
    assert not imported & {"numpy", "scipy", "sklearn", "pandas", "random"}


def test_the_provenance_of_a_file_covers_what_it_imports_from_mlbench_and_its_hash_does_not(
    tmp_path,
):
    (tmp_path / "mine.py").write_text(
        "from mlbench.errors import MethodError\nfrom mlbench.methods.lspc.lspc import LSPC\n"
    )
    found = code_hash._sources(tmp_path / "mine.py", tmp_path, None, True)
    assert {"mine.py", "mlbench/methods/lspc/lspc.py", "mlbench/methods/kernels.py"} <= set(found)
    assert not [name for name in found if name.startswith(code_hash._NO_NUMBERS)]
    assert set(code_hash._sources(tmp_path / "mine.py", tmp_path, None, False)) == {"mine.py"}


def test_an_installed_package_is_known_by_its_distribution_and_its_version_is_provenance():
    assert content_hash(SVC) is None
    assert provenance(SVC) == f"scikit-learn {sklearn.__version__}"


def test_a_file_counts_with_its_neighbors_but_not_its_place(tmp_path):
    text = (
        "from helper import SHIFT\nfrom sklearn.base import BaseEstimator\n"
        "class Mine(BaseEstimator):\n    fit = predict = None\n"
    )
    found = []
    for folder, shift, comment in [("a", 1, ""), ("b", 1, "# moved\n"), ("c", 2, "")]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(comment + text)
        (tmp_path / folder / "helper.py").write_text(f"SHIFT = {shift}\n")
        found.append(content_hash(resolve("mine.py:Mine", tmp_path / folder)))
    assert found[0] == found[1]
    assert found[1] != found[2]


def test_a_folder_on_the_search_path_counts_as_source(tmp_path, monkeypatch):
    package = tmp_path / "somebodys"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("SHIFT = 1\n")
    (package / "method.py").write_text(
        "from .parts import SHIFT\nfrom sklearn.base import BaseEstimator\n"
        "class Mine(BaseEstimator):\n    fit = predict = None\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    method = resolve("somebodys.method.Mine")
    before = content_hash(method)
    assert len(before) == 64
    (package / "parts.py").write_text("SHIFT = 2\n")
    code_hash._hash_of.cache_clear()
    assert content_hash(method) != before


METHOD = """
from sklearn.svm import SVC
try:
    import neighbor
except Exception:
    neighbor = None
class Own(SVC):
    pass
"""


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + METHOD.encode(),
        b"# -*- coding: latin-1 -*-\n# caf\xe9" + METHOD.encode(),
    ],
    ids=["byte-order mark", "latin-1"],
)
def test_a_file_is_read_as_python_reads_it(tmp_path, content):
    (tmp_path / "plain.py").write_text(METHOD)
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "plain.py").write_bytes(content)
    expected = content_hash(resolve(f"{tmp_path}/plain.py:Own"))
    assert content_hash(resolve(f"{tmp_path}/odd/plain.py:Own")) == expected


def test_a_neighbor_that_is_no_python_counts_by_its_bytes(tmp_path):
    found = set()
    for i, neighbor in enumerate([b"x = = 1", b"x = = 2", b"x = '\xff'", b"x = 1\0"]):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "neighbor.py").write_bytes(neighbor)
        (folder / "own.py").write_text(METHOD)
        found.add(content_hash(resolve(f"{folder}/own.py:Own")))
    assert len(found) == 4


def test_a_package_may_import_mlbench_before_its_own_parts(tmp_path, monkeypatch):
    package = tmp_path / "ownpackage"
    package.mkdir()
    (package / "__init__.py").write_text("")
    code = "from mlbench.methods.adaptation.mlknn import MLkNN\nfrom .part import W\n"
    (package / "method.py").write_text(code + "class Own(MLkNN):\n    w = W\n")
    (package / "part.py").write_text("W = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = content_hash(resolve("ownpackage.method.Own"))
    (package / "part.py").write_text("W = 2\n")
    code_hash._hash_of.cache_clear()
    assert content_hash(resolve("ownpackage.method.Own")) != before
