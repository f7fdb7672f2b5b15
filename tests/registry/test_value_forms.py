"""Values without a notation in YAML have a form that has one."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import MethodError
from mlbench.registry import make_method
from mlbench.registry.value_forms import form_of, make_value, without_types

OWN = "sklearn.preprocessing.FunctionTransformer"


def made(value):
    steps = [["a", {"use": OWN, "kw_args": {"value": value}}]]
    return make_method("sklearn.pipeline.Pipeline", steps=steps).steps[0][1].kw_args["value"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"use": "tuple", "items": [1, [2, {"use": "tuple", "items": []}]]}, (1, [2, ()])),
        (
            {"use": "dict", "items": [[0, 1], [True, "a"], [None, 2.5]]},
            {0: 1, True: "a", None: 2.5},
        ),
        ({"use": "set", "items": [1, 2]}, {1, 2}),
        ({"use": "frozenset", "items": ["a"]}, frozenset("a")),
        ({"use": "slice", "start": 1, "stop": None, "step": 2}, slice(1, None, 2)),
        ({"use": "slice", "stop": 5}, slice(None, 5)),
        ({"use": "range", "start": 1, "stop": 5}, range(1, 5)),
        ({"use": "number", "value": 3, "dtype": "<i2"}, np.int16(3)),
        ({"use": "type", "name": "float"}, float),
        ({"use": "type", "name": "numpy.float32"}, np.float32),
        ({"use": "dtype", "name": "<f4"}, np.dtype("float32")),
    ],
)
def test_a_form_stands_for_a_value(written, meant):
    assert made(written) == meant
    assert type(made(written)) is type(meant)


def test_an_array_keeps_its_type_and_shape():
    written = {"use": "array", "items": [1, 2, 3, 4], "dtype": "<f4", "shape": [2, 2]}
    np.testing.assert_array_equal(
        made(written), np.array([[1, 2], [3, 4]], np.float32), strict=True
    )


@pytest.mark.parametrize(
    ("form", "fields", "words"),
    [
        ("tuple", {"itmes": [1]}, r"\{use: tuple, \.\.\.\}: .*'itmes'"),
        ("tuple", {"items": 3}, "its items are a list, not 3"),
        ("tuple", {}, "items"),
        ("set", {"items": [[1]]}, "unhashable"),
        ("dict", {"items": [1]}, "use: dict"),
        ("type", {"name": "os.system"}, "'os.system' is no type of numbers or texts"),
        ("array", {"items": [1], "dtype": "V999", "shape": [1]}, "'V999' is not supported here"),
        ("array", {"items": [1, 2], "dtype": "<f8", "shape": [3]}, "use: array"),
        ("array", {"items": ["a"], "dtype": "<U99999999", "shape": [1]}, "not supported here"),
        ("array", {"items": [], "dtype": "<f8", "shape": [10**9, 0]}, "at most 10000000 bytes"),
        ("array", {"items": ["a"] * 999, "dtype": "<U9999", "shape": [999]}, "at most 10000000"),
        ("array", {"items": 3, "dtype": "<f8", "shape": [1]}, "use: array"),
        ("array", {"items": [3], "dtype": "<f8", "shape": 1}, "use: array"),
        ("array", {"items": [3], "dtype": 3, "shape": [1]}, "use: array"),
        ("slice", {"stops": 3}, "use: slice"),
        ("range", {"start": "a", "stop": 3}, "use: range"),
        ("path", {"name": 3}, "use: path"),
        ("partial", {"func": 3, "args": [], "keywords": {}}, "use: partial"),
        ("distribution", {"name": "os", "args": [], "keywords": {}}, "no distribution 'os'"),
        ("distribution", {"name": "norm", "args": [1, 2, 3], "keywords": {}}, "use: distribution"),
        ("type", {"name": 3}, "use: type"),
        ("number", {"value": "x", "dtype": "<f8"}, "use: number"),
        ("dtype", {"name": "nothing"}, "nothing"),
    ],
)
def test_a_wrong_form_is_refused(form, fields, words):
    with pytest.raises(MethodError, match=words):
        make_value(form, fields)


@pytest.mark.parametrize("value", [object(), 3j, np.ma.array([1]), np.array([3j]), open])
def test_other_values_have_no_form(value):
    assert form_of(value, lambda part, _: part) is None


def test_results_do_not_tell_tuples_and_arrays_from_lists():
    """As ever, `[8]` and `(8,)` are one candidate of a search."""
    grid = [
        {"a": {"use": "tuple", "items": [8, {"use": "tuple", "items": [2]}]}},
        {"a": {"use": "array", "items": [1, 2, 3, 4], "dtype": "<i8", "shape": [2, 2]}},
        {"a": {"use": "number", "value": 0.5, "dtype": "<f4"}},
        {"a": {"use": "svc", "C": 1}},
    ]
    assert without_types(grid) == [
        {"a": [8, [2]]},
        {"a": [[1, 2], [3, 4]]},
        {"a": 0.5},
        {"a": {"use": "svc", "C": 1}},
    ]
