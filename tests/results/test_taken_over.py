"""Cells of exports count in a results folder like its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.cli.export_folder import write_folder
from mlbench.errors import StoreError
from mlbench.results import open_results
from mlbench.results.exported import folder_texts
from mlbench.results.taken_over import TakenOver, read_taken_over, sealed, with_taken_over
from mlbench.store import Store
from mlbench.store.store import TAKEN_OVER

SCORES = {"A": [0.5, 0.6, 0.7], "B": [0.4, "timeout", 0.9], "C": [0.1, 0.2, 0.3]}


@pytest.fixture
def kept(make_folder, tmp_path):
    write_folder(make_folder(SCORES), tmp_path / "kept")
    return tmp_path / "kept"


def taken(kept: Path, *methods: str, splits=(0, 1, 2), is_base=True) -> TakenOver:
    cells = [("toy", method, split) for method in methods for split in splits]
    return TakenOver.of_export(kept, folder_texts(kept), cells, is_base)


def test_some_cells_are_chosen(kept):
    part = taken(kept, "A", "B", splits=(1, 2))
    assert part.origin.methods == ("A", "B")
    assert part.origin.counts == {"ok": 3, "timeout": 1}
    assert part.origin.versions == {"mlbench": ("0.1.0",), "numpy": ("2.4.6",)}
    assert part.results.scores_of().scores("toy", "B", "macro_f1") == {2: 0.9}


def test_they_are_read_as_they_were_written(kept, tmp_path):
    part = taken(kept, "B")
    (tmp_path / TAKEN_OVER).write_text(sealed([part]))
    (again,) = read_taken_over(tmp_path)
    assert (again.origin, again.texts) == (part.origin, part.texts)


@pytest.mark.parametrize("text", ["", "{}", '{"sha256": 1, "taken_over": [{}]}', "[" * 10**5])
def test_a_damaged_file_is_refused(tmp_path, text):
    (tmp_path / TAKEN_OVER).write_text(text)
    with pytest.raises(StoreError, match=r"taken-over\.json: damaged: "):
        read_taken_over(tmp_path)


def test_an_altered_file_is_refused(kept, tmp_path):
    (tmp_path / TAKEN_OVER).write_text(sealed([taken(kept, "B")]).replace("0.4", "0.9"))
    with pytest.raises(StoreError, match="does not match its hash"):
        read_taken_over(tmp_path)


def test_methods_of_others_and_ones_own_are_one_result(kept, make_folder):
    own = make_folder({"C": SCORES["C"]})
    merged, whole = with_taken_over(own, [taken(kept, "A", "B")]), make_folder(SCORES)
    assert merged.methods == whole.methods
    assert merged.cells == whole.cells
    assert merged.counts == whole.counts
    assert merged.scores().equals(whole.scores())
    assert merged.scores_of().failures("toy", "B", "macro_f1") == (("timeout", 1),)
    assert merged.origins == {"A": (label := f"trial, {today(kept)}"), "B": label, "C": None}


def test_the_versions_of_what_stands_on_another_are_those_of_its_own_rows(
    kept, make_folder, tmp_path
):
    own = make_folder({"C": SCORES["C"]}, environment={"mlbench": "0.3.0", "numpy": "2.5.0"})
    write_folder(with_taken_over(own, [taken(kept, "A")]), tmp_path / "second")
    part = taken(tmp_path / "second", "A", "C")
    assert part.origin.versions == {"mlbench": ("0.3.0",), "numpy": ("2.5.0",)}


def test_the_experiments_own_cells_have_no_origin(kept, make_folder):
    own = make_folder({"A": [..., ..., 0.7]})
    merged = with_taken_over(
        make_folder({"A": [0.5, ..., ...]}), [taken(kept, "A", splits=(1, 2), is_base=False)]
    )
    assert merged.origins == {"A": None}
    assert own.methods == merged.methods


def test_a_method_of_ones_own_that_is_anothers_keeps_its_scores(kept, make_folder):
    part = taken(kept, "A")
    own = make_folder({"A": [0.55, 0.65, 0.75]})
    named = own.plan.model_copy(
        update={
            "cells": tuple(cell._replace(method="mine") for cell in own.cells),
            "methods": ("mine",),
            "experiment": own.plan.experiment.model_copy(
                update={"methods": {"mine": own.plan.experiment.methods["A"]}}
            ),
        }
    )
    merged = with_taken_over(type(own)(own.path, named, own.rows), [part])
    scores = merged.scores_of()
    assert scores.scores("toy", "A", "macro_f1") == {0: 0.5, 1: 0.6, 2: 0.7}
    assert scores.scores("toy", "mine", "macro_f1") == {0: 0.55, 1: 0.65, 2: 0.75}


def test_a_folder_whose_file_is_damaged_shows_its_own_cells(kept, make_folder, tmp_path):
    own, part = make_folder({"C": SCORES["C"]}), taken(kept, "A")
    plan = own.plan.model_copy(update={"taken_over": (part.origin,)})
    store = Store(tmp_path / "run")
    store.write_plan(plan.as_plain(), "", taken_over_text=sealed([part]))
    for row in own.rows.values():
        store.write_row(row)
    assert open_results(store.root).methods == ("A", "C")
    (store.root / TAKEN_OVER).write_text("torn")
    found = open_results(store.root)
    assert found.methods == ("C",)
    assert "takes the cells over anew" in found.damaged[store.root / TAKEN_OVER]


def test_a_plan_without_them_removes_the_file(kept, make_folder, tmp_path):
    own, part = make_folder({"C": SCORES["C"]}), taken(kept, "A")
    store = Store(tmp_path / "run")
    store.write_plan(own.plan.as_plain(), "", taken_over_text=sealed([part]))
    store.write_plan(own.plan.as_plain(), "")
    assert not (store.root / TAKEN_OVER).exists()


def today(kept: Path) -> str:
    return open_results(kept).rows and taken(kept, "A").origin.date
