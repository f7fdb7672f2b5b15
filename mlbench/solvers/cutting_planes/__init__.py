"""Losses given by an oracle, minimized by cutting planes."""
