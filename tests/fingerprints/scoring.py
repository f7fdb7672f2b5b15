"""Every metric under every convention, on outcomes of many kinds."""

from __future__ import annotations

from typing import Any

import numpy as np

from .imports import ALIASES, TrainingLabels, evaluate, get_metric, score


def outcomes() -> dict[str, dict[str, Any]]:
    """Return what `evaluate` is given: truth, scores, labels, and what else there is."""
    random = np.random.RandomState(23)
    Y = (random.rand(24, 5) < 0.4).astype(np.int64)
    Y[3], Y[4] = 0, 1
    distinct = np.round(random.permutation(120).reshape(24, 5) / 120 + 0.3 * Y, 3)
    ties = np.round(distinct * 4) / 4
    one_class = Y.copy()
    one_class[:, 1], one_class[:, 3] = 0, 1
    labels = (distinct > 0.6).astype(np.int64)
    never = labels.copy()
    never[:, [0, 1]] = 0
    tasks = np.arange(24) % 3
    column = {"Y": Y[:, :1], "scores": ties[:, :1], "labels": labels[:, :1], "tasks": tasks}
    rated = {
        "Y": (random.rand(180, 1) < 0.3).astype(np.int64),
        "scores": np.round(random.rand(180, 1), 2),
        "labels": (random.rand(180, 1) < 0.3).astype(np.int64),
        "tasks": np.arange(180) % 3,
        "known": random.rand(180) < 0.9,
    }
    rated["Y"][~rated["known"]] = 0
    infinite = np.where(distinct > 1, np.inf, np.where(distinct < 0.2, -np.inf, distinct))
    return {
        "ordinary": {"Y": Y, "scores": distinct, "labels": labels},
        "ties": {"Y": Y, "scores": ties, "labels": labels},
        "one class": {"Y": one_class, "scores": distinct, "labels": never},
        "constant": {"Y": Y, "scores": 0 * distinct, "labels": 0 * labels},
        "infinite": {"Y": Y, "scores": infinite, "labels": 0 * labels + 1},
        "tasks": column,
        "one class in a task": {**column, "Y": Y[:, :1] * (tasks != 1)[:, None]},
        "ratings": rated,
    }


def metrics() -> dict[str, dict[str, Any]]:
    """Score all outcomes; each metric and each count is a case.

    Metrics of probabilities get scores in [0, 1].
    """
    given = outcomes()
    training = TrainingLabels(np.array([40, 0, 7, 99, 1]), 100)
    results = {name: evaluate(**outcome, training=training) for name, outcome in given.items()}
    in_unit = {
        name: evaluate(**{**outcome, "scores": np.clip(outcome["scores"], 0, 1)})
        for name, outcome in given.items()
    }
    found: dict[str, dict[str, Any]] = {}
    for metric in next(iter(results.values())).values:
        scored = in_unit if get_metric(metric).needs == "probabilities" else results
        found[metric] = {name: result.values[metric] for name, result in scored.items()}
        found[metric]["greater is better"] = get_metric(metric).greater_is_better
    ordinary = given["ordinary"]
    for alias in ALIASES:
        found[f"alias {alias}"] = {"ordinary": score(alias, **ordinary)}
    for name, result in results.items():
        for count, value in result.counts.items():
            found.setdefault(f"count {count}", {})[name] = value
    return found
