"""Figures of queries to a network: causal effects, and relevance for a target."""
