"""Graphs alone, with no data: structure, equivalence, comparison.

The tree algorithms load numba or scipy, so they stay in their modules: `bnlab.graphs.spanning_tree` and
`bnlab.graphs.edmonds`.
"""

from bnlab.graphs.adjustment import adjustment_sets, is_identified, possible_parents
from bnlab.graphs.comparison import Comparison, compare
from bnlab.graphs.dag import Dag, as_dag
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag, essential_graph, markov_equivalent, skeleton, v_structures

__all__ = [
    "Comparison",
    "Dag",
    "Knowledge",
    "Pdag",
    "adjustment_sets",
    "as_dag",
    "compare",
    "essential_graph",
    "is_identified",
    "markov_equivalent",
    "possible_parents",
    "skeleton",
    "v_structures",
]
