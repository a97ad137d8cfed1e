"""Score and search: learners that use a local score φ(child, parents) and do not see the data behind it."""

from bnlab.learners.bootstrap import Bootstrap
from bnlab.learners.boss.search import BestOrderSearch
from bnlab.learners.chen.search import ChenSearch, paper_search
from bnlab.learners.ckg import ckg
from bnlab.learners.consistent import CkGSearch, count_consistent_k_graphs
from bnlab.learners.exact.optimum import Optimum, optimum
from bnlab.learners.exact.search import OptimumSearch, exact_search
from bnlab.learners.ges import GreedyEquivalenceSearch
from bnlab.learners.growing_tree import GrowingTree, breadth_first_order
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.k2 import K2Search
from bnlab.learners.learn import learn, make_search
from bnlab.learners.orderings import OrderingSearch, ordering_search
from bnlab.learners.parent_sets import ParentSetSearch
from bnlab.learners.posterior.partitions import PartitionSampler
from bnlab.learners.posterior.probabilities import edge_probabilities, partition_sampler
from bnlab.learners.recommend import recommended
from bnlab.learners.structural_em import StructuralEM
from bnlab.learners.trees import gains, optimal_branching, tan
from bnlab.learners.types import Phi
from bnlab.learners.with_class import with_class

__all__ = [
    "BestOrderSearch",
    "Bootstrap",
    "ChenSearch",
    "CkGSearch",
    "GreedyEquivalenceSearch",
    "GrowingTree",
    "HillClimbing",
    "K2Search",
    "Optimum",
    "OptimumSearch",
    "OrderingSearch",
    "ParentSetSearch",
    "PartitionSampler",
    "Phi",
    "StructuralEM",
    "breadth_first_order",
    "ckg",
    "count_consistent_k_graphs",
    "edge_probabilities",
    "exact_search",
    "gains",
    "learn",
    "make_search",
    "optimal_branching",
    "optimum",
    "ordering_search",
    "paper_search",
    "partition_sampler",
    "recommended",
    "tan",
    "with_class",
]
