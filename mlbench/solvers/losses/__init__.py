"""Losses of a task as functions of its scores: their values, subgradients and proximal steps."""
