"""bnlab's classifier with the structure that another package has learned, to compare predictions row by row."""

from __future__ import annotations

from bnlab.classifiers.augmented import AugmentedNaiveBayes, Structure
from bnlab.counts.base import CountSource


class GivenStructure(AugmentedNaiveBayes):
    """Bayesian network classifier, the class a parent of every attribute, smoothed by Laplace's rule.

    Parameters
    ----------
    edges : tuple of (str, str)
    """

    def __init__(self, edges: tuple[tuple[str, str], ...]) -> None:
        self.edges = edges
        self.smoothing = "laplace"
        self.ties = "first"

    def _structure(self, source: CountSource, names: tuple[str, ...]) -> Structure:
        parents: dict[str, list[int]] = {name: [] for name in names}
        for u, v in self.edges:
            parents[v].append(names.index(u))
        return tuple(tuple(sorted(parents[name])) for name in names)
