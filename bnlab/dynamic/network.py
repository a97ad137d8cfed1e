"""Networks over time with probabilities: unrolled to an ordinary network, which samples and answers every question."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import nearest
from bnlab._runtime.values import at_least
from bnlab.counts.incomplete import complete_families
from bnlab.data.variable import Variable
from bnlab.dynamic.beliefs import Beliefs
from bnlab.dynamic.files import joined_slices, parts_of
from bnlab.dynamic.names import at
from bnlab.dynamic.panel import Panel
from bnlab.dynamic.parts import ChunkedPanel, DaskPanel
from bnlab.dynamic.structure import DynamicDag
from bnlab.graphs.dag import counted
from bnlab.networks.fit import fit
from bnlab.networks.io.bif import read_bif
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.query.inference import JunctionTree
from bnlab.networks.smoothing import Smoothing

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class DynamicNetwork:
    """A network of the first slices and the transitions to the others.

    Parameters
    ----------
    prior : BayesianNetwork
        Of the static variables and the first slices, as in `DynamicDag`.
    transitions : tuple of BayesianNetwork
        One for all steps, or one a step. Only the tables of the present are used; those of the past tell how often
        states occurred.
    static : tuple of str
        Variables that do not change in time.

    Raises
    ------
    ValueError
        As for `DynamicDag`, or if a variable has other states in another slice.

    Examples
    --------
    >>> import bnlab
    >>> panel = bnlab.load_panel({"x_0": [0, 1] * 30, "x_1": [1, 0] * 30}, wide="_")
    >>> net = DynamicNetwork.fit(bnlab.learn_dynamic(panel), panel)
    >>> net
    DynamicNetwork(1 variable, 0 static, lags 1, one transition for all steps)
    >>> net.unroll(3).marginal("x[2]", {"x[0]": 1})
    array([0., 1.])
    """

    prior: BayesianNetwork
    transitions: tuple[BayesianNetwork, ...]
    static: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "transitions", tuple(self.transitions))
        object.__setattr__(self, "static", tuple(self.static))
        n, fixed = len(self.names), len(self.static)
        known = {v.name: v.states for v in self.prior.variables[:fixed]}
        known |= {name: v.states for name, v in zip(self.names, self.prior.variables[fixed:], strict=False)}
        for net in (self.prior, *self.transitions):
            for i, variable in enumerate(net.variables):
                name = variable.name if i < fixed else self.names[(i - fixed) % n]
                if variable.states != known[name]:
                    raise ValueError(
                        f"{variable.name!r} has other states than {name!r} elsewhere: a variable has the same states "
                        "in every slice."
                    )

    @cached_property
    def structure(self) -> DynamicDag:
        """Graphs of the first slices and the transitions."""
        return DynamicDag(self.prior.dag, tuple(net.dag for net in self.transitions), self.static)

    @property
    def names(self) -> tuple[str, ...]:
        """Variables that change in time."""
        return self.structure.names

    @property
    def lags(self) -> int:
        """Number of slices of the past."""
        return self.structure.lags

    @property
    def transition(self) -> BayesianNetwork:
        """The transition of all steps; ValueError if each step has its own."""
        self.structure.transition  # noqa: B018 -- raises
        return self.transitions[0]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables that change in time, with their states."""
        first = self.prior.variables[len(self.static) :]
        return tuple(Variable(name, v.states) for name, v in zip(self.names, first, strict=False))

    def __repr__(self) -> str:
        one = self.structure.stationary
        how = "one transition for all steps" if one else f"{len(self.transitions)} transitions, one a step"
        variables = counted(len(self.names), "variable")
        return f"DynamicNetwork({variables}, {len(self.static)} static, lags {self.lags}, {how})"

    @classmethod
    def fit(
        cls, structure: DynamicDag, panel: Panel | ChunkedPanel | DaskPanel, smoothing: Smoothing | None = None
    ) -> DynamicNetwork:
        """Estimate the probabilities of a structure.

        With missing values, each table is of the rows in which its family is complete, which is right for values that
        are missing completely at random.

        Parameters
        ----------
        structure : DynamicDag
            From `bnlab.learn_dynamic`.
        panel : Panel, ChunkedPanel or DaskPanel
            On the same variables; its lags need not be the same.
        smoothing : Smoothing, optional
            As for `bnlab.networks.fit`.

        Raises
        ------
        ValueError
            If panel and structure have other variables, or no row shows a transition.
        """
        if (panel.names, panel.static) != (structure.names, structure.static):
            raise ValueError(
                f"the panel is of {', '.join(panel.names)} with static {panel.static}, the structure of "
                f"{', '.join(structure.names)} with static {structure.static}: both must be of the same variables."
            )
        some = panel.with_lags(structure.lags)
        if structure.stationary:
            tables = [some.transitions]
        else:
            tables = [some.transitions_to(structure.lags + s) for s in range(len(structure.transitions))]
        steps = zip(structure.transitions, map(complete_families, tables), strict=True)
        prior = fit(structure.prior, complete_families(some.first_slices(structure.lags)), smoothing)
        return cls(prior, tuple(fit(dag, table, smoothing) for dag, table in steps), structure.static)

    def unroll(self, length: int) -> BayesianNetwork:
        """Ordinary network of so many slices, with nodes ``bp[0]`` to ``bp[length-1]`` and the static variables.

        Raises
        ------
        ValueError
            If `length` is below 1, or a slice has no transition.
        """
        dag = self.structure.unroll(length)
        fixed = len(self.static)
        variables, cpts = list(self.prior.variables[:fixed]), list(self.prior.cpts[:fixed])
        for s in range(length):
            net = self.prior if s < self.lags else self.transitions[self.structure.at_step(s)]
            for i, variable in enumerate(self.variables):
                variables.append(Variable(at(variable.name, s), variable.states))
                cpts.append(net.cpts[self.structure.family(s, i)[1]])
        return BayesianNetwork(dag, variables, cpts)

    def sample(self, units: int, length: int, seed: int) -> Panel:
        """Panel of so many units, each at times 0 to length - 1; a seed gives the same rows on every machine.

        Raises
        ------
        ValueError
            As for `unroll` and `BayesianNetwork.sample`.
        """
        rows = self.unroll(length).sample(units, seed)
        return Panel.of_slices(rows, self.static, self.names, min(self.lags, length))

    def log_likelihood(self, panel: Panel) -> Floats:
        """Log-probability of the rows of each unit together, shape (units,), for held-out comparison.

        With missing values it is that of the observed ones. A value that was set from outside adds nothing.

        Parameters
        ----------
        panel : Panel
            On these variables, such as the test part ``panel.take(range(0, 50))``.

        Returns
        -------
        ndarray of float64
            Nats; -inf for rows that are impossible.

        Raises
        ------
        ValueError
            If a variable is missing, rows have a state that the network does not have, or as for `unroll`.
        """
        found = np.empty(len(panel.units))
        for length in np.unique(panel.lengths).tolist():
            units, rows = panel.unrolled(length)
            found[units] = self.unroll(length).log_likelihood(rows)
        return found

    def filter(self, history: pd.DataFrame | Panel) -> Beliefs:
        """Distribution of each variable at each time of a history, given all that was observed up to then.

        Parameters
        ----------
        history : DataFrame or Panel
            Of one unit: a row a time, in order, with columns of some variables. A missing value is unobserved, and so
            is a variable without a column. Static variables may have columns. Or a Panel of one unit.

        Raises
        ------
        ImpossibleEvidence
            (A ValueError.) If the history is impossible.
        ValueError
            If there is no row, a column is no variable, a state is unknown, or as for `unroll`.
        TypeError
            If the history is neither a DataFrame nor a Panel.
        """
        evidence, length = self._evidence(history)
        tree = JunctionTree(self.unroll(length))
        rows = []
        for s in range(length):
            known = {name: state for (name, when), state in evidence.items() if when <= s}
            rows.append(self._marginals(tree.posterior(known).marginals, [s]))
        return self._beliefs([np.concatenate(column) for column in zip(*rows, strict=True)], 0, length)

    def smooth(self, history: pd.DataFrame | Panel) -> Beliefs:
        """Distribution of each variable at each time of a history, given all of it; otherwise as `filter`."""
        evidence, length = self._evidence(history)
        found = JunctionTree(self.unroll(length)).posterior({name: state for (name, _), state in evidence.items()})
        return self._beliefs(self._marginals(found.marginals, range(length)), 0, length)

    def forecast(self, history: pd.DataFrame | Panel, steps: int) -> Beliefs:
        """Distribution of each variable at the times after a history, given all of it; otherwise as `filter`.

        Parameters
        ----------
        history : DataFrame or Panel
        steps : int
            Number of times after the history, at least 1.

        Examples
        --------
        >>> import bnlab, pandas as pd
        >>> panel = bnlab.load_panel({"x_0": [0, 1] * 30, "x_1": [1, 0] * 30}, wide="_")
        >>> net = DynamicNetwork.fit(bnlab.learn_dynamic(panel), panel)
        >>> net.forecast(pd.DataFrame({"x": [0]}), 2).probabilities["x"]
        array([[0., 1.],
               [1., 0.]])
        """
        at_least("steps", steps, 1)
        evidence, length = self._evidence(history)
        tree = JunctionTree(self.unroll(length + steps))
        found = tree.posterior({name: state for (name, _), state in evidence.items()})
        return self._beliefs(self._marginals(found.marginals, range(length, length + steps)), length, length + steps)

    def save(self, path: str | Path) -> None:
        """Write a BIF file, which `load` and every reader of BIF take.

        It has the static variables, the first slices, and the slices of the transition, ``bp[t-1]`` and ``bp[t]``. With
        one transition a step it is the unrolled network, and `load` takes the lags from its edges.
        """
        one = self.structure.stationary
        net = joined_slices(self.prior, self.transition) if one else self.unroll(self.lags + len(self.transitions))
        net.to_bif(path)

    @classmethod
    def load(cls, path: str | Path) -> DynamicNetwork:
        """Read a network that `save` wrote; states that were no strings are strings.

        Raises
        ------
        ValueError
            If it is no BIF file, or its names are not those of a network over time.
        OSError
            If there is no such file.
        """
        return cls(*parts_of(read_bif(path)))

    def _evidence(self, history: pd.DataFrame | Panel) -> tuple[dict[tuple[str, int], Hashable], int]:
        """Observed states by the name of the node and the time from which on it is known; and the number of times."""
        columns, length = _columns(history)
        if not length:
            raise ValueError("the history has no row: give at least one, of missing values if nothing was observed.")
        found: dict[tuple[str, int], Hashable] = {}
        for name, values in columns.items():
            if name not in self.names and name not in self.static:
                raise ValueError(
                    f"column {name!r} of the history is no variable; {nearest(name, (*self.names, *self.static))}"
                )
            if name in self.names:
                found |= {(at(name, s), s): value for s, value in values.items()}
            elif len(set(values.values())) > 1:
                raise ValueError(f"static variable {name!r} changes within the history: it has one state.")
            elif values:
                found[name, min(values)] = next(iter(values.values()))
        return found, length

    def _marginals(self, marginals: Mapping[str, Floats], times: Any) -> list[Floats]:
        return [np.stack([marginals[at(name, s)] for s in times]) for name in self.names]

    def _beliefs(self, tables: list[Floats], begin: int, end: int) -> Beliefs:
        found = dict(zip(self.names, tables, strict=True))
        return Beliefs(self.variables, tuple(range(begin, end)), found)


def _columns(history: pd.DataFrame | Panel) -> tuple[dict[str, dict[int, Hashable]], int]:
    """Observed states of each column by row, and the number of rows."""
    import pandas as pd

    if isinstance(history, Panel):
        if len(history.units) != 1:
            raise ValueError(f"the history has {len(history.units)} units: take one, panel.take([0]).")
        if history.table.interventions:
            raise ValueError(
                "some values of the history were set from outside: give its rows without interventions, or ask "
                "net.unroll(length).marginal(..., do=...)."
            )
        table = history.table
        return {
            v.name: {s: v.states[code] for s, code in enumerate(table.column(v.name).tolist()) if code < v.arity}
            for v in table.variables
        }, table.n_rows
    if not isinstance(history, pd.DataFrame):
        raise TypeError(f"the history is a {type(history).__name__}: give a DataFrame with a row a time, or a Panel.")
    return {
        str(name): {s: value for s, value in enumerate(column.tolist()) if not pd.isna(value)}
        for name, column in history.items()
    }, len(history)
