"""Where scores are cut: leads that are of the cut and not of the scores."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mlbench.audit.distances import title_of
from mlbench.audit.facts import AREA, TIES, ComparedMethod, Facts
from mlbench.audit.handicaps import Handicap, departs, handicaps
from mlbench.audit.pairs import SHARE, Pair, control_of
from mlbench.audit.threat import Alarm
from mlbench.comparisons.pairwise_tests import in_words
from mlbench.metrics import get_metric
from mlbench.metrics.joined import is_of_f1
from mlbench.number_text import p_in_words

_JUDGED_BY_F1 = ("jaccard", "precision", "recall")
"""Metrics without a control of their own; with balanced accuracy, by macro F1."""
_MORE = 1.05
"""How many times as many positives are more."""
_GAIN_BY_F1 = ("f1", "jaccard", "recall")
_LOSE_BY_F1 = ("hamming_loss", "subset_accuracy")


def threshold(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find leads that shrink or turn round when both methods are cut at one share of positives.

    The cut is PCut (Yang 2001): per label, the highest scores are positive, as many as the share
    of positives in training. No label of the test part is used. Metrics of `_JUDGED_BY_F1` are
    judged by F1 of the same average.
    """
    name = pair.metric.name
    if not _is_of_labels(pair) or _differ_in_the_cut(pair):
        return
    judge = _judge_of(name)
    control = pair.reread(control_of(judge))
    same_test = pair.reread(control_of(judge), test=pair.test)
    if control is None or same_test is None:
        yield from _by_policies(pair, facts)
        return
    judged = None if judge == name else pair.reread(judge)
    lead = pair.lead if judged is None or judged.lead <= 0 else judged.lead
    is_turned = control.is_turned
    if pair.is_claimed and not (is_turned or control.lead < lead / 2):
        return
    if not pair.is_claimed and not is_turned:
        return
    are_for_f1 = _is_for_f1(pair.ahead, name) and _is_for_f1(pair.behind, name)
    is_one_rule = pair.ahead.threshold(name) == pair.behind.threshold(name)
    told = control if is_turned else same_test
    leader = "" if not told.is_significant else "{behind}" if told.lead < 0 else "{ahead}"
    by = "" if told is control or pair.test == "corrected_t" else f", {in_words(pair.test)}"
    p = "" if math.isnan(told.p) else f" (p = {p_in_words(told.p)}{by})"
    there = (
        f"{leader} leads by {facts.amount(judge, abs(control.lead))}"
        if leader
        else "neither leads significantly"
    )
    if judged is not None:
        has = f"the lead is {facts.amount(judge, lead)}" if judged.lead > 0 else "it has no lead"
        there = f"in {title_of(judge)} {has}, and cut at the same share of positives, {there}"
    else:
        there = f"cut at the same share of positives, {there}"
    case = Handicap(pair, pair.behind, pair.ahead)
    departing = "" if is_one_rule else departs(case, "threshold", facts)
    if departing:
        advice = f"Remove `threshold:` of {departing}, so that one rule cuts both"
    elif are_for_f1 or (is_one_rule and not is_of_f1(name)):
        of = "" if judge == name else f" in {title_of(judge)}"
        advice = f"{_how_much(leader, is_turned, of)} where scores are cut: say so"
    elif is_one_rule:
        advice = f"Tune the thresholds of both, such as by `threshold: {_one_rule(facts, name)}`"
    else:
        advice = "Choose the thresholds of both by one rule, such as `threshold: "
        advice += f"{_one_rule(facts, name)}`"
    yield case.alarm(
        "weakens" if is_one_rule or are_for_f1 or not is_turned else "invalidates",
        f"{{ahead}} leads {{behind}} by {facts.amount(name, pair.lead)}{_rule_of(pair)}"
        f"{_cuts(pair)}; {there}{p}",
        f"{advice}, or compare Macro AUC.",
        subject=(pair.behind.name, leader),
        size=lead - control.lead,
        numbers={
            "lead": pair.lead,
            **({} if judged is None else {f"lead_in_{judge}": judged.lead}),
            "lead_at_share": control.lead,
            "p_at_share": told.p,
        },
    )


def _judge_of(metric: str) -> str:
    """Return the F1 that judges a metric of labels at the common cut; itself if it has a control.

    Where as many are called positive as there are, precision, recall and F1 of all labels are the
    same, and Jaccard is F1 / (2 - F1).
    """
    if metric == "balanced_accuracy":
        return "macro_f1"
    average, _, kind = metric.partition("@")[0].partition("_")
    return f"{average}_f1" if kind in _JUDGED_BY_F1 else metric


def _one_rule(facts: Facts, metric: str) -> str:
    """Return a policy for F1; for it alone where metrics of labels are judged that lose by it."""
    if not is_of_f1(metric):
        return "cv_f1_label"
    needs = [get_metric(name).needs == "labels" and not is_of_f1(name) for name in facts.metrics]
    return "{f1: cv_f1_label}" if any(needs) else "cv_f1_label"


def _how_much(leader: str, is_turned: bool, of: str) -> str:
    """Say how much of a lead is in the cut, by who leads at the common one; empty for nobody."""
    if is_turned:
        return f"The lead{of} is in"
    return f"More than half of the lead{of} is in" if leader else f"The lead{of} may be in"


def _is_for_f1(method: ComparedMethod, metric: str) -> bool:
    """Return whether its labels are chosen for F1: by its threshold, or by a loss of F1 itself."""
    return "f1" in method.threshold(metric) or method.loss == "f1"


def _by_policies(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    name = pair.metric.name
    for case in handicaps(pair):
        policy, other = (each.threshold(name) for each in (case.handicapped, case.other))
        here, there = (_is_for_f1(each, name) for each in (case.handicapped, case.other))
        is_worse = (not here and there and any(part in name for part in _GAIN_BY_F1)) or (
            here and not there and name.partition("@")[0] in _LOSE_BY_F1
        )
        if policy != other and is_worse and not _twin_is_behind(case, facts):
            claim = f"scores of {{other}} are cut by {other}, those of {{handicapped}} by {policy}"
            departing = departs(case, "threshold", facts)
            advice = (
                f"Remove `threshold:` of {departing}, so that one rule cuts both."
                if departing
                else "Choose the thresholds of both by one rule."
            )
            if control_of(name):
                claim += ", and scores at a common cut are not known"
                advice += " `mlbench rescore` adds the common cut where predictions were kept."
            yield case.alarm(
                "weakens",
                claim,
                advice,
                subject=(name, other, policy),
                metric=name,
            )


def _differ_in_the_cut(pair: Pair) -> bool:
    """Return whether thresholds are all that the two differ in, so that they are the subject."""
    return pair.ahead.equals_but_for(pair.behind, "threshold", "folds")


def _twin_is_behind(case: Handicap, facts: Facts) -> bool:
    """Return whether a method that differs in the threshold alone, cut as the other, is behind.

    By half of the lead or more: then the cut does not explain it.
    """
    name = case.pair.metric.name
    sign = 1 if case.pair.metric.greater_is_better else -1
    return any(
        each.dataset == case.pair.dataset
        and each is not case.handicapped
        and each.threshold(name) == case.other.threshold(name)
        and each.equals_but_for(case.handicapped, "threshold", "folds")
        and sign * (case.other.mean(name) - each.mean(name)) >= case.pair.lead / 2
        for each in facts.methods.values()
    )


def _is_of_labels(pair: Pair) -> bool:
    return get_metric(pair.metric.name).needs == "labels" and not pair.metric.name.endswith(SHARE)


def _rule_of(pair: Pair) -> str:
    """Name the one rule for both, if an experiment has set it."""
    rule, other = (each.threshold(pair.metric.name) for each in (pair.ahead, pair.behind))
    return f" with one rule for both ({rule})" if rule == other != "default" else ""


def _cuts(pair: Pair) -> str:
    """Say how many positives each calls, where the rows tell."""
    ahead, behind = pair.means("cut_ratio")
    if math.isnan(ahead) or math.isnan(behind):
        return ""
    if f"{ahead:.2f}" == f"{behind:.2f}":
        return f", though both call {ahead:.2f} times as many positives as there are"
    if max(ahead, behind) < _MORE * min(ahead, behind):
        return (
            f", though both call about as many positives ({ahead:.2f} and {behind:.2f} times "
            "those that there are)"
        )
    return (
        f", but it calls {ahead:.2f} times as many positives as there are and {{behind}} "
        f"{behind:.2f}"
    )


def rank_order(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find leads in F1 of a method that ranks samples worse.

    Silent where the common cut is known, which says it in the same unit.
    """
    name = pair.metric.name
    if not pair.is_claimed or not any(part in name for part in _GAIN_BY_F1):
        return
    if _differ_in_the_cut(pair) or _is_for_f1(pair.behind, name):
        return
    if pair.reread(control_of(_judge_of(name))) is not None:
        return
    by_label = pair.reread("macro_f1")
    if by_label is not None and by_label.lead < 0:
        return
    order, untied = pair.reread(AREA), pair.on_untied()
    if order is None or not order.is_turned:
        return
    are_ties_known = pair.ahead.has(TIES)
    if are_ties_known and (untied is None or not untied.is_turned):
        return
    yield Handicap(pair, pair.behind, pair.ahead).alarm(
        "weakens" if are_ties_known else "note",
        f"{{ahead}} leads {{behind}} by {facts.amount(name, pair.lead)}, but in Macro AUC, which "
        f"needs no threshold, {{behind}} is {facts.amount(name, -order.lead)} ahead (p = "
        f"{p_in_words(order.p)}): the lead may be in where scores are cut",
        "Say so, or tune the thresholds of both.",
        subject="rank-order",
        size=-order.lead,
        numbers={"lead": pair.lead, "lead_in_auc": order.lead, "p_in_auc": order.p},
    )
