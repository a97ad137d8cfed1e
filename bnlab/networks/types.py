"""What inference, sampling and writers need of a network; `bnlab.networks.network.BayesianNetwork` provides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bnlab.data.variable import Variable
    from bnlab.graphs.dag import Dag


class Network(Protocol):
    """Graph, variables and probability tables.

    Attributes
    ----------
    dag : Dag
    variables : tuple of Variable
        Those of the graph, in its order.
    cpts : tuple of ndarray of float64, shape (*parent arities, r)
        Parents in the order of ``dag.parents``; each row, the last axis, sums to 1 up to rounding in print.
    """

    @property
    def dag(self) -> Dag: ...

    @property
    def variables(self) -> tuple[Variable, ...]: ...

    @property
    def cpts(self) -> tuple[NDArray[np.float64], ...]: ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes, in order."""

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each node."""

    def __len__(self) -> int:
        """Return the number of nodes."""
