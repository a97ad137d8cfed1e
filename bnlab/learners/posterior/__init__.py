"""Probabilities of edges given the data: exact sums, Markov chains and the bootstrap."""
