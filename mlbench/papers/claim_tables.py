"""Judged claims as a table, JSON and CSV."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlbench.number_text import NOTHING, counted, listed, p_in_words
from mlbench.papers.judged_claims import CONTROLS, ClaimOutcome, JudgedClaim
from mlbench.papers.printed_values import PAPERS
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, Tone

TONES: dict[ClaimOutcome, Tone] = {ClaimOutcome.HOLDS: "good", ClaimOutcome.CONTRADICTED: "bad"}
RULE = (
    "Of the comparisons of methods on data sets those count that are controlled: none of the "
    f"audit's checks {', '.join(CONTROLS)} objects, each comparison taken alone, before Holm's "
    "correction. Won and lost are decided by the corrected "
    "t-test with Holm's correction over the claim; p is Wilcoxon's, over distinct data sets."
)
HOLDS = (
    "A claim holds if all are won, or p is below 0.05, few are lost (none of a claim about all, "
    "10 % of one about most) and the method is behind no rival (never, or no more often than "
    "ahead). It is contradicted if p, or that of one rival (Holm), is below 0.05 the other way, "
    "or half are lost (one of a claim about all). With more than half of the comparisons "
    "uncontrolled it is not comparable."
)
UNCHECKED = (
    "A check for which rows lack a number does not object. Where that is so for most comparisons "
    "of a claim that is decided, its outcome names the check as unchecked."
)
JUDGED = (ClaimOutcome.HOLDS, ClaimOutcome.CONTRADICTED, ClaimOutcome.UNDECIDED)
ELSEWHERE = "The report of each paper says where it claims this, and what was left out."
HEADINGS = ("outcome", "ahead", "won", "lost", "of", "p")


@dataclass(frozen=True)
class PaperClaims:
    """The judged claims of a paper."""

    paper: str
    judged: tuple[JudgedClaim, ...]


def claim_table(papers: Sequence[PaperClaims]) -> Table:
    """Return the table of one paper's claims, with remarks on each, or of several papers'."""
    every = [each for paper in papers for each in paper.judged]
    if len(papers) > 1:
        corner, rows = (
            ("Paper", "Claim"),
            [
                TableRow((_authors(paper), each.claim.sentence), _cells(each))
                for paper in papers
                for each in paper.judged
            ],
        )
        notes = [ELSEWHERE]
    else:
        numbered = [*enumerate(papers[0].judged, 1)]
        corner = ("#", "Claim")
        rows = [TableRow((str(i), each.claim.sentence), _cells(each)) for i, each in numbered]
        notes = [f"{i}: {' '.join(map(_sentence, _remarks(each)))}" for i, each in numbered]
    return Table(
        name="claims",
        title="What is claimed, and what controlled comparisons say"
        + ("" if len(papers) > 1 else f" ({_authors(papers[0])})"),
        corner=corner,
        columns=tuple(map(Column, HEADINGS)),
        rows=tuple(rows),
        notes=(*notes, RULE, HOLDS, *([UNCHECKED] if any(map(_unchecked, every)) else [])),
        records=tuple(claim_record(paper, each) for paper in papers for each in paper.judged),
    )


def _authors(paper: PaperClaims) -> str:
    return PAPERS.get(paper.paper, paper.paper).partition(":")[0]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _cells(judged: JudgedClaim) -> tuple[TableCell, ...]:
    words = judged.outcome.value
    if judged.claim.other_data and judged.outcome in JUDGED:
        words += ", other data"
    if unchecked := _unchecked(judged):
        words += f", {listed(unchecked)} unchecked"
    outcome = TableCell(words, is_text=True, tone=TONES.get(judged.outcome, "muted"))
    if not judged.controlled:
        return (outcome, *(TableCell(NOTHING) for _ in HEADINGS[1:]))
    numbers = (judged.ahead, judged.won, judged.lost, len(judged.controlled))
    p = judged.p_over_datasets
    return (
        outcome,
        *(TableCell(str(number)) for number in numbers),
        TableCell(NOTHING if math.isnan(p) else p_in_words(p)),
    )


def _unchecked(judged: JudgedClaim) -> list[str]:
    """Return the checks that most comparisons of a decided claim lack a number for."""
    if judged.outcome not in (ClaimOutcome.HOLDS, ClaimOutcome.CONTRADICTED):
        return []
    return [name for name, n in judged.unjudged.most_common() if 2 * n > len(judged.controlled)]


def _remarks(judged: JudgedClaim) -> list[str]:
    words = [judged.claim.where]
    if judged.claim.not_judged:
        return [*words, f"not judged: {judged.claim.not_judged}"]
    uncontrolled = len(judged.compared) - len(judged.controlled)
    if uncontrolled:
        causes = [f"{name} {n}" for name, n in judged.objections.most_common()]
        of = counted(len(judged.compared), "comparison")
        words.append(f"{uncontrolled} of {of} not controlled: {listed(causes)}")
        if judged.controlled and judged.not_counted:
            words.append(f"no comparison that counts: {listed(judged.not_counted)}")
    if judged.unjudged:
        lacking = [f"{name} on {n}" for name, n in judged.unjudged.most_common()]
        words.append(f"could not be judged, as rows lack a number for it: {listed(lacking)}")
    untested = Counter(each.finding.uncorrected for each in judged.controlled if not each.is_tested)
    words += [f"{n} without a corrected t-test: {why}" for why, n in untested.items()]
    if judged.missing:
        words.append(f"not run: {listed(judged.missing)}")
    if not judged.compared and all(name.startswith("data set ") for name in judged.missing):
        words.append("no folder has both methods on a data set in this metric")
    if judged.claim.other_data:
        words.append(f"on other data: {judged.claim.other_data}")
    return words


def claim_record(paper: PaperClaims, judged: JudgedClaim) -> Mapping[str, Scalar]:
    """Return a judged claim with its numbers."""
    p = judged.p_over_datasets
    return {
        "paper": paper.paper,
        "claim": judged.claim.sentence,
        "where": judged.claim.where,
        "outcome": judged.outcome.value,
        "metric": judged.claim.metric,
        "ahead": judged.ahead,
        "won": judged.won,
        "lost": judged.lost,
        "n": len(judged.controlled),
        "uncontrolled": len(judged.compared) - len(judged.controlled),
        "p": None if math.isnan(p) else p,
        "remarks": "; ".join(_remarks(judged)[1:]),
    }


def claims_as_plain(papers: Sequence[PaperClaims]) -> dict[str, Any]:
    """Return judged claims as JSON values, with each comparison."""
    return {
        "claims": [
            {
                **claim_record(paper, each),
                "comparisons": [
                    {
                        "dataset": one.finding.dataset,
                        "method": one.finding.method,
                        "against": one.finding.against,
                        "lead": one.lead,
                        "p": one.finding.adjusted.get("corrected_t"),
                        "decision": one.decision,
                        "uncontrolled": list(one.uncontrolled),
                    }
                    for one in each.compared
                ],
            }
            for paper in papers
            for each in paper.judged
        ]
    }
