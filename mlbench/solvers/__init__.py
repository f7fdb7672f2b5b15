"""Convex solvers that the methods share: losses, penalties, and what minimizes their sum."""
