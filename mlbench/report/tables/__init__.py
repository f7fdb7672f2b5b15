"""Tables of an experiment: scores, comparisons, ranks, wins and losses."""
