"""Average causal effects: in a network, in all graphs of its equivalence class, and over many graphs.

Interpretation. The effect of a treatment on an outcome is a difference between two actions: setting the treatment of
every individual to one state, or to another. A Bayesian network gives this difference only under assumptions that data
cannot prove: every edge is a direct cause, no common cause of two variables is missing, no row is in the data because
of its values (no selection), and an action changes nothing but the treatment. If an assumption fails, the numbers
describe associations, not effects. Observations determine a graph at best up to Markov equivalence; hence the ranges.
They cover neither errors of the graph nor errors of its probabilities.

References
----------
J. Pearl. Causality. Cambridge University Press, 2nd edition 2009.
M. Maathuis, M. Kalisch, P. Buehlmann. Estimating high-dimensional intervention effects from observational data. Annals
of Statistics 37, 2009 (IDA).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab._runtime.names import check_known
from bnlab.graphs.adjustment import is_identified, possible_parents, two_variables
from bnlab.graphs.dag import GraphLike, as_dag
from bnlab.graphs.pdag import essential_graph
from bnlab.networks.fit import fit
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.propagation import FloatArray
from bnlab.networks.query.inference import marginal
from bnlab.networks.smoothing import BDeuPrior, Smoothing

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.counts.source import DataLike

ROUNDING = 1e-14

Of = Hashable | Mapping[Hashable, float] | None


def causal_effect(
    net: BayesianNetwork, treatment: str, outcome: str, *, to: Hashable, reference: Hashable, of: Of = None
) -> float:
    """Average causal effect: E[g(Y) | do(X = to)] - E[g(Y) | do(X = reference)].

    Parameters
    ----------
    net : BayesianNetwork
        Its edges are read as direct causes; see the assumptions at the top of `bnlab.networks.effects`.
    treatment, outcome : str
        X and Y, two different nodes.
    to, reference : state
        States of the treatment to compare.
    of : state or mapping of state to number, optional
        Quantity to compare: the probability of one state, or the expected value of g, which gives each state a number.
        By default g is the state itself, which must then be a number.

    Returns
    -------
    float
        A difference of probabilities between -1 and 1, or of expected values.

    Raises
    ------
    ValueError
        If a node or a state is unknown, both nodes are the same, `of` lacks a state, or `of` is missing although the
        states are not numbers; also as for `marginal`.

    Examples
    --------
    Smoking raises the probability of lung cancer by 9 percentage points and that of shortness of breath by 23. A
    positive x-ray has no effect on lung cancer.

    >>> from bnlab.networks import asia
    >>> [round(causal_effect(asia(), "smoke", y, to="yes", reference="no", of="yes"), 3) for y in ("lung", "dysp")]
    [0.09, 0.234]
    >>> causal_effect(asia(), "xray", "lung", to="yes", reference="no", of="yes")
    0.0
    """
    contrast = _Contrast(net, (treatment, outcome), (to, reference), of)
    after = [marginal(net.do({treatment: state}), outcome) for state in (to, reference)]
    return contrast.of_distributions(*after)


def adjusted(net: BayesianNetwork, treatment: str, outcome: str, adjust_for: Sequence[str] = ()) -> FloatArray:
    """Distribution of the outcome after each action, by adjustment: P(y | do(x)) = sum_z P(y | x, z) P(z).

    The result depends on the joint distribution and on `adjust_for`, not on the directions of edges. It is the effect
    of the treatment if `adjust_for` satisfies the back-door criterion (`bnlab.graphs.adjustment_sets`).

    Parameters
    ----------
    net : BayesianNetwork
    treatment, outcome : str
        Two different nodes.
    adjust_for : sequence of str
        Neither of them.

    Returns
    -------
    ndarray of float64, shape (states of the treatment, states of the outcome)
        Rows sum to 1.

    Raises
    ------
    ValueError
        If a state of the treatment has probability 0 under a possible configuration of `adjust_for`, so that the effect
        of the action is unknown there (positivity); also as for `marginal`.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> net = asia()
    >>> adjusted(net, "bronc", "dysp", ["smoke"]).round(3), net.marginal("dysp", do={"bronc": "yes"}).round(3)
    (array([[0.806, 0.194],
           [0.139, 0.861]]), array([0.806, 0.194]))
    """
    x, _ = two_variables(net.names, treatment, outcome)
    return _adjusted(net, treatment, outcome, adjust_for, range(net.arities[x]))


def _adjusted(
    net: BayesianNetwork, treatment: str, outcome: str, adjust_for: Sequence[str], codes: Sequence[int]
) -> FloatArray:
    """Rows of `adjusted` for some states of the treatment."""
    joint = marginal(net, [*adjust_for, treatment, outcome])
    joint = joint.reshape(-1, *joint.shape[-2:])
    shares = joint.sum(axis=(1, 2))
    joint, shares = joint[shares > 0][:, codes], shares[shares > 0]
    both = joint.sum(axis=2)
    if not both.all():
        state = net.variables[net.dag.index(treatment)].states[codes[np.argwhere(both == 0)[0, 1]]]
        given = f"some possible states of {', '.join(adjust_for)}" if len(adjust_for) else "any circumstances"
        raise ValueError(
            f"{treatment} = {state} has probability 0 under {given}: the joint distribution does not show its effect "
            "there. Adjust for other variables, or fit the network with a prior, such as fit(dag, data, Dirichlet(1))."
        )
    found: FloatArray = np.einsum("zxy,zx,z->xy", joint, 1 / both, shares)
    return found


def possible_effects(
    net: BayesianNetwork,
    treatment: str,
    outcome: str,
    *,
    to: Hashable,
    reference: Hashable,
    of: Of = None,
    experiments: Iterable[Collection[str]] = (),
) -> pd.DataFrame:
    """Average causal effects in all graphs that are Markov equivalent to that of a network (IDA).

    Observations cannot distinguish these graphs: each can have the joint distribution of the network. The effect
    depends on which neighbours of the treatment are its parents. For each set of parents in some graph of the class,
    adjustment for the parents gives the effect (Maathuis, Kalisch and Buehlmann 2009); it is 0 if the outcome is one of
    them.

    Parameters
    ----------
    net, treatment, outcome, to, reference, of
        As for `causal_effect`.
    experiments : iterable of collections of str
        Variables that were set in the data, `Table.experiments`: they distinguish further graphs.

    Returns
    -------
    DataFrame
        One row per set of parents, columns ``parents`` (tuple of str) and ``effect``. The least and the greatest effect
        are the range. The effect is identified if both are equal, as always if `bnlab.graphs.is_identified` is True.

    Raises
    ------
    ValueError
        As for `causal_effect` and `adjusted`.

    Examples
    --------
    Observations alone do not show whether smoking causes bronchitis or the reverse.

    >>> from bnlab.networks import asia
    >>> possible_effects(asia(), "smoke", "bronc", to="yes", reference="no", of="yes").round(3)
        parents  effect
    0        ()     0.3
    1   (lung,)     0.3
    2  (bronc,)     0.0
    """
    import pandas as pd

    contrast = _Contrast(net, (treatment, outcome), (to, reference), of)
    families = possible_parents(essential_graph(net.dag, experiments), treatment)
    return pd.DataFrame({"parents": families, "effect": [contrast.given_parents(family) for family in families]})


def effects_over_graphs(
    graphs: Iterable[GraphLike],
    data: DataLike,
    treatment: str,
    outcome: str,
    *,
    to: Hashable,
    reference: Hashable,
    of: Of = None,
    smoothing: Smoothing | None = None,
) -> pd.DataFrame:
    """Average causal effect in each of many graphs, such as those sampled from a posterior or learned from resamples.

    Parameters
    ----------
    graphs : iterable of Dag
        On the variables of the data; equal graphs are computed once.
    data : Table, DataFrame or CountSource
        Data from which the probabilities are estimated.
    treatment, outcome, to, reference, of
        As for `causal_effect`.
    smoothing : Smoothing, optional
        As for `fit`; by default `BDeuPrior()`, under which Markov equivalent graphs get the same joint distribution.

    Returns
    -------
    DataFrame
        One row per graph, in the given order. ``effect`` is the effect in the graph itself, ``low`` and ``high`` are
        the least and the greatest in its equivalence class, and ``identified`` is the result of
        `bnlab.graphs.is_identified`. The mean of ``effect`` over graphs sampled from a posterior averages over the
        structures, each with its estimated probabilities.

    Raises
    ------
    ValueError
        If there is no graph, or as for `causal_effect`, `adjusted` and `fit`.

    Examples
    --------
    >>> from bnlab.graphs import Dag
    >>> from bnlab.networks import asia
    >>> data = asia().sample(5000, seed=1).select(["smoke", "bronc"])
    >>> graphs = [Dag(data.names, edges) for edges in ([("smoke", "bronc")], [("bronc", "smoke")])]
    >>> effects_over_graphs(graphs, data, "smoke", "bronc", to="yes", reference="no", of="yes").round(2)
       effect  low  high  identified
    0     0.3  0.0   0.3       False
    1     0.0  0.0   0.3       False
    """
    import pandas as pd

    from bnlab.counts.source import as_data

    smoothing = BDeuPrior() if smoothing is None else smoothing
    data = as_data(data)
    states: dict[str, Any] = {"to": to, "reference": reference, "of": of}
    known: dict[object, tuple[float, float, float, bool]] = {}
    rows = []
    for graph in graphs:
        dag = as_dag(graph)
        if dag not in known:
            net = fit(dag, data, smoothing)
            effect = causal_effect(net, treatment, outcome, **states)
            every = possible_effects(net, treatment, outcome, **states, experiments=data.experiments).effect
            identified = is_identified(essential_graph(dag, data.experiments), treatment, outcome)
            known[dag] = effect, float(every.min()), float(every.max()), identified
        rows.append(known[dag])
    if not rows:
        raise ValueError("there is no graph: give at least one.")
    return pd.DataFrame(rows, columns=["effect", "low", "high", "identified"])


class _Contrast:
    """Two states of a treatment to compare, and the value of each state of the outcome."""

    def __init__(self, net: BayesianNetwork, nodes: tuple[str, str], states: tuple[Hashable, Hashable], of: Of) -> None:
        self.net, (self.treatment, self.outcome) = net, nodes
        variables = [net.variables[i] for i in two_variables(net.names, *nodes)]
        self._codes = [variables[0].code(state) for state in states]
        self._values = _values(variables[1].name, variables[1].states, of)

    def of_distributions(self, to: FloatArray, reference: FloatArray) -> float:
        """Effect, from the distributions of the outcome after the two actions; rounding errors become 0."""
        found = float(self._values @ (to - reference))
        return found if abs(found) > ROUNDING * np.abs(self._values).max() else 0.0

    def given_parents(self, parents: Sequence[str]) -> float:
        """Effect in a graph in which the treatment has these parents."""
        if self.outcome in parents:
            return 0.0
        to, reference = _adjusted(self.net, self.treatment, self.outcome, parents, self._codes)
        return self.of_distributions(to, reference)


def _values(outcome: str, states: tuple[Hashable, ...], of: Of) -> FloatArray:
    """Value of each state of the outcome, shape (r,); see `causal_effect`."""
    if isinstance(of, Mapping):
        missing = [state for state in states if state not in of]
        unknown = [state for state in of if state not in states]
        if missing or unknown:
            wrong = f"lacks {missing[0]!r}" if missing else f"names {unknown[0]!r}"
            raise ValueError(f"of={of!r} {wrong}: the states of {outcome!r} are {', '.join(map(repr, states))}.")
        values = [of[state] for state in states]
    elif of is not None:
        check_known(of, states, f"of={of!r} is no state of {outcome!r}")
        values = [float(state == of) for state in states]
    elif all(isinstance(state, Real) for state in states):
        values = list(states)
    else:
        raise ValueError(
            f"the states of {outcome!r} are no numbers: name the state whose probability is compared, such as "
            f"of={states[0]!r}, or give each state a number."
        )
    found = np.array(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError(f"the values {found.tolist()} of the states of {outcome!r} must be finite.")
    return found
