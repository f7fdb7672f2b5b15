"""The conventions of the field for a score that is 0/0, and other readings of a metric, by name.

A label that is absent from a test split and never predicted has no F1: it is 0/0. Tools treat
this case differently, and on data with rare labels the choice moves a macro average by tens of
percent. A `Convention` is one such choice. The name of a metric may state it: ``macro_f1@mulan``.

Two readings are controls: they replace the predicted labels by others before a metric is computed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from mlbench.solvers.arrays import Flags, Floats, Ints


@dataclass(frozen=True)
class Convention:
    """A way to average parts (labels, tasks or samples) of which some are undefined."""

    name: str
    """The text after the ``@`` in a metric's name."""
    title: str
    """The origin of the convention, for a column heading."""
    description: str
    """The rule in a sentence."""
    empty: float = np.nan
    """The value of a part in which nothing is positive and nothing was predicted."""
    one_sided: float = np.nan
    """The value of any other part that is 0/0, such as precision where nothing was predicted, or
    recall where nothing is positive.
    """
    drops: bool = False
    """Whether to leave undefined parts out of the average; then the two values are not used."""
    labels: Literal["predicted", "at the training share", "all positive"] = "predicted"
    """The labels that are compared with the truth."""


SKIP = Convention(
    "skip",
    "undefined parts left out",
    "A part that is 0/0 is left out of the average and counted.",
    drops=True,
)
SKLEARN = Convention(
    "sklearn",
    "scikit-learn",
    "0/0 is 0, the default of scikit-learn; ranking metrics as scikit-learn defines them.",
    empty=0.0,
    one_sided=0.0,
)
MEKA = Convention(
    "meka",
    "MEKA",
    "0/0 is 0, as in MEKA, but 1 in example_jaccard where nothing is positive or predicted.",
    empty=0.0,
    one_sided=0.0,
)
MULAN = Convention(
    "mulan",
    "MULAN",
    "Nothing positive and nothing predicted is perfect, 1; any other 0/0 is 0; "
    "one label without an AUC leaves the average without a value.",
    empty=1.0,
    one_sided=0.0,
)
PAPER = Convention(
    "paper",
    "formula as printed",
    "The formula to the letter: one part that is 0/0 leaves the average without a value.",
)

ALL = Convention(
    "all",
    "unknown ones count as negative",
    "All entries are ranked; those whose truth is not known count as negative, as in Yu et al.",
    drops=True,
)

SHARE = Convention(
    "share",
    "cut at the training share",
    "Of each label the best scores are positive, in the share of positives in training (PCut; "
    "Yang 2001); undefined parts are left out.",
    drops=True,
    labels="at the training share",
)
CONSTANT = Convention(
    "constant",
    "every label for every sample",
    "The value of predicting every label for every sample; no method's scores are used.",
    drops=True,
    labels="all positive",
)

CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {
        convention.name: convention
        for convention in (SKIP, SKLEARN, MEKA, MULAN, PAPER, ALL, SHARE, CONSTANT)
    }
)


def mean_of_defined(values: Floats, defined: Flags) -> float:
    """Return the mean of the defined values, or nan if there are none."""
    count = int(np.count_nonzero(defined))
    return float(values[defined].sum() / count) if count else float("nan")


def mean_with(values: Floats, defined: Flags, fill: float | Floats) -> float:
    """Return the mean of the values, with `fill` in place of undefined ones."""
    return float(np.where(defined, values, fill).mean()) if values.size else float("nan")


def mean_ratio(
    numerator: Ints,
    denominator: Ints,
    empty: Flags,
    convention: Convention,
) -> float:
    """Return the mean over parts of numerator / denominator under a convention.

    Parameters
    ----------
    numerator, denominator : ndarray of shape (p,)
        Counts of the p parts.
    empty : ndarray of shape (p,)
        The parts in which nothing is positive and nothing was predicted.
    convention : Convention
        The rule for 0/0.
    """
    defined = denominator > 0
    values = numerator / np.where(defined, denominator, 1)
    if convention.drops:
        return mean_of_defined(values, defined)
    return mean_with(values, defined, np.where(empty, convention.empty, convention.one_sided))
