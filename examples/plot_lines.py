"""
Scores against a number
=======================

The data sets differ in one number, here how many samples they have: each method is a line.
"""

import mlbench as mb

results = mb.run(
    mb.Experiment(
        datasets=[
            {"use": "nam-toy", "as": f"toy {samples}", "tasks": 8, "samples": samples}
            for samples in (100, 200, 400, 800)
        ],
        methods={
            "ML-LSPC": {"use": "ml_lspc", "lam": 0.1, "gamma": 0.1},
            "BR": {"use": "br", "base": "logistic"},
            "ML-kNN": "mlknn",
        },
        name="lines",
        title="More samples",
        protocol={"splits": {"train": 0.5, "repeats": 5}, "preprocess": "standardize"},
        metrics=["macro_auc"],
        audit={
            "accept": [
                {
                    "check": "pseudo-replicates",
                    "because": "one problem in four sizes; no claim rests on the ranks",
                },
                {
                    "check": "below-constant",
                    "methods": ["ML-kNN"],
                    "because": "50 training samples are few, which is what the figure shows",
                },
            ]
        },
    ),
    progress=False,
)
figure = results.figure("lines")
