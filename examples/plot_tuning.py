"""
Tuning curves
=============

The cross-validation score of every candidate: a thin line for each split, a thick one for their
mean, and a dot on what a search selected. Dots at an end of the grid ask for a longer grid.
"""

import mlbench as mb

results = mb.run(
    mb.Experiment(
        datasets=["digits"],
        methods={
            "BR": {"use": "br", "base": "logistic", "tune": {"C": {"log10": [-3, 1, 5]}}},
            "ML-kNN": {"use": "mlknn", "tune": {"k": [1, 2, 5, 10, 20]}},
        },
        name="tuning",
        title="Two searches",
        protocol={
            "splits": {"train": 0.5, "repeats": 3},
            "tuning": {"folds": 3, "scoring": "macro_auc"},
            "preprocess": "standardize",
        },
        metrics=["macro_auc"],
    ),
    progress=False,
)
figure = results.figure("tuning")

# %%
# What the searches have chosen:

results.params()
