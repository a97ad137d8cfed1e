"""Protocol of a network for inference, sampling and writing, which `BayesianNetwork` implements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bnlab.data.variable import Variable
    from bnlab.graphs.dag import Dag


class Network(Protocol):
    """Graph, variables and probability tables; see `bnlab.networks.network.BayesianNetwork`."""

    @property
    def dag(self) -> Dag: ...

    @property
    def variables(self) -> tuple[Variable, ...]: ...

    @property
    def cpts(self) -> tuple[NDArray[np.float64], ...]: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def arities(self) -> tuple[int, ...]: ...

    def __len__(self) -> int: ...
