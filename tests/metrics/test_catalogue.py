from __future__ import annotations

import pytest

from mlbench.errors import MlbenchError
from mlbench.metrics import get_metric


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("f1", " (did you mean 'macro_f1' or 'micro_f1' or 'example_f1'?)"),
        ("AUC", " (did you mean 'macro_auc' or 'micro_auc'?)"),
        ("accuracy", " (did you mean 'balanced_accuracy' or 'subset_accuracy'?)"),
        ("f1_macro", " (did you mean 'macro_f1'?)"),
        ("hamming", " (did you mean 'hamming_loss'?)"),
        ("makro_f1", " (did you mean 'macro_f1'?)"),
        ("zzz", "; known: macro_f1, micro_f1, example_f1, "),
    ],
)
def test_an_unknown_metric_is_told_with_those_that_may_be_meant(name, meant):
    with pytest.raises(MlbenchError) as refused:
        get_metric(name)
    assert str(refused.value).startswith(f"there is no metric {name!r}{meant}")
