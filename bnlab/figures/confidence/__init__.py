"""Figures of probabilities of edges, of the chains that sampled them, and of their calibration."""
