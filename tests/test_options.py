"""The schema, the command line and the registries offer exactly the choices of mlbench.options."""

from __future__ import annotations

import typing

import click
import numpy as np
import pytest
from pydantic import BaseModel

from mlbench import options
from mlbench.cli import main
from mlbench.comparisons.pairwise_tests import TITLES
from mlbench.config import schema
from mlbench.config.comparison import Comparison
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.thresholds import POLICIES
from mlbench.report.figures import get_kind
from mlbench.report.figures.drawing import WIDTHS
from mlbench.report.figures.quantity import SPREAD_NAMES
from mlbench.report.protocol_note import PREPARATION, THRESHOLDS
from mlbench.report.render import RENDERERS


def literals(annotation):
    """Return the words that a field takes, however deep they stand in its type."""
    if typing.get_origin(annotation) is typing.Literal:
        return typing.get_args(annotation)
    inside = [literals(part) for part in typing.get_args(annotation)]
    return next((words for words in inside if words), ())


def choices(command, option):
    (found,) = [p for p in main.get_command(None, command).params if option in p.opts]
    assert isinstance(found.type, click.Choice)
    return tuple(found.type.choices)


@pytest.mark.parametrize(
    ("model", "field", "offered"),
    [
        (schema.Comparison, "test", options.TESTS),
        (schema.Comparison, "effect", options.EFFECT_SIZES),
        (schema.Comparison, "correction", options.CORRECTIONS),
        (schema.Comparison, "over_datasets", options.OVER_DATASETS),
        (schema.Report, "unit", options.UNITS),
        (schema.Protocol, "threshold", options.THRESHOLDS),
        (schema.Method, "threshold", options.THRESHOLDS),
        (schema.Protocol, "preprocess", options.PREPROCESSING_STEPS),
        (schema.Method, "preprocess", options.PREPROCESSING_STEPS),
    ],
)
def test_the_schema_offers_them(model: type[BaseModel], field, offered):
    assert literals(model.model_fields[field].annotation) == offered


@pytest.mark.parametrize(
    ("command", "option", "offered"),
    [
        ("figure", "--kind", tuple(options.FIGURE_KINDS)),
        ("figure", "--seconds", options.TIMED_STEPS),
        ("figure", "--spread", options.FIGURE_SPREADS),
        ("figure", "--width", options.FIGURE_WIDTHS),
        ("report", "--format", options.TABLE_FORMATS),
        ("compare", "--format", options.TABLE_FORMATS),
        ("compare", "--test", options.TESTS_OF_SCORES),
    ],
)
def test_the_command_line_offers_them(command, option, offered):
    assert choices(command, option) == offered


@pytest.mark.parametrize(
    ("registry", "offered"),
    [
        (TITLES, options.TESTS),
        (WIDTHS, options.FIGURE_WIDTHS),
        (RENDERERS, options.TABLE_FORMATS),
        (PREPARATION, options.PREPROCESSING_STEPS),
        (THRESHOLDS, options.THRESHOLDS),
    ],
)
def test_the_registries_hold_them(registry, offered):
    assert set(registry) == set(offered)


def test_what_is_implemented_goes_by_the_same_words():
    assert all(callable(get_kind(name).make_plot) for name in options.FIGURE_KINDS)
    assert {"default", *POLICIES} == set(options.THRESHOLDS)
    assert set(options.FIGURE_SPREADS) <= set(SPREAD_NAMES)
    X = np.eye(3)
    assert prepare(options.PREPROCESSING_STEPS, X, X)[0].shape == X.shape
    everything = Comparison(
        method="A",
        against=("B",),
        test=options.TESTS,
        correction="none",
        effect=options.EFFECT_SIZES,
        over_datasets=options.OVER_DATASETS,
    )
    assert everything.test == [*options.TESTS]
