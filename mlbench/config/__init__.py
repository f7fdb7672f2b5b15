"""The experiment file: its schema, its strict reader and its errors."""
