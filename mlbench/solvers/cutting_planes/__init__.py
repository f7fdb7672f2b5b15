"""Losses given by an oracle, minimised by cutting planes."""
