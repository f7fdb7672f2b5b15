"""Every kind of split that an experiment may ask for has what draws it."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

import pytest

from mlbench.config.splits import Splits
from mlbench.plan.make_splitter import SPLITTERS


@pytest.mark.parametrize("model", get_args(Splits))
def test_a_splitter_has_the_fields_of_its_model(model):
    splitter = SPLITTERS[model]
    names = {field.name for field in fields(splitter)}
    assert names == set(model.model_fields) - {"kind", "repeats"}
    (kind,) = get_args(model.model_fields["kind"].annotation)
    assert splitter.kind == kind
