"""
Score against time
==================

The line connects the methods that no other method beats in both score and time to fit.
"""

from sklearn.ensemble import RandomForestClassifier

import mlbench as mb

results = mb.run(
    mb.Experiment(
        datasets=[{"use": "nam-toy", "as": "toy", "tasks": 8, "samples": 600}],
        methods={
            "BR": {"use": "br", "base": "logistic"},
            "forest": RandomForestClassifier(n_estimators=50),
            "ML-kNN": "mlknn",
            "ECC": {"use": "ecc", "base": "tree"},
            "LSPC": "lspc",
        },
        name="pareto",
        title="Five methods on half-planes",
        protocol={"splits": {"train": 0.5, "repeats": 3}, "preprocess": "standardize"},
        metrics=["macro_f1"],
    ),
    progress=False,
)
figure = results.figure("pareto")
