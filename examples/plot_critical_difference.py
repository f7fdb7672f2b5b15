"""
Mean ranks over data sets
=========================

A bar connects methods whose mean ranks do not differ significantly by Nemenyi's test.
"""

from sklearn.datasets import make_multilabel_classification

import mlbench as mb


def generated(seed):
    """Return a data set of 300 samples with six labels."""
    X, Y = make_multilabel_classification(300, n_features=30, n_classes=6, random_state=seed)
    return mb.Dataset(
        name=f"generated {seed}",
        X=X,
        Y=Y,
        label_names=tuple(f"label {j}" for j in range(6)),
        feature_names=tuple(f"x{j}" for j in range(30)),
    )


results = mb.run(
    mb.Experiment(
        datasets=[generated(seed) for seed in range(8)],
        methods={
            "BR": {"use": "br", "base": "logistic"},
            "naive Bayes": {"use": "br", "base": "naive_bayes"},
            "tree": {"use": "br", "base": "tree"},
            "ML-kNN": "mlknn",
        },
        name="ranks",
        title="Four methods on eight data sets",
        protocol={
            "splits": {"train": 0.6, "repeats": 2},
            "preprocess": "standardize",
        },
        metrics=["ranking_loss"],
    ),
    progress=False,
)
figure = results.figure("critical-difference")

# %%
# The ranks, with tests against the first method:

results.ranks()
