"""Tables say how many labels a macro average left out."""

from mlbench.report.tables.undefined_labels import notes_on_labels
from mlbench.store import Row
from tests.rows import make_row


def row(scored: int, skipped: int, status: str = "ok") -> Row:
    counts = {"labels": 53, "labels_scored_auc": scored, "labels_skipped_f1": skipped}
    return make_row(status=status, counts=counts)


def test_ranges_are_over_splits_and_methods_and_failures_do_not_count():
    cells = [("enron", "A", 0, "a0"), ("enron", "A", 1, "a1"), ("enron", "B", 0, "b0")]
    cells += [("emotions", "A", 0, "e0"), ("enron", "B", 1, "missing")]
    rows = {"a0": row(50, 1), "a1": row(47, 0), "b0": row(0, 9, "timeout"), "e0": row(53, 0)}
    assert notes_on_labels(["macro_auc", "micro_f1", "macro_f1"], cells, rows) == [
        "Macro AUC leaves out labels with one class in a test part: enron 3 to 6 of 53.",
        "Macro F1 leaves out labels that are neither in a test part nor predicted there: "
        "enron 0 to 1 of 53.",
    ]


def test_nothing_is_said_where_nothing_was_left_out():
    assert notes_on_labels(["macro_auc"], [("e", "A", 0, "k")], {"k": row(53, 0)}) == []


def test_labels_with_a_common_threshold_are_counted_where_the_policy_has_some():
    cells = [("enron", "A", 0, "a0"), ("enron", "A", 1, "a1"), ("enron", "B", 0, "b0")]
    counts = [{"labels_with_common_threshold": 9}, {"labels_with_common_threshold": 12}, {}]
    rows = {
        key: make_row(counts={"labels": 53, **more})
        for (*_, key), more in zip(cells, counts, strict=True)
    }
    assert notes_on_labels(["micro_f1"], cells, rows) == [
        "A common threshold for labels with fewer than 5 positives in training, or whose own has "
        "an F1 below 0.3 on held-out scores: enron 9 to 12 of 53."
    ]
    assert notes_on_labels(["micro_f1"], cells[2:], rows) == []
