"""Distributions of variables at several times: what filtering, smoothing and forecasts give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import check_known
from bnlab.data.variable import Variable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """Distribution of each variable at each time.

    Attributes
    ----------
    variables : tuple of Variable
    times : tuple of int
        Counted from the first row of the history, which is 0.
    probabilities : dict of str to ndarray of float64, shape (times, states)
        Rows sum to 1.
    """

    variables: tuple[Variable, ...]
    times: tuple[int, ...]
    probabilities: dict[str, NDArray[np.float64]]

    def __repr__(self) -> str:
        return f"Beliefs({', '.join(v.name for v in self.variables)}; times {self.times[0]} to {self.times[-1]})"

    def to_pandas(self) -> pd.DataFrame:
        """Return a row a time, and a column for each variable and state."""
        import pandas as pd

        columns = [(v.name, state) for v in self.variables for state in v.states]
        values = np.hstack([self.probabilities[v.name] for v in self.variables])
        index = pd.Index(self.times, name="time")
        return pd.DataFrame(values, index, pd.MultiIndex.from_tuples(columns, names=["variable", "state"]))

    def interval(self, name: str, level: float = 0.8) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Lower end, median and upper end of a variable at each time, as codes of its ordered states.

        The interval is central: at most (1 - level) / 2 of the probability is below it, and as much above.

        Parameters
        ----------
        name : str
        level : float
            Between 0 and 1.

        Raises
        ------
        ValueError
            If there is no such variable, or the level is out of range.

        Examples
        --------
        >>> some = Beliefs((Variable("x", ("a", "b", "c")),), (0,), {"x": np.array([[0.05, 0.8, 0.15]])})
        >>> [codes.tolist() for codes in some.interval("x", 0.8)]
        [[1], [1], [2]]
        """
        check_known(name, list(self.probabilities), f"no variable {name!r}")
        if not 0 < level < 1:
            raise ValueError(f"level={level!r}: it must be between 0 and 1.")
        tail, total = (1 - level) / 2, np.cumsum(self.probabilities[name], axis=1)
        last = total.shape[1] - 1

        def quantile(share: float) -> NDArray[np.intp]:
            found: NDArray[np.intp] = np.minimum((total < share - 1e-12).sum(axis=1), last)
            return found

        return quantile(tail), quantile(0.5), quantile(1 - tail)
