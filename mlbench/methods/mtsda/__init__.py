"""Multi-task sparse discriminant analysis (Han et al.)."""
