"""Graphs alone, with no data: structure, equivalence, comparison.

The tree algorithms load numba or scipy, so they stay in their modules: `bnlab.graphs.spanning_tree` and
`bnlab.graphs.edmonds`.
"""

from bnlab.graphs.comparison import Comparison, compare
from bnlab.graphs.dag import Dag, as_dag
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag, essential_graph, markov_equivalent, skeleton, v_structures

__all__ = [
    "Comparison",
    "Dag",
    "Knowledge",
    "Pdag",
    "as_dag",
    "compare",
    "essential_graph",
    "markov_equivalent",
    "skeleton",
    "v_structures",
]
