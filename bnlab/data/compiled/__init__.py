"""Compiled look-ups of values."""
