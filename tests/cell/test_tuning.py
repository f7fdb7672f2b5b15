"""The search for parameters: recalled, shared, ended early."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlbench.store import EarlyStop, UndefinedScores, to_plain
from tests.cell.cases import BR, Memory, cells, make_dataset, run, without_times


def test_a_search_that_is_recalled_gives_what_one_done_again_gives():
    dataset = make_dataset()
    tuning = {"folds": 3, "scope": "first-split"}
    first, second, _ = cells(dataset, BR, threshold="cv_f1_label", tuning=tuning)
    searches = Memory()
    kept = run(first, dataset, searches).tuning
    assert list(searches.values()) == [to_plain(kept)]
    recalled = run(second, dataset, searches)
    again = run(second, dataset)
    assert without_times(recalled) == without_times(again)
    assert recalled.tuning.split == 0
    ((name, _),) = searches.items()
    other = (kept.best + 1) % 3
    shared = Memory({name: {**to_plain(kept), "best": other}})
    assert run(second, dataset, shared).params == kept.grid[other]

    own = run(cells(dataset, BR)[1], dataset, searches)
    assert own.tuning.split == 1
    assert own.tuning.scores != kept.scores
    assert len(searches) == 1, "a search of one split alone is not shared"


@pytest.mark.parametrize("scope", ["every-split", "first-split"])
def test_methods_that_differ_in_their_thresholds_share_the_search(scope):
    dataset = make_dataset()
    others = {"B": {**BR, "threshold": "train_f1_label"}, "C": {**BR, "scoring": "micro_auc"}}
    tuning = {"folds": 3, "scope": scope}
    planned = {
        (cell.method, cell.split): cell for cell in cells(dataset, BR, others=others, tuning=tuning)
    }
    searches = Memory()
    default = run(planned["A", 1], dataset, searches)
    ((name, kept),) = searches.items()
    chosen = run(planned["B", 1], dataset, searches)
    assert chosen.tuning == default.tuning
    assert to_plain(chosen.tuning) == kept
    assert chosen.params == default.params
    assert without_times(chosen) == without_times(run(planned["B", 1], dataset))

    other = (kept["best"] + 1) % 3
    changed = Memory({name: {**kept, "best": other}})
    assert run(planned["B", 1], dataset, changed).params == kept["grid"][other]
    run(planned["C", 1], dataset, changed)
    assert len(changed) == (2 if scope == "first-split" else 1)  # C's splits share, or are alone
    assert changed[name]["best"] == other


def test_a_search_keeps_the_scores_by_every_metric_of_the_experiment():
    dataset = make_dataset()
    shown = ["misclassification", "macro_f1", "auc_tie_share", "precision_at_2"]
    cell = cells(dataset, BR, metrics=shown)[0]
    found = run(cell, dataset).tuning
    assert found.metric == "macro_f1"
    assert list(found.also) == ["hamming_loss", "precision_at_2"]  # a share of ties judges nothing
    by_loss = cells(dataset, {**BR, "scoring": "hamming_loss"}, metrics=shown)[0]
    alone = run(by_loss, dataset).tuning.scores
    np.testing.assert_allclose(found.also["hamming_loss"], alone, rtol=5e-6)
    assert cells(dataset, BR, metrics=["macro_f1", "precision_at_2"])[0].key == cell.key


def test_a_search_with_patience_says_where_it_stopped():
    dataset = make_dataset(n=60)
    grid = {"C": [100.0, 10.0, 1.0, 0.1, 0.01, 0.001, 1e-4]}  # the second one is a gain
    method = {**BR, "tune": grid}
    whole, stopped = (
        run(cells(dataset, method, tuning={"folds": 3, **patience})[0], dataset).tuning
        for patience in ({}, {"patience": 1})
    )
    after = stopped.stopped.after
    assert stopped.stopped == EarlyStop(after=after, of=7, patience=1)
    assert 2 <= after < 7
    assert stopped.scores == whole.scores[:after] + [[None] * 3] * (7 - after)
    assert whole.stopped is None


def test_a_search_without_a_score_says_so_wherever_it_is_recalled(tmp_path):
    """Nothing is known of a user's scores before they are computed."""
    (tmp_path / "margins.py").write_text(
        "from sklearn.linear_model import RidgeClassifier\n\n\n"
        "class Margins(RidgeClassifier):\n    pass\n"
    )
    dataset = make_dataset(k=1)
    method = {"use": "margins.py:Margins", "tune": {"alpha": [0.1, 1.0]}}
    tuning = {"folds": 3, "scoring": "log_loss", "scope": "first-split"}
    searches = Memory()
    for cell in cells(dataset, method, tmp_path, tuning=tuning)[:2]:
        result = run(cell, dataset, searches)
        assert result.tuning.undefined == UndefinedScores(scores=6, of=6)
        assert result.tuning.best == 0
        assert any("log_loss was undefined for every candidate" in w for w in result.warnings)


def test_parameters_of_an_earlier_run_give_what_its_search_gave():
    dataset = make_dataset()
    for cell in cells(dataset, BR, threshold="cv_f1_label"):
        searched = run(cell, dataset)
        chosen = cell.tuning.candidate(searched.tuning.best)
        repeated = run(replace(cell, tuning=None, chosen=chosen), dataset)
        assert repeated.tuning is None
        assert without_times(repeated) == without_times(replace(searched, tuning=None))
