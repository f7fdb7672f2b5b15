"""Who runs the cells: each executor maps the work over cells and tells what happens."""
