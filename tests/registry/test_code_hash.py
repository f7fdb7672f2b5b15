from __future__ import annotations

import ast
import importlib
import platform
import sys
from fractions import Fraction
from importlib.metadata import packages_distributions

import pytest
import sklearn
from sklearn.svm import SVC

from mlbench.methods.adaptation.mlknn import MLkNN
from mlbench.methods.lspc.lspc import LSPC
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.registry import code_hash, resolve
from mlbench.registry.code_hash import (
    code_of_class,
    code_of_file,
    content_hash,
    current_provenance,
    is_of_users_module,
    normal_form,
    provenance,
)
from mlbench.registry.loading import imports_in
from mlbench.registry.names import name_of
from tests.processes import copy_code

SOURCE = '''
def area(x, y=1):
    """Multiply."""
    return x * y  # an area
'''


def form(source):
    return normal_form(ast.parse(source), source)


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


def test_what_an_error_carries_counts():
    raising = "def root(x):\n    raise ValueError({})\n"
    assert form(raising.format("[x, 1]")) != form(raising.format("[x, 2]"))


@pytest.mark.parametrize("text", ["f'{x:{width}}'", "f'{f\"{x}\"!r:>{w}}' 'é'"])
def test_an_f_string_stands_for_itself_because_versions_of_python_parse_it_differently(text):
    (_, (_, (_, (_, value)))) = form(text)
    assert value == ["JoinedStr", text]
    assert form(f"g(  {text})  # é") == form(f"g({text})")


def test_characters_that_only_some_versions_of_python_can_print_are_escaped():
    assert "\\U0001fae8" in repr(form("x = '\U0001fae8'"))


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
    copy_code(code_hash.HOME / "mlbench", package)
    monkeypatch.setattr(code_hash, "HOME", tmp_path)
    mlknn, br = "adaptation/mlknn.py", "problem_transformation/br.py"

    def sources(name):
        found = code_hash._sources(package / "methods" / name, tmp_path, True)
        return {path.relative_to(tmp_path).as_posix(): form for path, form in found.items()}

    before = sources(mlknn), sources(br)
    with (package / "methods/kernels.py").open("a") as file:
        file.write("\nEXTRA = 1\n")  # mlknn imports neighbors, which imports kernels
    assert sources(mlknn) != before[0]
    assert sources(br) == before[1]
    for name in ("errors", "spelling", "steps", "registry/loading", "methods/catalogue"):
        with (package / f"{name}.py").open("a") as file:
            file.write("\nWORDS = 'other ones'\n")
    assert sources(br) == before[1]
    own = ("base", "base_learners", "large_arrays", "memoize", "parameters", "path_method")
    family = (
        "base_fits",
        "base_learner_method",
        "base_path",
        "base_paths",
        "br",
        "linear_labels",
        "neighbor_path",
    )
    files = [f"methods/{name}.py" for name in own]
    files += [f"methods/problem_transformation/{name}.py" for name in family]
    solvers = ("arrays", "hinge/working_sets", "jit", "linear_models", "newton/logistic")
    files += [f"solvers/{name}.py" for name in solvers]
    assert sorted(before[1]) == [f"mlbench/{name}" for name in ("hashing.py", *files)]


def test_packages_beside_an_installed_mlbench_are_not_read(tmp_path, monkeypatch):
    method = tmp_path / "mlbench" / "method.py"
    method.parent.mkdir()
    method.write_text("import numpy\n")
    (tmp_path / "numpy.py").touch()
    monkeypatch.setattr(code_hash, "HOME", tmp_path)
    assert list(code_hash._sources(method, tmp_path, True)) == [method]


LEFT_OUT = [
    path
    for name in code_hash._NO_NUMBERS
    for path in ([code_hash.HOME / name], sorted((code_hash.HOME / name).glob("*.py")))[
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
    found = {
        with_mlbench: [
            code_hash._name(path, tmp_path)
            for path in code_hash._sources(tmp_path / "mine.py", tmp_path, with_mlbench)
        ]
        for with_mlbench in (True, False)
    }
    assert {"mine.py", "mlbench/methods/lspc/lspc.py", "mlbench/methods/kernels.py"} <= {
        *found[True]
    }
    assert not [name for name in found[True] if name.startswith(code_hash._NO_NUMBERS)]
    assert found[False] == ["mine.py"]


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


CLASS = (
    "\nfrom sklearn.base import BaseEstimator\nclass Mine(BaseEstimator):\n    fit = predict = 1\n"
)
REACHED = {
    "neighbor": ("mine.py", "import other", "other.py"),
    "neighbor of a neighbor": ("mine.py", "import near", "other.py"),
    "other folder": (
        "mine.py",
        "import sys\nsys.path.insert(0, 'lab/lib')\nimport far",
        "lib/far.py",
    ),
    "package": ("mine.py", "import parts.part", "parts/__init__.py"),
    "its own package": ("lab_{}.method", "", "lab_{}/__init__.py"),
    "its own package, above": ("lab_{}.deep.method", "", "lab_{}/__init__.py"),
    "part, later": ("lab_{}.method", "def later():\n    from .part import W", "lab_{}/part.py"),
    "beside the package": ("lab_{}.method", "import other", "other.py"),
    "beside the package, later": ("lab_{}.method", "def later():\n    import other", "other.py"),
    "part, after mlbench": (
        "lab_{}.method",
        "from mlbench.methods.adaptation.mlknn import MLkNN\nfrom .part import W",
        "lab_{}/part.py",
    ),
    "part, by a call": (
        "lab_{}.method",
        "from importlib import import_module\nimport_module('.part', __package__)",
        "lab_{}/part.py",
    ),
}


@pytest.mark.parametrize(("number", "case"), list(enumerate(REACHED)), ids=list(REACHED))
def test_all_code_of_the_user_that_is_imported_counts_and_nothing_else(
    number, case, tmp_path, monkeypatch
):
    place, imports, imported = (text.format(number) for text in REACHED[case])
    folder = tmp_path / "lab"
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(folder))

    def found(**changed):
        package = f"lab_{number}"
        texts = {"near.py": "import other", "parts/part.py": "", f"{package}/deep/__init__.py": ""}
        texts |= {f"{package}/__init__.py": "", f"{package}/part.py": "W = 1", "unused.py": ""}
        texts |= {"other.py": "W = 1", imported: "W = 1"}
        method = place if place.endswith(".py") else f"{place.replace('.', '/')}.py"
        texts |= {method: imports + CLASS, **changed}
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        for name in [*sys.modules]:
            if name.partition(".")[0] in (package, "other", "far", "parts", "near"):
                del sys.modules[name]
        importlib.invalidate_caches()
        code_hash._hash_of.cache_clear()
        kind = resolve(f"{place}:Mine", folder)
        return content_hash(kind), provenance(kind)

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = found()
    assert all(len(text) == 64 for text in before)
    assert found(**{imported: "W = 1  # a comment"}) == before
    assert found(**{"unused.py": "W = 2"}) == before
    after = found(**{imported: "W = 2"})
    assert not {*before} & {*after}


def test_code_counts_for_each_of_two_methods_that_share_it(tmp_path, monkeypatch):
    shared = "import shared_code\n"
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(f"KIND = '{name}'\n{shared}{CLASS}")
    (tmp_path / "lib").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    (tmp_path / "lib/shared_code.py").write_text("SHIFT = 1")
    alone = content_hash(resolve("two.py:Mine", tmp_path))
    assert content_hash(resolve("one.py:Mine", tmp_path)) != alone
    code_hash._hash_of.cache_clear()
    del sys.modules["shared_code"]
    assert content_hash(resolve("one.py:Mine", tmp_path)) != alone
    (tmp_path / "again.py").write_text((tmp_path / "two.py").read_text())
    again = content_hash(resolve("again.py:Mine", tmp_path))
    sources = code_hash._sources(tmp_path / "again.py", tmp_path, False, sys.modules)
    assert [path.name for path in sources] == ["again.py", "shared_code.py"]
    assert again != alone  # a file's name counts
    del sys.modules["shared_code"]


def test_folders_on_the_search_path_are_those_of_the_file(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name / "lib").mkdir(parents=True)
        (tmp_path / name / "lib/far.py").write_text(f"NAME = '{name}'\n")
        (tmp_path / name / "mine.py").write_text(
            "import sys\nfrom pathlib import Path\n"
            "sys.path.insert(0, str(Path(__file__).with_name('lib')))\n"
            f"from far import NAME\n{CLASS}"
        )
    again = tmp_path / "a/again.py"
    again.write_text((tmp_path / "a/mine.py").read_text())
    kinds = [resolve(f"{tmp_path}/{name}.py:Mine") for name in ("a/mine", "a/again", "b/mine")]
    assert [sys.modules[kind.__module__].NAME for kind in kinds] == ["a", "a", "b"]
    assert len({*map(content_hash, kinds)}) == 3


def test_a_package_that_is_installed_in_editable_mode_counts_as_source(tmp_path, monkeypatch):
    (tmp_path / "edited_in_place.py").write_text(CLASS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(code_hash, "_owner", {"edited_in_place": "its-distribution"}.get)
    assert len(content_hash(resolve("edited_in_place.Mine"))) == 64


OWN = "import os, numpy\ntry:\n    {}\nexcept ImportError:\n    pass\n" + CLASS
LINES = (
    "import math",
    "import remote",
    "from pack_{} import deep",
    "import pack_{}.deep as d",
    "import gone",
)


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Modules of the user in another folder of the search path; imports end with the test."""
    lib = tmp_path / "lib"
    for name in ("remote.py", "pack/__init__.py", "pack/deep.py", "pack/unused.py"):
        path = lib / name.replace("pack", f"pack_{tmp_path.name}".replace("-", "_"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("SHIFT = 1\n")
    monkeypatch.syspath_prepend(str(lib))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = {*sys.modules}
    yield lib
    for name in {*sys.modules} - before:
        del sys.modules[name]
    code_hash._hash_of.cache_clear()


def own(lib, line):
    """Write a method's file that imports, and return its path and what a row would record."""
    (pack,) = (path.name for path in lib.glob("pack_*"))
    file = lib.parent / "mine.py"
    file.write_text(OWN.format(line.format(pack.removeprefix("pack_"))))
    return file, provenance(resolve("mine.py:Mine", lib.parent))


@pytest.mark.parametrize("line", LINES)
def test_the_code_of_a_file_is_known_without_an_import(modules, line):
    file, recorded = own(modules, line)
    assert code_of_file(file).is_still(recorded)
    for path in modules.rglob("*.py"):
        path.write_text("SHIFT = 2\n")
    is_from_there = line not in ("import math", "import gone")
    assert code_of_file(file).is_still(recorded) is not is_from_there


def test_code_that_is_imported_when_it_is_needed_counts_too(modules):
    late = "import os\n    def later(): import remote"
    file, recorded = own(modules, late)
    assert "remote" not in sys.modules
    (modules / "remote.py").write_text("SHIFT = 2\n")
    assert code_of_file(file).is_still(recorded) is False


def test_whether_code_has_changed_is_not_known_where_a_module_is_not_found(modules):
    file, recorded = own(modules, "import remote, gone")
    (modules / "remote.py").unlink()
    importlib.invalidate_caches()
    del sys.modules["remote"]
    now = code_of_file(file)
    assert now.is_still(recorded) is None
    assert now.not_found == ("remote", "gone")


@pytest.mark.parametrize("name", ["{}.meth.Mine", "{}.Mine", "{}_alone.Mine"])
def test_the_code_of_a_class_of_ones_own_module_is_known_without_an_import(modules, name):
    pack = f"mod_{modules.parent.name}".replace("-", "_")
    for module, text in {
        f"{pack}/__init__.py": "from .meth import Mine\n" if name == "{}.Mine" else "",
        f"{pack}/meth.py": "from . import helper\n" + CLASS,
        f"{pack}/helper.py": "SHIFT = 1\n",
        f"{pack}_alone.py": "import remote\n" + CLASS,
    }.items():
        (modules / module).parent.mkdir(exist_ok=True)
        (modules / module).write_text(text)
    importlib.invalidate_caches()
    kind = resolve(name.format(pack))
    assert name_of(kind) == name.format(pack)
    recorded = provenance(kind)
    assert is_of_users_module(name_of(kind), recorded)
    assert code_of_class(name_of(kind)).is_still(recorded)
    (modules / pack / "helper.py").write_text("SHIFT = 2\n")
    (modules / "remote.py").write_text("SHIFT = 2\n")
    assert code_of_class(name_of(kind)).is_still(recorded) is False
    assert code_of_class(name_of(kind) + "s") is None
    for none in ("mine.py:Mine", "__main__.Mine", "mlknn"):
        assert not is_of_users_module(none, recorded)
    assert not is_of_users_module("sklearn.svm.SVC", "scikit-learn 1.9")
    assert code_of_class("sklearn.svm.SVC") is code_of_class("gone.Mine") is None


@pytest.mark.slow
def test_the_distribution_of_every_installed_package_is_found():
    for package, (first, *_) in packages_distributions().items():
        if package.isidentifier() and package != "__pycache__":  # stubs are not imported
            assert code_hash._owner(package) == first
    assert code_hash._owner("not_installed") is None


def test_a_class_of_the_standard_library_is_known_by_the_version_of_python():
    for kind in (dict, Fraction):
        assert content_hash(kind) is None
        assert provenance(kind) == f"Python {platform.python_version()}"
