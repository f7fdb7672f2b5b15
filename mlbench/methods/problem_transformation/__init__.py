"""Many labels turned into problems for a single-label classifier: BR, LP, RAkEL, ECC, HOMER."""
