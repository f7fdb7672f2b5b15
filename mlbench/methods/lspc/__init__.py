"""Least-squares probabilistic classifiers: LSPC, MT-LSPC and ML-LSPC."""
