"""
Differences between methods
===========================

How much one method differs from each of the others on the same splits. Where the interval excludes
0, the difference is significant for that pair.
"""

import mlbench as mb

results = mb.run(
    mb.Experiment(
        datasets=[
            {"use": "nam-toy", "as": f"{tasks} labels", "tasks": tasks, "samples": 400}
            for tasks in (2, 8)
        ],
        methods={
            "ML-LSPC": {"use": "ml_lspc", "lam": 0.1, "gamma": 0.1},
            "LSPC": {"use": "lspc", "rho": 0.1},
            "BR": {"use": "br", "base": "logistic"},
            "ML-kNN": {"use": "mlknn", "k": 40},
        },
        name="differences",
        title="Half-planes",
        protocol={"splits": {"train": 0.6, "repeats": 10}, "preprocess": "standardize"},
        metrics=["macro_auc"],
        audit={
            "accept": [
                {
                    "check": "pseudo-replicates",
                    "because": "one problem with two numbers of labels; no claim rests on ranks",
                }
            ]
        },
        tests=[{"method": "ML-LSPC", "test": "corrected_t"}],
    ),
    progress=False,
)
figure = results.figure("differences")

# %%
# In words:

results.verdict()
