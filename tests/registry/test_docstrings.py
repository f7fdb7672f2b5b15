from __future__ import annotations

from mlbench.registry.docstrings import describe


def test_what_a_class_does_not_say_its_bases_do():
    about = describe("mlsvm_f_l1")
    meanings = {parameter.name: parameter.meaning for parameter in about.parameters}
    assert about.title == "MLSVM-F-L1"
    assert meanings["C"].startswith("Weight of the losses, ``sum_l 1/2 ||w_l||^2 + C *")
    assert meanings["mu"].startswith("Weight of the ridge ``mu I`` added to the covariance")
    assert about.source.startswith("Ji & Ye (2009)")


def test_the_values_that_a_parameter_takes_are_told():
    types = {parameter.name: parameter.type for parameter in describe("ecc").parameters}
    assert types["sampling"] == '{"bag", "subsample", None}'
    assert types["random_state"] == types["n_chains"] == "int"


def test_its_own_words_come_before_those_of_its_bases():
    sources = {name: describe(name).source for name in ("lda_ls", "opls_ls", "cca_ls")}
    assert sources["lda_ls"].endswith("section 3.1.")
    assert len(set(sources.values())) == 3


def test_a_parameter_that_the_constructor_does_not_take_is_not_listed():
    names = [parameter.name for parameter in describe("mlsvm_t_l1").parameters]
    assert names[:3] == ["C", "r", "solver"]
