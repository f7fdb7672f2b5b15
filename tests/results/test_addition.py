"""What may stand beside the series of a published folder, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import MlbenchError
from mlbench.hashing import digest
from mlbench.results.addition import plan_addition
from mlbench.results.results import Results
from tests.plans import FACTS, make_plan
from tests.rows import make_row

LIMITS = {"time": 60}


def results(scores, methods=None, repeats=3, path="run", **experiment):
    """Results with a list of scores for each data set and method: a score, a failure, or None."""
    facts, cells, rows = {}, [], {}
    settings = {name: {"use": "br"} for _, name in scores} | (methods or {})
    protocol = {"splits": {"repeats": repeats}, **experiment.pop("protocol", {})}
    for (dataset, method), values in scores.items():
        facts[dataset] = fact = replace(FACTS, fingerprint=digest(dataset))
        for split, value in enumerate(values):
            own = settings[method]
            identity = {
                "revision": experiment.get("revision", 3),
                "dataset": {"name": dataset, "fingerprint": fact.fingerprint},
                "split": {"kind": "random", "seed": 0, "index": split},
                "preprocess": own.get("preprocess", []),
                "method": {"name": method, "revision": own.get("revision", 1)},
                "tuning": None,
                "threshold": own.get("threshold", "default"),
            }
            key = digest(identity)
            cells.append((dataset, method, split, key))
            if value is not None:
                failed = isinstance(value, str)
                rows[key] = make_row(
                    key=key,
                    dataset=dataset,
                    method=method,
                    split=split,
                    status=value if failed else "ok",
                    metrics={} if failed else {"macro_f1": value},
                    identity=identity,
                )
    experiment.pop("revision", None)
    settings = {
        name: {k: v for k, v in own.items() if k != "revision"} for name, own in settings.items()
    }
    plan = make_plan(
        [*facts], settings, repeats, cells, facts, protocol=protocol, limits=LIMITS, **experiment
    )
    return Results(Path(path), plan, rows, "export")


THERE = results(
    {
        ("emotions", "A"): [0.1, 0.2, 0.3],
        ("emotions", "B"): [0.4, "timeout", None],
        ("scene", "A"): [0.7, 0.8, 0.9],
    },
    path="kept",
)


def added(new, **options):
    """Return the only part, against the folder above."""
    (part,) = plan_addition(THERE, new, ["macro_f1"], **options).parts
    return part


def test_series_and_splits_that_the_folder_lacks_are_added():
    new = results({("emotions", "B"): [0.0, "error", 0.6], ("scene", "B"): [None, 0.5, 0.6]})
    found = plan_addition(THERE, new, ["macro_f1"])
    told = [(part.dataset, part.added, part.left, part.refused) for part in found.parts]
    assert told == [("emotions", (2,), (), ""), ("scene", (1, 2), (), "")]
    merged = found.merged
    cells = {cell[:3]: merged.rows.get(cell.key) for cell in merged.cells}
    assert [*cells] == [(d, m, s) for d in ("emotions", "scene") for m in "AB" for s in range(3)]
    values = {place: row.metrics.get("macro_f1", row.status) for place, row in cells.items() if row}
    assert values["emotions", "B", 0] == 0.4
    assert values["emotions", "B", 1] == "timeout"
    assert values["scene", "B", 2] == 0.6
    assert ("scene", "B", 0) not in values


def test_cells_that_failed_stay_unless_asked_for():
    new = results({("emotions", "B"): [0.4, 0.5, None]})
    assert (added(new).taken, added(new).left) == ((), (1,))
    found = plan_addition(THERE, new, ["macro_f1"], replace_failed=True)
    assert found.parts[0].replaced == (1,)
    assert found.merged.counts == {"ok": 8, "missing": 4}
    failed = results({("emotions", "B"): [0.4, "error", None]})
    assert added(failed, replace_failed=True).taken == ()


def test_a_new_data_set_and_a_new_method_come_last_or_in_the_order_of_the_whole():
    new = results({("birds", "C"): [0.1, 0.2, 0.3], ("emotions", "C"): [0.1, 0.2, 0.3]})
    found = plan_addition(THERE, new, ["macro_f1"])
    merged = found.merged
    assert (merged.datasets, merged.methods) == (("emotions", "scene", "birds"), ("A", "B", "C"))
    assert len(merged.cells) == 3 * 3 * 3
    whole = results({(name, "C"): [0.1] for name in ("birds", "yeast", "scene")}).plan.experiment
    merged = replace(found, whole=whole).merged
    assert (merged.datasets, merged.methods) == (("birds", "scene", "emotions"), ("C", "A", "B"))
    assert [each.display for each in merged.plan.experiment.datasets] == [*merged.datasets]
    assert [*merged.plan.experiment.methods] == [*merged.methods]


def test_pairs_that_are_not_run_stay_left_out_until_they_ran():
    own = {"B": {"use": "br", "not_on": ["birds", "scene"]}}
    new = results({("birds", "A"): [0.1, 0.2, 0.3], ("emotions", "B"): [None, None, 0.6]}, own)
    merged = plan_addition(THERE, new, ["macro_f1"]).merged
    assert merged.plan.experiment.methods["B"].not_on == ["birds"]  # on scene it is asked for
    assert len(merged.cells) == 3 * 3 * 2 - 3
    new = results({("birds", "B"): [0.1, None, None]}, {"B": {"use": "br"}})
    again = plan_addition(merged, new, ["macro_f1"]).merged
    assert again.plan.experiment.methods["B"].not_on == []
    assert len(again.cells) == 3 * 3 * 2


def test_fewer_repeats_are_a_part_and_more_are_left_out():
    assert added(results({("scene", "B"): [0.1]}, repeats=1)).added == (0,)
    more = added(results({("scene", "B"): [0.1] * 5}, repeats=5))
    assert (more.added, more.beyond) == ((0, 1, 2), (3, 4))


@pytest.mark.parametrize(
    ("experiment", "told"),
    [
        ({"protocol": {"tuning": {"folds": 3}}}, "protocol.tuning.folds: 3 here, 5 there"),
        ({"protocol": {"preprocess": "minmax"}}, "protocol.preprocess: [minmax] here, [] there"),
        ({"threads": 2}, "threads: 2 here, 1 there"),
        ({"revision": 2}, "revision: 2 here, 3 there"),
    ],
)
def test_another_protocol_is_refused_by_name(experiment, told):
    with pytest.raises(MlbenchError, match="run: follows another protocol than kept") as caught:
        plan_addition(THERE, results({("scene", "B"): [0.1]}, **experiment), ["macro_f1"])
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ({"threshold": "cv_f1_label"}, "threshold: cv_f1_label here, default there"),
        ({"preprocess": ["standardize"]}, "preprocess: [standardize] here, [] there"),
        ({"scoring": "macro_auc"}, "scoring: macro_auc here, macro_f1 there"),
        ({"draws": 5}, "draws: "),
        ({"limits": {"time": 3600}}, "limits: "),
    ],
)
def test_a_method_that_departs_from_the_protocol_is_refused(method, told):
    part = added(results({("scene", "C"): [0.1]}, {"C": {"use": "br", **method}}))
    assert part.refused.startswith("departs from the folder's protocol: ")
    assert (told in part.refused, part.taken) == (True, ())
    assert not added(
        results({("scene", "C"): [0.1]}, {"C": {"use": "br", "limits": LIMITS}})
    ).refused


def test_what_the_whole_experiment_states_is_no_departure():
    own = {"C": {"use": "br", "threshold": "cv_f1_label"}}
    new = results({("scene", "C"): [0.1]}, own)
    assert added(new, whole=new.plan.experiment).added == (0,)
    other = results({("scene", "C"): [0.1]}, {"C": {"use": "br", "scoring": "macro_auc"}})
    refused = added(new, whole=other.plan.experiment).refused
    assert refused.startswith("the whole experiment has another method of this name: ")


def test_a_method_that_departs_there_in_the_same_way_is_the_same():
    own = {"B": {"use": "br", "threshold": "cv_f1_label"}}
    there = results({("emotions", "B"): [0.1], ("scene", "A"): [0.1]}, own)
    (part,) = plan_addition(there, results({("scene", "B"): [0.2]}, own), ["macro_f1"]).parts
    assert (part.added, part.refused) == ((0,), "")


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ({"use": "mlknn"}, "use: mlknn here, br there"),
        ({"use": "br", "base": "logistic"}, "base: logistic here, null there"),
        ({"use": "br", "revision": 2}, "method.revision: 2 here, 1 there"),
    ],
)
def test_another_method_of_the_same_name_is_refused(method, told):
    part = added(results({("birds", "A"): [0.1]}, {"A": method}))
    assert part.refused.startswith("another method of this name is there: ")
    assert told in part.refused


def test_all_reasons_are_told_at_once():
    own = {"use": "mlknn", "threshold": "cv_f1_label"}
    part = added(results({("birds", "A"): [0.1]}, {"A": own}))
    assert part.refused.startswith("another method of this name is there: ")
    assert part.refused.endswith(
        "; it departs from the folder's protocol, too: threshold: cv_f1_label here, default there"
    )


def test_other_data_of_the_same_name_are_refused():
    new = results({("scene", "B"): [0.1]})
    (key,) = new.rows
    row = new.rows[key]
    other = {**row.identity, "dataset": {"name": "scene", "fingerprint": "a" * 64}}
    part = added(replace(new, rows={key: replace(row, identity=other)}))
    assert part.refused.startswith("other data or splits: dataset.fingerprint: aaaa")


def test_series_without_a_metric_of_the_folder_are_refused():
    new = results({("scene", "B"): ["error", 0.1]})
    (part,) = plan_addition(THERE, new, ["macro_f1", "micro_f1"]).parts
    assert part.refused == "split 1 has no micro_f1"


def test_facts_of_data_sets_come_with_them():
    merged = plan_addition(THERE, results({("birds", "A"): [0.1]}), ["macro_f1"]).merged
    assert isinstance(merged.plan.datasets["birds"], DatasetFacts)
    assert merged.plan.datasets["birds"].fingerprint == digest("birds")


def test_results_under_a_higher_limit_are_refused():
    """As after a run with --set limits.time=..., and one without it, which runs nothing."""
    new = results({("scene", "C"): [0.1, 0.2]})
    slow = {key: replace(row, seconds={"total": 75.0}) for key, row in new.rows.items()}
    assert not added(new).refused
    assert added(replace(new, rows=slow)).refused == (
        "split 0 took 75 s, and `limits.time` is 60 s: it ran under a higher limit, or in several "
        "tries"
    )
