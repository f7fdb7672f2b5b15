"""Projections in the feature space of a kernel, followed by SVMs: MORP, kernel CCA, kernel PCA."""
