"""Figures of what a network says: causal effects, and what matters for a target."""
