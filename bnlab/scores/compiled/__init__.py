"""Compiled scores, under the name of the readable score that they equal."""
