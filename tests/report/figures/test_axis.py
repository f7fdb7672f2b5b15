from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.config.load import load_experiment
from mlbench.errors import MlbenchError
from mlbench.report.figures.axis import Axis, find_axis, known_axes
from tests.plans import FACTS, make_plan

CONFIGS = Path(__file__).parents[3] / "configs"


def plan(datasets, methods=("A",), **facts):
    """A plan of data sets (name to reference) and methods."""
    return make_plan(datasets, methods, facts=facts)


def test_data_sets_may_differ_in_their_imbalance():
    references = {
        name: {"use": "emotions", "imbalance": {"ratio": ratio}, "as": name}
        for name, ratio in (("one", 1.0), ("ten", 10.0))
    }
    axis = find_axis(plan(references))
    assert (axis.name, axis.of) == ("ratio", "data sets")
    assert axis.groups == {"": {"one": 1.0, "ten": 10.0}}
    assert axis.label == "negatives per positive"


def test_a_number_that_only_some_data_sets_state_is_no_axis():
    references = {"digits": {"use": "digits"}, "toy": {"use": "nam-toy", "tasks": 8, "train": None}}
    assert "tasks" not in [axis.name for axis in known_axes(plan(references))]


def test_data_sets_that_differ_in_more_than_the_number_are_groups_of_their_own():
    references = {
        f"{name} {share} %": {"use": name.lower(), "train": share / 100}
        for name in ("Arts", "Scene")
        for share in (20, 40)
    }
    axis = find_axis(plan(references), "train")
    assert axis.groups == {
        "Arts": {"Arts 20 %": 0.2, "Arts 40 %": 0.4},
        "Scene": {"Scene 20 %": 0.2, "Scene 40 %": 0.4},
    }


def test_methods_that_differ_in_one_fixed_number_are_a_line():
    grid = {"lam1": [0.1, 1]}
    methods = {
        "MtSDA, none": {"use": "mtsda_eq", "tune": grid, "params": {}, "rho": 0},
        "MtSDA, half": {"use": "mtsda_eq", "tune": grid, "params": {}, "rho": 0.5},
        "other grid": {"use": "mtsda_eq", "tune": {"lam1": [1]}, "params": {}, "rho": 0.9},
        "SVM": {"use": "svm_ovr", "tune": {}, "params": {}, "C": 1},
    }
    axis = find_axis(plan({"emotions": {"use": "emotions"}}, methods))
    assert (axis.name, axis.of) == ("rho", "methods")
    assert axis.groups == {"MtSDA": {"MtSDA, none": 0.0, "MtSDA, half": 0.5}}


def test_a_line_without_common_words_is_called_by_its_class():
    methods = {
        name: {"use": "cca", "params": {"n_components": n}} for name, n in (("few", 2), ("many", 9))
    }
    axis = find_axis(plan({"emotions": {"use": "emotions"}}, methods), "n_components")
    assert axis.groups == {"cca": {"few": 2.0, "many": 9.0}}


def test_the_name_of_the_number_is_no_name_of_a_line():
    methods = {f"rho = {rho}": {"use": "mtsda_eq", "params": {}, "rho": rho} for rho in (0, 0.5)}
    axis = find_axis(plan({"emotions": {"use": "emotions"}}, methods))
    assert list(axis.groups) == ["mtsda_eq"]


@pytest.mark.parametrize(
    ("config", "name", "sizes"),
    [
        ("ke/figures-1-2-emotions", "ratio", [3]),
        ("nam/figure-1a", "tasks", [5]),
        ("nam/figure-1b", "tasks", [5]),
        ("ji2009/figure-2", "train", [5]),
        ("ji2009/table-1-reduced", "train", [5, 5, 5, 5]),
        ("han2010/figure-1-education", "rho", [9]),
        ("yu2005/figure-2-setting-1", "n_components", [4, 4, 3, 4]),
    ],
)
def test_the_papers_figures_have_their_axes(config, name, sizes):
    experiment = load_experiment(CONFIGS / f"{config}.yaml").experiment
    plain = experiment.model_dump(mode="json", by_alias=True)
    names = [dataset.display for dataset in experiment.datasets]
    axis = find_axis(
        make_plan(
            dict(zip(names, plain.pop("datasets"), strict=True)), plain.pop("methods"), **plain
        )
    )
    assert axis.name == name
    assert [len(places) for places in axis.groups.values()][: len(sizes)] == sizes


def test_true_and_false_are_no_numbers():
    methods = {str(flag): {"use": "mlsvm", "params": {}, "round": flag} for flag in (True, False)}
    assert known_axes(plan({"emotions": {"use": "emotions"}}, methods)) == []


def test_counts_of_the_data_come_last():
    references = {"small": {"use": "a", "tasks": 2}, "large": {"use": "a", "tasks": 8}}
    two = plan(references, large=replace(FACTS, n_samples=5000))
    assert [axis.name for axis in known_axes(two)] == ["tasks", "samples"]
    assert find_axis(two, "samples").groups == {"": {"small": 100.0, "large": 5000.0}}


def test_a_number_in_which_nothing_differs_is_refused_with_those_that_do():
    two = plan({"small": {"use": "a", "tasks": 2}, "large": {"use": "a", "tasks": 8}})
    with pytest.raises(MlbenchError, match=r"'taks' \(did you mean 'tasks'\?\).*: tasks"):
        find_axis(two, "taks")
    with pytest.raises(MlbenchError, match="in which they differ: none"):
        find_axis(plan({"emotions": {"use": "emotions"}}))


@pytest.mark.parametrize(
    ("axis", "label"),
    [
        (Axis("train", "data sets", {"": {"a": 0.1, "b": 0.5}}), "share of samples to train"),
        (Axis("train", "data sets", {"": {"a": 100, "b": 500}}), "number of training samples"),
        (Axis("tasks", "data sets", {"": {"a": 2, "b": 4}}), "number of tasks"),
        (Axis("n_components", "methods", {"": {"a": 2, "b": 4}}), "number of components"),
        (Axis("rho", "methods", {"": {"a": 0.2, "b": 0.4}}), "rho"),
    ],
)
def test_an_axis_is_named_in_words(axis, label):
    assert axis.label == label


def test_reciprocals_are_an_axis_too():
    methods = {
        f"rho = {text}": {"use": "mtsda_eq", "params": {"rho": rho}}
        for text, rho in (("0", 0.0), ("1/2", 0.5), ("1/3", 0.33333333))
    }
    axis = find_axis(plan({"emotions": {"use": "emotions"}}, methods), "1/rho")
    assert (axis.name, axis.label) == ("1/rho", "1/rho")
    assert axis.groups == {"mtsda_eq": {"rho = 1/2": 2.0, "rho = 1/3": 3.0}}


def test_counts_of_the_data_are_not_stated():
    references = {"small": {"use": "a", "tasks": 2}, "large": {"use": "a", "tasks": 8}}
    two = plan(references, large=replace(FACTS, n_samples=5000))
    assert [axis.is_stated for axis in known_axes(two)] == [True, False]
