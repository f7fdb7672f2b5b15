from __future__ import annotations

import pytest

from mlbench.check import compare_with_reference, reference_of, updated
from mlbench.check.compare import change_of_series
from mlbench.errors import StoreError
from mlbench.results.results import Results
from tests.plans import make_plan
from tests.results.conftest import HERE


def test_cells_that_were_there_and_are_not_are_lost(check, ten):
    then = {"A": ten, "B": ten, "C": ten}
    now = {"A": [..., *ten[1:9], "timeout"], "B": ten[:8]}
    found = check(then, now)
    assert [str(each) for each in found.lost] == [
        "toy/A, split 0: missing",
        "toy/A, split 9: failed (timeout): m",
        "toy/B, splits 8, 9: no longer part of the experiment",
        "toy/C, splits 0 to 9: no longer part of the experiment",
    ]
    assert [each.planned for each in found.lost] == [True, True, False, False]
    assert [(each.verdict, each.pairs) for each in found.numbers] == [
        ("same", 8),
        ("same", 8),
        ("missing", 0),
    ]


def test_a_folder_without_any_rows_has_lost_all(check, ten):
    found = check({"A": ten}, {"A": [...] * 10})
    assert [str(each) for each in found.lost] == ["toy/A, splits 0 to 9: missing"]
    assert found.numbers[0].verdict == "missing"


def test_cells_that_failed_in_the_reference_are_not_asked_for(check, ten):
    found = check({"A": ["error", *ten[1:]]}, {"A": ["error", *ten[1:]]})
    assert (found.lost, found.numbers[0].verdict) == ((), "same")
    assert check({"A": ["error"]}, {"A": [0.5]}).numbers[0].verdict == "new"
    neither = check({"A": ["error"]}, {"A": ["error"]})
    assert (neither.numbers[0].verdict, neither.is_all_the_same) == ("failed", True)


def test_methods_that_the_reference_does_not_have_are_new(check, ten):
    found = check({"A": ten}, {"A": ten, "B": ten})
    assert [(each.method, each.verdict) for each in found.numbers] == [("A", "same"), ("B", "new")]


def test_it_says_what_changed_in_the_environment_and_in_the_identity(check, ten, elsewhere):
    found = check({"A": ten}, {"A": ten}, environment=elsewhere, code="2")
    (change,) = found.changes
    assert change.environment == (("numpy", "2.4.6", "2.5.0"),)
    assert change.identity == ()
    assert [name for name, *_ in change.code] == ["A"]


def test_code_of_another_revision_is_no_code_that_changed(check, ten):
    (change,) = check({"A": ten}, {"A": ten}, code="2", revision=2).changes
    assert [name for name, *_ in change.identity] == ["method.revision"]
    assert change.code == ()


def test_code_that_one_side_alone_has_did_not_change(check, ten):
    assert check({"A": ten}, {"A": ten}, code={"base of A": "2"}).changes == ()


def test_how_busy_the_machine_was_is_no_other_environment(check, ten, elsewhere):
    busy = {**HERE, "processor": "Xeon", "jobs": "2"}
    found = check({"A": ten}, {"A": [0.5, *ten[1:]]}, environment=busy)
    assert found.changes == ()
    assert found.numbers[0].why == "same key, same environment, other bits on split 0"


def test_another_experiment_is_refused(check, ten):
    with pytest.raises(StoreError, match="the reference is of 'trial'"):
        check({"A": ten}, {"A": ten}, name="other")


def test_splits_that_the_reference_does_not_have_are_listed(check, ten):
    found = check({"A": ten[:5], "B": ten[:8]}, {"A": ten, "B": [*ten[:8], "error", ...]})
    assert [str(each) for each in found.added] == [
        "toy/A, splits 5 to 9: not in the reference",
        "toy/B, split 8: not in the reference, and failed (error)",
        "toy/B, split 9: not in the reference, and not run",
    ]
    assert {number.verdict for number in found.numbers} == {"same"}
    assert not found.is_all_the_same


def test_strictly_more_splits_move_a_number(make_folder, ten):
    reference = reference_of(make_folder({"A": ten[:8], "B": ten}))
    found = compare_with_reference(reference, make_folder({"A": ten, "B": ten}), is_strict=True)
    assert [number.verdict for number in found.numbers] == ["moved", "same"]
    assert found.numbers[0].why == "what it depends on has changed: splits 8 -> 10"
    on_data = compare_with_reference(
        reference, make_folder({"A": ten, "B": ten}), is_strict_on_data=True
    )
    assert (on_data.exit_code, on_data.is_strict_on_data) == (0, True)


def test_strictly_a_number_that_moved_by_itself_keeps_its_reason(make_folder, ten):
    then = reference_of(make_folder({"A": ten, "B": ten}))
    now = make_folder({"A": [score + 0.1 for score in ten], "B": ten}, revision=2)
    found = compare_with_reference(then, now, is_strict=True)
    assert [number.why for number in found.numbers] == [
        "significant",
        "what it depends on has changed: method.revision",
    ]


def test_strict_on_data_other_code_does_not_move_a_number_and_other_splits_do(make_folder, ten):
    reference = reference_of(make_folder({"A": ten}))
    for change, verdict in (({"revision": 2}, "same"), ({"seed": 1}, "moved")):
        folder = make_folder({"A": ten}, **change)
        found = compare_with_reference(reference, folder, is_strict_on_data=True)
        assert [number.verdict for number in found.numbers] == [verdict], change


def test_strictly_new_numbers_fail(make_folder, ten):
    reference, folder = reference_of(make_folder({"A": ten})), make_folder({"A": ten, "B": ten})
    assert compare_with_reference(reference, folder).exit_code == 0
    assert compare_with_reference(reference, folder, is_strict_on_data=True).exit_code == 0
    assert compare_with_reference(reference, folder, is_strict=True).exit_code == 3


def test_cells_that_failed_in_both_are_told(make_folder, ten):
    folder = make_folder({"A": [*ten[:8], "error", "timeout"]})
    found = compare_with_reference(reference_of(folder), folder)
    assert [str(each) for each in found.failed] == [
        "toy/A, splits 8, 9: failed in the reference, and again"
    ]
    assert found.exit_code == 0


def test_a_new_method_that_fails_is_listed(check, ten):
    found = check({"A": ten[:2]}, {"A": ten[:2], "B": ["crash", 0.5], "C": [..., ...]})
    assert [str(each) for each in found.added] == [
        "toy/B, split 0: not in the reference, and failed (crash)",
        "toy/C, splits 0, 1: not in the reference, and not run",
    ]


def test_then_now_and_difference_are_over_the_splits_of_both(check, ten):
    found = check({"A": ten[:8]}, {"A": [score + 0.02 for score in ten]})
    (number,) = found.numbers
    assert (number.then.n, number.now.n) == (8, 8)
    assert number.now.mean - number.then.mean == pytest.approx(number.difference)


def test_cells_that_failed_and_have_a_result_now_are_new(make_folder, ten):
    reference = reference_of(make_folder({"A": [*ten[:9], "timeout"]}))
    folder = make_folder({"A": ten})
    found = compare_with_reference(reference, folder, is_strict=True)
    assert [str(each) for each in found.added] == [
        "toy/A, split 9: failed in the reference (timeout), and ok now"
    ]
    assert (found.exit_code, found.is_all_the_same) == (0, False)
    after = updated(reference, reference_of(folder), found, "a flag away")
    assert compare_with_reference(after, folder).is_all_the_same


def test_cells_that_failed_and_have_not_run_now_are_lost(make_folder, ten):
    reference = reference_of(make_folder({"A": [*ten[:9], "timeout"]}))
    found = compare_with_reference(reference, make_folder({"A": [*ten[:9], ...]}))
    assert [str(each) for each in found.lost] == [
        "toy/A, split 9: missing, and failed in the reference (timeout)"
    ]
    assert found.exit_code == 1


def test_two_series_that_have_exchanged_their_names(make_folder, ten):
    folder = make_folder({"A": ten, "B": [score / 2 for score in ten]})
    names = {"A": "B", "B": "A"}
    cells = [(cell.dataset, names[cell.method], cell.split, cell.key) for cell in folder.cells]
    plan = make_plan(["toy"], ["A", "B"], 10, cells, name="trial", metrics=["macro_f1"])
    exchanged = Results(folder.path, plan, folder.rows)
    found = compare_with_reference(reference_of(folder), exchanged)
    assert {*found.renamed} == {("toy/A", "toy/B"), ("toy/B", "toy/A")}
    assert (found.exit_code, found.added, found.lost) == (3, (), ())
    assert compare_with_reference(reference_of(folder), folder).renamed == ()


@pytest.mark.parametrize(
    ("before", "added"), [(10, []), (8, ["toy/B, splits 8, 9: not in the reference"])]
)
def test_a_series_with_keys_of_a_lost_one_was_renamed(make_folder, ten, before, added):
    reference = reference_of(make_folder({"A": ten[:before]}))
    folder = make_folder({"A": ten})
    cells = [(cell.dataset, "B", cell.split, cell.key) for cell in folder.cells]
    plan = make_plan(["toy"], ["B"], 10, cells, name="trial", metrics=["macro_f1"])
    found = compare_with_reference(reference, Results(folder.path, plan, folder.rows))
    assert found.renamed == (("toy/A", "toy/B"),)
    assert found.exit_code == 1
    assert [str(each) for each in found.added] == added
    for name in ("A", "B"):
        renamed = Results(folder.path, plan, folder.rows)
        part = compare_with_reference(reference, renamed, methods=[name])
        assert part.renamed == found.renamed
    now = reference_of(Results(folder.path, plan, folder.rows))
    (entry,) = updated(reference, now, found, "a better name").history
    assert entry.moved == [
        *(each.replace("not in the reference", "added") for each in added),
        "toy/A is called toy/B",
    ]


def test_a_parameter_that_is_written_otherwise_is_a_change(make_folder, ten):
    folder = make_folder({"A": ten})
    reference = reference_of(folder)
    (then,) = reference.series
    identity = {**then.identity, "method": {**then.identity["method"], "params": {"alpha": 1}}}
    series = then.model_copy(update={"identity": identity})
    old = reference.model_copy(update={"series": [series]})
    decimal = {**identity, "method": {**identity["method"], "params": {"alpha": 1.0}}}
    new = series.model_copy(update={"identity": decimal})
    change = change_of_series(series, new, old, reference)
    assert change.identity == (("method.params.alpha", 1, 1.0),)


def test_the_number_of_rows_is_told_beside_a_changed_fingerprint(make_folder, ten):
    def series(fingerprint, samples):
        (found,) = (reference := reference_of(make_folder({"A": ten}))).series
        identity = {**found.identity, "dataset": {"name": "toy", "fingerprint": fingerprint}}
        return found.model_copy(update={"identity": identity, "samples": samples}), reference

    def changes(then, now):
        (old, before), (new, after) = series(*then), series(*now)
        return [what for what, *_ in change_of_series(old, new, before, after).identity]

    assert changes(("a", 240), ("b", 215)) == ["dataset.fingerprint", "dataset.samples"]
    assert changes(("a", 240), ("b", 240)) == ["dataset.fingerprint"]
    assert changes(("a", None), ("b", 215)) == ["dataset.fingerprint"]
