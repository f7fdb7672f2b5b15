"""Algorithms that learn all labels at once: ML-kNN, AdaBoost.MH, InsDif."""
