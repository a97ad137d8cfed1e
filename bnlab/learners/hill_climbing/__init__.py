"""Greedy hill climbing over directed acyclic graphs."""
