"""Which methods an experiment compares, in which metrics, and what the tests find."""
