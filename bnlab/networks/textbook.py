"""Small networks written out from their textbooks, and one of our own; they need no file.

Names, states and their order are those of the bnlearn repository, so that either source gives the same network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.network import BayesianNetwork

_YES_NO = ("yes", "no")
_TRUE_FALSE = ("True", "False")


def asia() -> BayesianNetwork:
    """Dyspnoea after a journey to Asia: 8 nodes, 8 edges, 18 parameters.

    References
    ----------
    Lauritzen, S. L. and Spiegelhalter, D. J. (1988). Local computations with probabilities on graphical structures
    and their application to expert systems. Journal of the Royal Statistical Society B 50, 157-224, table 1.

    Examples
    --------
    >>> asia()
    BayesianNetwork(8 nodes, 8 edges, 18 free parameters: [asia][tub|asia][smoke][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either])
    """  # noqa: E501
    names = ("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp")
    return _network(
        dict.fromkeys(names, _YES_NO),
        asia=((), [0.01, 0.99]),
        tub=(("asia",), [[0.05, 0.95], [0.01, 0.99]]),
        smoke=((), [0.5, 0.5]),
        lung=(("smoke",), [[0.1, 0.9], [0.01, 0.99]]),
        bronc=(("smoke",), [[0.6, 0.4], [0.3, 0.7]]),
        either=(("tub", "lung"), [[[1, 0], [1, 0]], [[1, 0], [0, 1]]]),
        xray=(("either",), [[0.98, 0.02], [0.05, 0.95]]),
        dysp=(("bronc", "either"), [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]]),
    )


def cancer() -> BayesianNetwork:
    """Lung cancer, its causes and symptoms: 5 nodes, 4 edges, 10 parameters.

    References
    ----------
    Korb, K. B. and Nicholson, A. E. (2010). Bayesian Artificial Intelligence, 2nd edition, section 2.2.
    """
    return _network(
        {
            "Pollution": ("low", "high"),
            "Smoker": _TRUE_FALSE,
            "Cancer": _TRUE_FALSE,
            "Xray": ("positive", "negative"),
            "Dyspnoea": _TRUE_FALSE,
        },
        Pollution=((), [0.9, 0.1]),
        Smoker=((), [0.3, 0.7]),
        Cancer=(("Pollution", "Smoker"), [[[0.03, 0.97], [0.001, 0.999]], [[0.05, 0.95], [0.02, 0.98]]]),
        Xray=(("Cancer",), [[0.9, 0.1], [0.2, 0.8]]),
        Dyspnoea=(("Cancer",), [[0.65, 0.35], [0.3, 0.7]]),
    )


def earthquake() -> BayesianNetwork:
    """Burglary or earthquake, who rings the alarm: 5 nodes, 4 edges, 10 parameters.

    References
    ----------
    Korb, K. B. and Nicholson, A. E. (2010). Bayesian Artificial Intelligence, 2nd edition, section 2.5.1, after
    Pearl, J. (1988). Probabilistic Reasoning in Intelligent Systems.
    """
    names = ("Burglary", "Earthquake", "Alarm", "JohnCalls", "MaryCalls")
    return _network(
        dict.fromkeys(names, _TRUE_FALSE),
        Burglary=((), [0.01, 0.99]),
        Earthquake=((), [0.02, 0.98]),
        Alarm=(("Burglary", "Earthquake"), [[[0.95, 0.05], [0.94, 0.06]], [[0.29, 0.71], [0.001, 0.999]]]),
        JohnCalls=(("Alarm",), [[0.9, 0.1], [0.05, 0.95]]),
        MaryCalls=(("Alarm",), [[0.7, 0.3], [0.01, 0.99]]),
    )


def simple() -> BayesianNetwork:
    """Garden and commute: 7 nodes, 7 edges, 29 parameters, every dependence strong.

    Matuszak and Miekisz (2012, figure 2a) use a "simple Bayesian network" with 7 nodes and 7 edges, whose parameters
    are not printed. This one has that size; names, edges and probabilities are ours (after the sprinkler example of
    Pearl 1988), so results on it compare with theirs in kind, not in number.
    """
    return _network(
        {
            "Season": ("winter", "spring", "summer", "autumn"),
            "Rain": _YES_NO,
            "Sprinkler": ("on", "off"),
            "Grass": ("dry", "damp", "soaked"),
            "Slippery": _YES_NO,
            "Traffic": ("light", "normal", "heavy"),
            "Late": _YES_NO,
        },
        Season=((), [0.25, 0.25, 0.25, 0.25]),
        Rain=(("Season",), [[0.6, 0.4], [0.4, 0.6], [0.1, 0.9], [0.5, 0.5]]),
        Sprinkler=(("Season",), [[0.01, 0.99], [0.3, 0.7], [0.75, 0.25], [0.1, 0.9]]),
        Grass=(
            ("Rain", "Sprinkler"),
            [[[0.01, 0.09, 0.9], [0.1, 0.3, 0.6]], [[0.05, 0.65, 0.3], [0.9, 0.08, 0.02]]],
        ),
        Slippery=(("Grass",), [[0.02, 0.98], [0.2, 0.8], [0.7, 0.3]]),
        Traffic=(("Rain",), [[0.1, 0.3, 0.6], [0.4, 0.5, 0.1]]),
        Late=(("Traffic",), [[0.03, 0.97], [0.15, 0.85], [0.55, 0.45]]),
    )


TEXTBOOK = {"asia": asia, "cancer": cancer, "earthquake": earthquake, "simple": simple}


def _network(states: Mapping[str, Sequence[str]], **families: tuple[tuple[str, ...], list[Any]]) -> BayesianNetwork:
    """Network from each node's parents, in the order of the nodes, and its table."""
    edges = [(parent, child) for child, (parents, _) in families.items() for parent in parents]
    variables = [Variable(name, tuple(values)) for name, values in states.items()]
    return BayesianNetwork(Dag.from_edges(list(states), edges), variables, [families[name][1] for name in states])
