"""Convex solvers that the methods share: losses, penalties, and what minimises their sum."""
