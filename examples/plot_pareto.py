"""
Score against time
==================

The line connects the methods that no other method beats in both score and time to fit.
"""

from sklearn.ensemble import RandomForestClassifier

import mlbench as mb

results = mb.run(
    mb.Experiment(
        datasets=["digits"],
        methods={
            "BR": {"use": "br", "base": "logistic"},
            "forest": RandomForestClassifier(n_estimators=50),
            "ML-kNN": "mlknn",
            "LSPC": "lspc",
            "SVM": "svm_ovr",
        },
        name="pareto",
        protocol={"splits": {"train": 0.5, "repeats": 3}, "preprocess": "standardize"},
        metrics=["macro_f1"],
    ),
    progress=False,
)
figure = results.figure("pareto")
