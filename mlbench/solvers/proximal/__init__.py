"""Penalties and losses minimized by proximal steps, with a certificate."""
