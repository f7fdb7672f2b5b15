"""How effect sizes are printed."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from mlbench.comparisons.pairwise_tests import Finding
from mlbench.number_text import NOTHING, ScoreFormat
from mlbench.report.tables.comparison_notes import ODD, levels
from mlbench.report.tables.table import Scalar, TableCell
from mlbench.statistics import ALPHA, Effect

HEADINGS = {
    "rope": "P(better / same / worse)",
    "cohen_d": "d",
    "a12": "A12",
    "cliffs_delta": "Cliff's delta",
}


def effect_heading(effect: str, *alphas: float) -> str:
    """Return the heading of an effect size's column."""
    shares = levels(100 * (1 - alpha) for alpha in alphas or (ALPHA,))
    return HEADINGS.get(effect, f"{shares} % interval")


def effect_cell(effect: Effect, style: ScoreFormat) -> TableCell:
    """Return an effect size as printed; of a difference, its interval."""
    marks = (ODD,) if effect.note else ()
    if effect.name == "difference":
        return TableCell(interval(effect, style), marks=marks)
    if math.isnan(effect.value):
        return TableCell(NOTHING, marks=marks)
    if effect.name == "rope":
        shares = f"{effect.value:.2f} / {effect.same:.2f} / {effect.worse:.2f}"
        return TableCell(shares, marks=marks)
    return TableCell(f"{effect.value:{'' if effect.name == 'a12' else '+'}.2f}", marks=marks)


def interval(effect: Effect, style: ScoreFormat) -> str:
    """Return ``+1.20 to +3.40``."""
    if math.isnan(effect.low):
        return NOTHING
    return f"{style.signed(effect.low)} to {style.signed(effect.high)}"


def notes_on_effects(
    effects: Sequence[str],
    method: str,
    ropes: Sequence[float],
    alphas: Sequence[float],
    tests: Collection[str] = (),
) -> list[str]:
    """Say what each effect size is, and what shared samples do to it."""
    jackknife = " or, where there is one, the jackknife t-test" if "jackknife_t" in tests else ""
    widths = " or ".join(f"{rope:g}" for rope in dict.fromkeys(ropes))
    meanings = {
        "difference": (
            f"{effect_heading('difference', *alphas)}: of the difference, with the variance of the "
            f"corrected t-test{jackknife}; for one method at a time, not corrected for their "
            "number."
        ),
        "rope": (
            f"P: probability that {method} is better by more than {widths}, the same within it, "
            "or worse by more (Bayesian correlated t-test, flat prior; scores as fractions)."
        ),
        "cohen_d": (
            "d: mean difference over the standard deviation of the differences (Cohen's d of "
            "pairs). Splits share samples, so it is larger than over independent experiments."
        ),
        "a12": (
            f"A12: how often a score of {method} is better than one of the other, over "
            "all pairs of splits, ties counting half (Vargha and Delaney). 0.5 is no difference."
        ),
        "cliffs_delta": (
            f"Cliff's delta: how much more often a score of {method} is better than "
            "worse, over all pairs of splits. 0 is no difference, +1 always better."
        ),
    }
    return [meanings[effect] for effect in effects]


def effect_records(finding: Finding) -> list[dict[str, Scalar]]:
    """Return the unrounded effect sizes of a finding."""
    return [
        {
            "dataset": finding.dataset,
            "metric": finding.metric,
            "method": finding.method,
            "against": finding.against,
            "effect": name,
            "value": effect.value,
            "low": effect.low,
            "high": effect.high,
            **({"same": effect.same, "worse": effect.worse} if name == "rope" else {}),
            "n_pairs": effect.n,
            "n_splits": finding.n_splits,
            "note": effect.note,
        }
        for name, effect in finding.effects.items()
    ]
