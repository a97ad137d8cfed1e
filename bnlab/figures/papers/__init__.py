"""Figures of the papers' experiments: reported and reproduced numbers."""
