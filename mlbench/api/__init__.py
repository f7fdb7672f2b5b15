"""What a Python program calls: run an experiment, and look at its results."""
