"""Compiled scores, in files named after those of the readable scores."""
