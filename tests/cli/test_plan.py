"""What ``plan`` says of an experiment's data before anything runs."""

from __future__ import annotations

import pytest

ARFF = """@relation 'songs: -C 1'
@attribute happy {0,1}
@attribute title string
@attribute tempo numeric
@data
1,a,120
0,b,?
1,c,90
0,d,80
"""
EXPERIMENT = """
name: songs
datasets: [{use: songs.arff, missing: keep}]
protocol: {splits: {train: 0.5, repeats: 2}, preprocess: STEPS}
methods: {ML-kNN: {use: mlknn, k: 1}}
"""


@pytest.fixture
def plan(call, tmp_path):
    (tmp_path / "songs.arff").write_text(ARFF)

    def plan(steps):
        (tmp_path / "songs.yaml").write_text(EXPERIMENT.replace("STEPS", steps))
        return call(tmp_path, "plan", "songs.yaml")

    return plan


def test_the_data_are_described_with_what_is_left_out(plan):
    described = plan("[impute]").stderr.splitlines()[0]
    assert (
        described
        == "songs[missing=keep]: 4 x 1, 1 label; left out 1 of 2 features: 'title' (text or dates)"
    )


def test_missing_values_that_nothing_imputes_are_an_error_of_the_experiment(plan):
    refused = plan("[standardize]")
    assert refused.exit_code == 2
    assert (
        "songs.yaml:5:11: methods.ML-kNN: songs[missing=keep]: features have missing"
        in refused.stderr
    )
    assert "`preprocess: [impute]`" in refused.stderr
