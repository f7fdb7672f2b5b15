"""
Scores with intervals
=====================

Means over the splits with 95 % intervals, which are widened because the splits share samples. Bars
start at zero; where that would hide the differences, there are dots instead.
"""

import mlbench as mb

results = mb.run(
    mb.Experiment(
        datasets=["digits", {"use": "nam-toy", "as": "toy", "tasks": 8, "samples": 400}],
        methods={
            "BR": {"use": "br", "base": "logistic"},
            "ECC": {"use": "ecc", "base": "tree"},
            "LSPC": "lspc",
        },
        name="bars",
        title="Three methods on two data sets",
        protocol={"splits": {"train": 0.6, "repeats": 5}, "preprocess": "standardize"},
        metrics=["macro_f1", "macro_auc"],
        tests=[{"method": "BR", "test": "corrected_t"}],
    ),
    progress=False,
)
figure = results.figure("bars", metric="macro_f1")

# %%
# The same numbers as a table:

results.table("macro_f1")
