"""Networks over time: panels of units seen several times, their learners, and what the networks predict."""

from typing import TYPE_CHECKING

from bnlab._runtime.lazy import attach

if TYPE_CHECKING:
    from bnlab.dynamic.beliefs import Beliefs
    from bnlab.dynamic.learn import learn_dynamic
    from bnlab.dynamic.load import load_panel
    from bnlab.dynamic.network import DynamicNetwork
    from bnlab.dynamic.panel import Panel
    from bnlab.dynamic.parts import ChunkedPanel, DaskPanel
    from bnlab.dynamic.structure import DynamicDag

__all__ = [
    "Beliefs",
    "ChunkedPanel",
    "DaskPanel",
    "DynamicDag",
    "DynamicNetwork",
    "Panel",
    "learn_dynamic",
    "load_panel",
]

# The names of slices, which pictures of networks read, need no learner.
__getattr__, __dir__ = attach(__name__, __file__)
