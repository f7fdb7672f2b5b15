"""Support vector machines, one for each label or task."""
