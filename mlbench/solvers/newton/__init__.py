"""Least squares with a norm as penalty, by steps that badly scaled features do not slow down."""
