"""Every kind of split that an experiment may ask for has what draws it."""

from __future__ import annotations

import pickle
from dataclasses import fields
from typing import get_args

import pytest

from mlbench.config.splits import KFoldSplits, PublishedSplit, RandomSplits
from mlbench.errors import DataError, MethodError
from mlbench.plan.make_splitter import SPLITTERS, make_splitter
from tests.protocol.splitters.cases import dataset

MINE = """
from dataclasses import dataclass
import numpy as np
from mlbench.protocol.splitters import RowSplitter, TrainTest

@dataclass(frozen=True, kw_only=True)
class Last(RowSplitter):
    n: int = 2

    def divide(self, data, index):
        rows = np.arange(len(data.Y))
        return TrainTest(rows[: -self.n], rows[-self.n :])
"""


@pytest.mark.parametrize("model", [RandomSplits, KFoldSplits, PublishedSplit])
def test_a_splitter_has_the_fields_of_its_model(model):
    (kind,) = get_args(model.model_fields["kind"].annotation)
    names = {field.name for field in fields(SPLITTERS[kind])}
    assert names == set(model.model_fields) - {"kind", "repeats"}


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "my.py").write_text(MINE)
    return tmp_path


def test_a_users_splitter_is_imported_where_it_draws(mine):
    sent = pickle.dumps(make_splitter("my.py:Last", mine, {"n": 3, "seed": 0}))
    (mine / "my.py").write_text("raise SystemExit('ran')")
    splitter = pickle.loads(sent)
    assert splitter.identity(4)["split"]["n"] == 3
    with pytest.raises(MethodError, match="ran"):
        splitter.draw(None, 4)


def test_the_code_of_a_users_splitter_is_part_of_the_identity(mine):
    split = make_splitter("my.py:Last", mine, {"n": 3}).identity(4)["split"]
    (mine / "my.py").write_text(MINE.replace("int = 2", "int = 5"))
    changed = make_splitter("my.py:Last", mine, {"n": 3}).identity(4)["split"]
    assert split.pop("code") != changed.pop("code")
    assert split == changed == {"kind": "my.py:Last", "name": "my.py:Last", "n": 3, "index": 4}


def test_a_row_in_both_parts_is_refused(mine):
    overlapping = MINE.replace("rows[: -self.n]", "rows")
    (mine / "my.py").write_text(overlapping)
    with pytest.raises(DataError, match=r"my.py:Last draws row 7 for the training and"):
        make_splitter("my.py:Last", mine, {"n": 3}).draw(dataset(10), 0)


def test_an_error_in_a_users_check_names_the_class(mine):
    (mine / "my.py").write_text(
        f"{MINE}\n    def check(self, facts, dataset, tuning_folds):\n        return facts.rows\n"
    )
    with pytest.raises(DataError, match=r"birds: my.py:Last: AttributeError: .*rows"):
        make_splitter("my.py:Last", mine, {}).check(None, "birds", 0)
