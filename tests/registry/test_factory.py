from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from scipy import special
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mlbench.errors import MethodError
from mlbench.estimator_adapter import fit, outputs
from mlbench.methods.parameters import set_seed
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.registry import METHODS, factory, make_method, method_parameters, plugins, resolve

OWN_METHOD = """
from sklearn.base import BaseEstimator
from helper import SHIFT

class Mine(BaseEstimator):
    def __init__(self, alpha=0.1):
        self.alpha = alpha
    def fit(self, X, Y):
        return self
    def predict(self, X):
        return SHIFT

class NotOne:
    pass
"""


MLP = "sklearn.neural_network.MLPClassifier"
SCALER = "sklearn.preprocessing.RobustScaler"


@pytest.fixture
def own_file(tmp_path):
    (tmp_path / "mine.py").write_text(OWN_METHOD)
    (tmp_path / "helper.py").write_text("SHIFT = 1\n")
    return tmp_path


@pytest.fixture
def announce(monkeypatch):
    """Let an imaginary package announce methods or base learners."""

    def announce(announced_group=plugins.METHOD_GROUP, **targets):
        points = [EntryPoint(name, value, announced_group) for name, value in targets.items()]
        monkeypatch.setattr(
            plugins, "entry_points", lambda group: points if group == announced_group else []
        )
        plugins._announced.cache_clear()

    yield announce
    plugins._announced.cache_clear()


def test_the_table_of_methods_is_at_hand_without_numpy():
    code = "import sys, mlbench.methods as m; assert m.__all__; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", METHODS)
def test_every_built_in_name_leads_to_an_estimator(name):
    method = make_method(name)
    assert isinstance(method, resolve(name))
    assert clone(method).get_params().keys() == method.get_params().keys()


def test_a_dotted_name_leads_to_any_estimator():
    assert resolve("sklearn.ensemble.RandomForestClassifier") is RandomForestClassifier
    assert resolve("sklearn.ensemble:RandomForestClassifier") is RandomForestClassifier
    assert make_method("sklearn.svm.SVC", C=2.0).C == 2.0


def test_a_file_is_found_beside_the_experiment(own_file):
    model = make_method("mine.py:Mine", own_file, alpha=0.5)
    assert model.alpha == 0.5
    assert model.predict(None) == 1
    assert resolve("mine.py:Mine", own_file) is type(model)
    assert resolve(f"{own_file}/mine.py:Mine") is type(model)
    assert str(own_file) not in sys.path


def test_a_changed_file_is_read_again(own_file):
    before = resolve("mine.py:Mine", own_file)
    (own_file / "mine.py").write_text(OWN_METHOD.replace("alpha=0.1", "alpha=0.9"))
    assert resolve("mine.py:Mine", own_file) is not before
    assert make_method("mine.py:Mine", own_file).alpha == 0.9


def test_an_edit_within_a_second_that_keeps_the_size_is_seen(own_file, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for digit in "12":
        (own_file / "mine.py").write_text(OWN_METHOD.replace("0.1", f"0.{digit}"))
        (own_file / "helper.py").write_text(f"SHIFT = {digit}\n")
        for file in own_file.glob("*.py"):
            os.utime(file, (1e9, 1e9))
        importlib.invalidate_caches()
        model = make_method("mine.py:Mine", own_file)
        assert (model.alpha, model.predict(None)) == (float(f"0.{digit}"), int(digit))


def test_two_files_each_import_their_own_neighbors(own_file):
    other = own_file / "other"
    (other / "parts").mkdir(parents=True)
    (other / "mine.py").write_text(OWN_METHOD.replace("helper import", "parts.helper import"))
    (other / "parts/__init__.py").touch()
    (other / "parts/helper.py").write_text("from helper import SHIFT\n")
    (other / "helper.py").write_text("SHIFT = 2\n")
    assert make_method("mine.py:Mine", own_file).predict(None) == 1
    assert make_method("mine.py:Mine", other).predict(None) == 2
    assert not {"helper", "parts", "parts.helper"} & set(sys.modules)


def test_a_neighbor_that_could_not_be_given_is_refused(own_file):
    (own_file / "json.py").write_text("SHIFT = 3\n")
    resolve("mine.py:Mine", own_file)  # a file that nobody imports does no harm
    (own_file / "helper.py").write_text("import json\nSHIFT = 1\n")
    (own_file / "again.py").write_text(OWN_METHOD)
    for _ in range(2):
        with pytest.raises(MethodError, match=r"helper.py imports 'json', which stands beside it"):
            resolve("again.py:Mine", own_file)


def test_modules_from_elsewhere_stay_loaded(own_file, tmp_path_factory, monkeypatch):
    library = tmp_path_factory.mktemp("library")
    (library / "somewhere_else.py").touch()
    monkeypatch.syspath_prepend(str(library))
    (own_file / "mine.py").write_text("import somewhere_else\n" + OWN_METHOD)
    resolve("mine.py:Mine", own_file)
    assert "somewhere_else" in sys.modules
    del sys.modules["somewhere_else"]


def test_a_plug_in_adds_a_name(announce):
    announce(forest="sklearn.ensemble:RandomForestClassifier")
    assert resolve("forest") is RandomForestClassifier
    assert "forest" in factory.method_names()


def test_a_plug_in_may_not_take_a_built_in_name(announce):
    announce(br="sklearn.ensemble:RandomForestClassifier")
    with pytest.raises(MethodError, match="announces a method 'br', but mlbench itself has one"):
        resolve("br")


def test_a_plug_in_adds_a_base_learner(announce):
    announce(plugins.BASE_LEARNER_GROUP, simple="sklearn.dummy:DummyClassifier")
    assert isinstance(make_method("br", base="simple").base, DummyClassifier)
    model = make_method("rakel", base={"use": "simple", "strategy": "uniform"})
    assert model.base.strategy == "uniform"
    with pytest.raises(MethodError, match=r"write \{use: br, base: simple\}"):
        resolve("simple")
    with pytest.raises(MethodError, match="base 'simple': Invalid parameter 'c'"):
        make_method("br", base={"use": "simple", "c": 1})


def test_a_plug_in_may_not_take_the_name_of_a_built_in_base_learner(announce):
    announce(plugins.BASE_LEARNER_GROUP, tree="sklearn.dummy:DummyClassifier")
    with pytest.raises(MethodError, match="announces a base learner 'tree', but mlbench itself"):
        make_method("br", base="other")


@pytest.mark.parametrize("base", ["sklearn.svm.SVC", "learner.py:Learner"])
def test_a_base_learner_may_be_a_dotted_name_or_in_a_file(tmp_path, base):
    (tmp_path / "learner.py").write_text(
        "from sklearn.svm import SVC\nclass Learner(SVC):\n    pass\n"
    )
    model = make_method("br", tmp_path, base=base, C=3.0)
    assert isinstance(model.base, SVC)
    assert model.set_params(base__C=3.0).base.C == 3.0


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("mlkn", r"no method 'mlkn' \(did you mean 'mlknn'\?\)"),
        ("logistic", r"write \{use: br, base: logistic\}"),
        ("SVC", r"no method 'SVC' \(did you mean 'sklearn.svm.SVC'\?\)"),
        ("sklearn.svm.SVCC", r"sklearn.svm has no 'SVCC' \(did you mean 'SVC'\?\)"),
        ("sklaern.svm.SVC", "there is no module 'sklaern' installed"),
        ("collections.OrderedDict", "no scikit-learn estimator: it has no fit, predict"),
        ("sklearn.svm.l1_min_c", "'l1_min_c' is a function, not a class; name the class, and"),
        ("missing.py:Mine", "there is no file .*missing.py"),
        ("sklearn.ensemble.RandomForrest", r"mean 'RandomForestClassifier'\?"),
        ("sklearn.ensemble.RandomForest", r"no 'RandomForest' \(did you mean 'RandomForestClass"),
        ("mine.py:Mien", r"mine.py has no 'Mien' \(did you mean 'Mine'\?\)"),
        ("mine.py:NotOne", "NotOne is no scikit-learn estimator"),
        ("broken.py:Mine", "broken.py failed: SyntaxError"),
        ("needy.py:Mine", "needy.py failed: ModuleNotFoundError: No module named 'absent'"),
        ("a\0b.py:Mine", "cannot be read: .*null"),
        ("x" * 5000 + ".py:Mine", r"xxx\.\.\.': this file cannot be read: File name too long"),
        ("~nosuchuser/mine.py:Mine", "there is no file"),
        ("quits.py:Mine", "quits.py failed: SystemExit: 3"),
    ],
)
def test_what_cannot_be_found_is_told_in_words(own_file, target, words):
    (own_file / "broken.py").write_text("class Mine(:\n")
    (own_file / "needy.py").write_text("import absent\n")
    (own_file / "quits.py").write_text("raise SystemExit(3)\n")
    with pytest.raises(MethodError, match=words):
        resolve(target, own_file)


def test_a_file_of_the_working_folder_is_told_where_the_experiment_stands_elsewhere(
    own_file, tmp_path_factory, monkeypatch
):
    monkeypatch.chdir(own_file)
    elsewhere = tmp_path_factory.mktemp("experiments")
    with pytest.raises(
        MethodError, match=f"write the whole path, {own_file / 'mine.py'}, or copy it there"
    ):
        resolve("mine.py:Mine", elsewhere)


def test_a_target_that_is_no_text_is_refused():
    with pytest.raises(MethodError, match="named by text, not by 3"):
        resolve(3)


@pytest.mark.parametrize(
    ("target", "parameters", "words"),
    [
        ("mlknn", {"neighbors": 3}, "mlknn has no parameter 'neighbors'; it has k, normalize, s"),
        ("lspc", {"widht": 3}, r"no parameter 'widht' \(did you mean 'width'\?\)"),
        ("br", {"c": 3}, r"br has no parameter 'c' \(did you mean 'C'\?\); it has C, base,"),
        ("br", {"base": "logistc"}, r"no base learner 'logistc' \(did you mean 'logistic'\?\)"),
        ("br", {"base": "tree", "C": 1}, "br has no parameter 'C'"),
        ("br", {"base": 3}, "base: 3 is no classifier"),
        ("br", {"base": {"use": "svc", "c": 1}}, "base 'svc': Invalid parameter 'c'"),
        ("sklearn.multioutput.MultiOutputClassifier", {}, "missing .* 'estimator'"),
    ],
)
def test_parameters_that_a_method_lacks_are_refused_with_those_it_has(target, parameters, words):
    with pytest.raises(MethodError, match=words):
        make_method(target, **parameters)


def test_parameters_of_the_base_are_written_beside_it():
    model = make_method("br", base="svc", C=10, gamma=0.5)
    assert isinstance(model, BinaryRelevance)
    assert isinstance(model.base, SVC)
    assert (model.base.C, model.base.gamma) == (10, 0.5)
    assert make_method("br", C=10).base.C == 10


def test_a_point_of_a_grid_is_translated_for_set_params():
    assert method_parameters("br", {"C": 0.1}) == {"base__C": 0.1}
    assert method_parameters("mlknn", {"k": 3}) == {"k": 3}
    model = make_method("br", base="svc")
    assert model.set_params(**method_parameters("br", {"C": 0.1})).base.C == 0.1
    assert isinstance(method_parameters("br", {"base": "svc"})["base"], SVC)


def test_an_estimator_may_be_written_as_a_value():
    model = make_method(
        "sklearn.multioutput.MultiOutputClassifier", estimator={"use": "logistic", "C": 3.0}
    )
    assert model.estimator.C == 3.0
    nested = make_method("br", base={"use": "sklearn.svm.SVC", "C": 3.0})
    assert nested.base.C == 3.0


def test_estimators_may_stand_in_lists():
    steps = [
        ["scale", {"use": "sklearn.preprocessing.StandardScaler", "with_mean": False}],
        ["many", {"use": "br", "C": 3.0}],
    ]
    model = make_method("sklearn.pipeline.Pipeline", steps=steps, many__base__tol=0.1)
    scale, many = (part for _, part in model.steps)
    assert isinstance(scale, StandardScaler)
    assert not scale.with_mean
    assert many.base.C == 3.0
    again = clone(model).set_params(many__base__C=5.0)
    assert again.get_params()["many"].base.C == 5.0
    X, Y = np.eye(6), np.tile([[0, 1], [1, 0]], (3, 1))
    assert outputs(fit(model, X, Y), X)[0].shape == (6, 2)
    assert steps[1][1] == {"use": "br", "C": 3.0}  # what was given is as it was


def test_estimators_may_stand_inside_estimators_and_in_a_grid():
    calibrated = {
        "use": "sklearn.calibration.CalibratedClassifierCV",
        "estimator": {"use": "sklearn.pipeline.Pipeline", "steps": [["svc", {"use": "svc"}]]},
    }
    model = make_method("br", base=calibrated)
    assert isinstance(model.base.estimator.steps[0][1], SVC)
    grid_point = method_parameters("sklearn.pipeline.Pipeline", {"steps": [["a", {"use": "svc"}]]})
    assert isinstance(grid_point["steps"][0][1], SVC)


def test_a_part_need_not_predict_but_must_have_parameters():
    kernel = {"use": "sklearn.gaussian_process.kernels.RBF", "length_scale": 2.0}
    model = make_method("sklearn.gaussian_process.GaussianProcessClassifier", kernel=kernel)
    assert model.kernel.length_scale == 2.0
    with pytest.raises(MethodError, match="it has no get_params, set_params"):
        make_method("sklearn.svm.SVC", kernel={"use": "collections.OrderedDict"})
    with pytest.raises(MethodError, match="no scikit-learn estimator: it has no predict"):
        make_method("sklearn.preprocessing.StandardScaler")


@pytest.mark.parametrize(
    ("use", "parameters", "name", "meant"),
    [
        (MLP, {}, "hidden_layer_sizes", (8, 2)),
        (
            "br",
            {"base": {"use": MLP}},
            "hidden_layer_sizes",
            (8,),
        ),
        (
            "sklearn.pipeline.Pipeline",
            {
                "steps": [
                    ["a", {"use": SCALER}],
                    ["b", {"use": "svc"}],
                ]
            },
            "a__quantile_range",
            (10.0, 90.0),
        ),
    ],
)
def test_a_list_becomes_a_tuple_where_the_default_is_one(use, parameters, name, meant):
    model = make_method(use, **parameters, **{name: list(meant)})
    path = name if name in model.get_params() else f"base__{name}"
    assert model.get_params()[path] == meant
    plain = make_method(use, **parameters)
    assert method_parameters(use, {name: list(meant)}, model=plain) == {path: meant}


def test_a_list_inside_a_tuple_becomes_one_where_the_default_has_one(own_file):
    text = OWN_METHOD.replace("alpha=0.1", "alpha=((0, 1), 2)")
    (own_file / "mine.py").write_text(text)
    assert make_method("mine.py:Mine", own_file, alpha=[[3, 4], 5]).alpha == ((3, 4), 5)
    kept = {"use": "list", "items": [3]}
    assert make_method("mine.py:Mine", own_file, alpha=kept).alpha == [3]


ANY_KEYWORD = """
from sklearn.linear_model import LogisticRegression

class Boosted(LogisticRegression):
    _parameter_constraints = {}
    def __init__(self, C=1.0, **others):
        super().__init__(C=C)
        self.others = {}
        self.set_params(**others)
    def get_params(self, deep=True):
        return {"C": self.C, **self.others}
    def set_params(self, C=None, **others):
        self.C = self.C if C is None else C
        self.others.update(others)
        return self
"""


def test_a_base_that_takes_any_keyword_gets_it(own_file):
    (own_file / "boosted.py").write_text(ANY_KEYWORD)
    model = make_method("br", own_file, base="boosted.py:Boosted", C=3.0, verbose=-1)
    assert model.base.get_params() == {"C": 3.0, "verbose": -1}
    assert clone(model).base.get_params() == {"C": 3.0, "verbose": -1}
    with pytest.raises(MethodError, match="br has no parameter 'verbose'"):
        make_method("br", base="tree", verbose=-1)


@pytest.mark.parametrize("default", ["2", "'e'", "None"])
def test_a_parameter_called_base_need_not_be_a_learner(own_file, default):
    text = OWN_METHOD.replace("alpha=0.1", f"base={default}").replace("alpha", "base")
    (own_file / "mine.py").write_text(text)
    assert make_method("mine.py:Mine", own_file).base == eval(default)
    if default != "None":
        assert make_method("mine.py:Mine", own_file, base=10).base == 10
        assert make_method("mine.py:Mine", own_file, base="x").base == "x"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"use": "numpy.log1p"}, np.log1p),
        ({"use": "scipy.special:expit"}, special.expit),
        ({"use": "sklearn.feature_selection.f_classif"}, f_classif),
    ],
)
def test_a_function_may_be_a_parameter(written, meant):
    assert make_method("sklearn.svm.SVC", kernel=written).kernel is meant


def test_a_splitter_may_be_a_parameter():
    cv = {"use": "sklearn.model_selection.KFold", "n_splits": 3, "shuffle": True}
    model = make_method("sklearn.linear_model.LogisticRegressionCV", cv=cv)
    assert repr(model.cv) == "KFold(n_splits=3, random_state=None, shuffle=True)"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"use": "sklearn.model_selection.KFold", "n_split": 3}, r"did you mean 'n_splits'\?"),
        ({"use": "sklearn.model_selection.KFold", "n_splits": 0}, "KFold: .*n_splits=2"),
        ({"use": "numpy.log1p", "x": 3}, "numpy.log1p: a function stands as it is, without x"),
        ({"use": "mine.py:SHIFT"}, "'SHIFT' is a int, not a class or a function"),
        ({"use": "mine.py:short"}, "a lambda has no name by which results could tell it"),
        ({"use": "mine.py:nothing"}, "has no 'nothing'"),
        ({"use": "sklearn.svm.SVC", 3: 4}, "a parameter has a name, not 3"),
    ],
)
def test_what_cannot_be_a_parameter_is_told(own_file, written, words):
    (own_file / "mine.py").write_text(f"{OWN_METHOD}short = lambda x: x\n")
    with pytest.raises(MethodError, match=words):
        make_method("br", own_file, base=written)


def test_other_lists_and_mappings_are_passed_on_as_they_are():
    model = make_method("sklearn.svm.SVC", class_weight={0: 1, 1: [2, {"a": (3,)}]})
    assert model.class_weight == {0: 1, 1: [2, {"a": (3,)}]}


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"use": "logistc"}, r"no method 'logistc' \(did you mean 'logistic'\?\)"),
        ({"use": "svc", "c": 1}, "base 'svc': Invalid parameter 'c'"),
        ({"use": "sklearn.svm.SVC", "c": 1}, r"SVC has no parameter 'c' \(did you mean 'C'\?\)"),
        ({"use": 3}, "named by text, not by 3"),
        ({"use": ["a"]}, "named by text"),
    ],
)
def test_what_is_wrong_inside_a_list_is_told(part, words):
    with pytest.raises(MethodError, match=words):
        make_method("sklearn.pipeline.Pipeline", steps=[["a", part]])


def test_a_seed_reaches_every_part_that_has_none():
    model = set_seed(make_method("br", base="forest"), 5)
    assert isinstance(model.base.random_state, int)
    assert (
        model.base.random_state == set_seed(make_method("br", base="forest"), 5).base.random_state
    )
    assert set_seed(make_method("br", base="forest", random_state=1), 5).base.random_state == 1
    assert (
        set_seed(make_method("lspc"), 5).random_state
        != set_seed(make_method("lspc"), 6).random_state
    )


def test_a_method_may_have_a_parameter_called_folder(own_file):
    text = OWN_METHOD.replace("alpha", "folder")
    (own_file / "mine.py").write_text(text)
    assert make_method("mine.py:Mine", own_file, folder="here").folder == "here"
