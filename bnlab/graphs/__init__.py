"""Graphs alone, with no data: structure, equivalence, comparison.

Undirected trees are in `bnlab.graphs.spanning_tree`; branchings are compiled: `bnlab.engine.branchings`.
"""

from bnlab.graphs.adjustment import adjustment_sets, is_identified, possible_parents
from bnlab.graphs.comparison import Comparison, compare
from bnlab.graphs.dag import Dag, as_dag
from bnlab.graphs.equivalence import essential, member
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.knowledge_file import read_knowledge
from bnlab.graphs.pdag import Pdag, as_graph, essential_graph, markov_equivalent, skeleton, v_structures

__all__ = [
    "Comparison",
    "Dag",
    "Knowledge",
    "Pdag",
    "adjustment_sets",
    "as_dag",
    "as_graph",
    "compare",
    "essential",
    "essential_graph",
    "is_identified",
    "markov_equivalent",
    "member",
    "possible_parents",
    "read_knowledge",
    "skeleton",
    "v_structures",
]
