"""The Python interface: run an experiment, and look at its results."""
