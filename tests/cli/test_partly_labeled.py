"""An experiment on data whose labels are partly unknown, as MEKA writes them."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

HEADER = """@relation 'Music_missing: -C 3'
@attribute happy {0,1}
@attribute sad {0,1}
@attribute calm {0,1}
@attribute tempo numeric
@attribute loudness numeric
@data
"""
EXPERIMENT = """name: partly
datasets: [music.arff]
protocol: {splits: {train: 0.5, repeats: 2}}
methods:
  BR: {use: br, base: logistic}
  SVM: svm_ovr
  SMTL: mtl_cls
keep_predictions: true
metrics: [macro_f1, micro_f1, example_f1]
"""


@pytest.fixture
def music(lab):
    rng = np.random.default_rng(3)
    X = np.round(rng.standard_normal((60, 2)), 3)
    Y = (X @ rng.standard_normal((2, 3)) > 0).astype(int).astype(str)
    Y[rng.random(Y.shape) < 0.2] = "?"
    rows = [",".join([*y, *map(str, x)]) for y, x in zip(Y, X, strict=True)]
    lab.write("music.arff", HEADER + "\n".join(rows))
    return Y


def exported(lab, *command):
    done = lab.mlbench(*command)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_a_label_that_no_row_has_is_named_with_its_data_set(lab, music):
    rows = "\n".join("1,?,0,1,1" for _ in range(20))
    lab.write("music.arff", HEADER + rows)
    lab.write("x.yaml", EXPERIMENT)
    refused = lab.mlbench("plan", "x.yaml")
    assert refused.returncode == 2
    assert "x.yaml:2:12: music: no row has a value of the label sad; leave it" in refused.stderr


def test_it_runs_with_methods_that_learn_from_known_labels(lab, music):
    lab.write("x.yaml", EXPERIMENT)
    done = lab.mlbench("run", "x.yaml")
    assert done.returncode == 0, done.stderr
    assert "music: unknown labels are neither learned nor scored; metrics of" in done.stdout
    values = {
        (each["method"], each["metric"]): each["value"]
        for each in exported(lab, "export", "runs/partly")
    }
    assert all(float(values[name, "macro_f1"]) > 0.5 for name in ("BR", "SVM", "SMTL"))
    again = lab.mlbench("rescore", "runs/partly")
    assert again.returncode == 0, again.stderr
    assert again.stdout.partition("\n\nVerdict")[0] == done.stdout.partition("\n\nVerdict")[0]


def test_a_method_that_needs_all_labels_is_refused_with_those_that_do_not(lab, music):
    lab.write("x.yaml", EXPERIMENT.replace("svm_ovr", "mlknn"))
    refused = lab.mlbench("plan", "x.yaml")
    assert refused.returncode == 2
    assert "x.yaml:6:3: methods.SVM: music: some labels are unknown, and MLkNN needs all; " in (
        refused.stderr
    )
    assert "br, " in refused.stderr


def test_describe_and_show_count_what_is_unknown(lab, music):
    unknown = int((music == "?").sum())
    (facts,) = json.loads(
        lab.mlbench("data", "describe", "./music.arff", "--format", "json").stdout
    )
    assert facts["known"] == pytest.approx(1 - unknown / music.size)
    added = lab.mlbench("data", "add", "music.arff", "--to", "mine")
    assert added.returncode == 0, added.stderr
    shown = lab.mlbench("data", "show", "music", "--data", "mine").stdout
    assert f"{unknown} of {music.size} labels" in shown
