"""Least squares with an l1 and a quadratic penalty, by coordinate descent."""
