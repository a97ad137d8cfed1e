"""Score and search: learners that know a local score φ(child, parents) and nothing of the data behind it."""

from bnlab.learners.ckg import CkGSearch, ckg, count_consistent_k_graphs
from bnlab.learners.named import learn
from bnlab.learners.orderings import OrderingSearch, breadth_first_order, ordering_search
from bnlab.learners.parent_sets import ParentSetSearch
from bnlab.learners.trees import Phi, chow_liu, gains, optimal_branching, spanning_tree, tan, with_class

__all__ = [
    "CkGSearch",
    "OrderingSearch",
    "ParentSetSearch",
    "Phi",
    "breadth_first_order",
    "chow_liu",
    "ckg",
    "count_consistent_k_graphs",
    "gains",
    "learn",
    "optimal_branching",
    "ordering_search",
    "spanning_tree",
    "tan",
    "with_class",
]
