"""Compiled inference for many rows."""
