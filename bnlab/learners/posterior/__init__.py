"""Probabilities of edges given the data: exact sums, Markov chains and the bootstrap."""

from bnlab.learners.posterior.partitions import PartitionSampler
from bnlab.learners.posterior.probabilities import edge_probabilities, partition_sampler

__all__ = ["PartitionSampler", "edge_probabilities", "partition_sampler"]
