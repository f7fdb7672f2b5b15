"""What could be wrong with the comparisons of an experiment."""
