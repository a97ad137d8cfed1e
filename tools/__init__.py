"""Chores of this repository: notebooks, pins, the browser. Not part of the package."""
