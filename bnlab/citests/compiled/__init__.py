"""Compiled tests of independence."""
