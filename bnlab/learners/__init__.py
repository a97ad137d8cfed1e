"""Score and search: learners that know a local score φ(child, parents) and nothing of the data behind it."""

from bnlab.learners.bootstrap import Bootstrap
from bnlab.learners.boss.search import BestOrderSearch, boss
from bnlab.learners.chen.multi_start import MultiStartChen, chen
from bnlab.learners.chen.search import ChenSearch, paper_search
from bnlab.learners.ckg import CkGSearch, ckg, count_consistent_k_graphs
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.hill_climbing.search import HillClimbing, hill_climbing
from bnlab.learners.k2 import K2Search, k2
from bnlab.learners.learn import learn, make_search
from bnlab.learners.orderings import OrderingSearch, breadth_first_order, ordering_search
from bnlab.learners.parent_sets import ParentSetSearch
from bnlab.learners.trees import chow_liu, gains, optimal_branching, spanning_tree, tan, with_class
from bnlab.learners.types import Phi

__all__ = [
    "BestOrderSearch",
    "Bootstrap",
    "ChenSearch",
    "CkGSearch",
    "GrowingTree",
    "HillClimbing",
    "K2Search",
    "MultiStartChen",
    "OrderingSearch",
    "ParentSetSearch",
    "Phi",
    "boss",
    "breadth_first_order",
    "chen",
    "chow_liu",
    "ckg",
    "count_consistent_k_graphs",
    "gains",
    "hill_climbing",
    "k2",
    "learn",
    "make_search",
    "optimal_branching",
    "ordering_search",
    "paper_search",
    "spanning_tree",
    "tan",
    "with_class",
]
