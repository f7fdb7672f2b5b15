"""Reports: tables of an experiment from plain values, printed in four forms."""
