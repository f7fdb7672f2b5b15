from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.hashing import canonical_json, digest, digest_of_parts, random_state, seed_from


def test_one_value_has_one_text():
    assert canonical_json({"b": [1, 2.0], "a": None}) == '{"a":null,"b":[1,2.0]}'
    assert canonical_json({"b": 1, "a": 2}) == canonical_json({"a": 2, "b": 1})
    assert canonical_json("\u00e4") == '"\\u00e4"'


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_exact(value):
    assert repr(json.loads(canonical_json(value))) == repr(value)


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), [float("inf")]])
def test_what_json_has_no_number_for_is_refused(value):
    with pytest.raises(ValueError):
        canonical_json(value)


def test_the_digest_is_sha_256_of_the_text():
    assert digest({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()


def test_the_digest_of_parts_is_that_of_the_whole():
    value = {"tuning": {"grid": [1, 2.0]}, "method": {"name": "br", "b": "\u00e4"}, "folds": None}
    texts = {name: canonical_json(value[name]) for name in ("tuning", "method")}
    assert digest_of_parts(value, texts) == digest_of_parts(value, {}) == digest(value)


def test_a_seed_depends_on_every_axis_its_kind_and_its_place():
    axes = [("a", 1), ("a", "1"), ("a", 2), ("b", 1), (1, "a"), ("a",), ("a1",), ("a", 1, 0)]
    seeds = [seed_from(*names) for names in axes]
    assert len(set(seeds)) == len(axes)
    assert seed_from("a", 1) == seeds[0]
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_streams_are_those_of_yesterday_and_of_every_machine():
    assert seed_from("split", 0, "emotions", 0) == 521659432
    drawn = random_state("split", 0, "emotions", 0).permutation(8)
    assert drawn.tolist() == [
        2,
        4,
        7,
        6,
        3,
        1,
        5,
        0,
    ]


def test_streams_of_different_axes_have_nothing_in_common():
    one, other = (random_state("a", i).randint(0, 2**31, 1000) for i in (0, 1))
    assert len(np.intersect1d(one, other)) == 0
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.15
