"""Score and search: learners that know a local score φ(child, parents) and nothing of the data behind it."""

from bnlab.learners.named import learn
from bnlab.learners.trees import Phi, chow_liu, gains, optimal_branching, spanning_tree, tan, with_class

__all__ = ["Phi", "chow_liu", "gains", "learn", "optimal_branching", "spanning_tree", "tan", "with_class"]
