"""Cutting-plane methods for losses given by an oracle."""
