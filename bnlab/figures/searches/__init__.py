"""Figures of searches: convergence and policies."""
