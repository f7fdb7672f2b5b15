"""Penalties and losses minimised by proximal steps, with a certificate."""
