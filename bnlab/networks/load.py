"""Networks by name or path: four small networks as functions, the networks of the catalogue, and files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bnlab._runtime.names import nearest
from bnlab.data import catalogue
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.io.bif import parse_bif
from bnlab.networks.io.formats import read_network
from bnlab.networks.network import BayesianNetwork


def load_network(name: str | Path) -> BayesianNetwork:
    """Load a network by its name or from a file.

    Parameters
    ----------
    name : str or Path
        "asia", "cancer", "earthquake", "simple" (always those of this package), a network of the catalogue ("alarm",
        "andes", "child", "hailfinder", "insurance", "sachs", "survey"), a large one that is downloaded at its first use
        ("barley", "diabetes", "hepar2", "link", "mildew", "munin", "munin1" to "munin4", "pathfinder", "pigs", "water",
        "win95pts"), or the path of a file of any format that `read_network` reads. A string without folder and suffix
        is a name.

    Raises
    ------
    ValueError
        If there is no such network; the message suggests similar names.
    TypeError
        If `name` is neither a string nor a path.
    OSError
        If `name` is a path and the file does not exist, is a folder or cannot be read, or if a large network cannot be
        downloaded; the folder of the environment variable BNLAB_DATA may hold it.
    NetworkFileError
        (A ValueError.) If the file does not hold a Bayesian network in a format that can be read.

    Examples
    --------
    >>> load_network("cancer").n_parameters
    10
    """
    if not isinstance(name, str) or (name not in TEXTBOOK and Path(name).stem != name):
        return read_network(name)
    if name in TEXTBOOK:
        return TEXTBOOK[name]()
    known = {entry.name: entry.file for entry in catalogue.entries() if entry.kind in catalogue.NETWORKS}
    if name not in known:
        raise ValueError(
            f"no network is called {name!r}; {nearest(name, {*TEXTBOOK, *known})} "
            "Any other loads by the path of its file."
        )
    return read_network(catalogue.fetch(known[name]))


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
    return _bundled("asia")


def cancer() -> BayesianNetwork:
    """Lung cancer, its causes and symptoms: 5 nodes, 4 edges, 10 parameters.

    References
    ----------
    Korb, K. B. and Nicholson, A. E. (2010). Bayesian Artificial Intelligence, 2nd edition, section 2.2.
    """
    return _bundled("cancer")


def earthquake() -> BayesianNetwork:
    """Alarm caused by a burglary or an earthquake: 5 nodes, 4 edges, 10 parameters.

    References
    ----------
    Korb, K. B. and Nicholson, A. E. (2010). Bayesian Artificial Intelligence, 2nd edition, section 2.5.1, after
    Pearl, J. (1988). Probabilistic Reasoning in Intelligent Systems.
    """
    return _bundled("earthquake")


def simple() -> BayesianNetwork:
    """Garden and commute: 7 nodes, 7 edges, 29 parameters, every dependence strong.

    Matuszak and Miekisz (2012, figure 2a) use a "simple Bayesian network" with 7 nodes and 7 edges and do not print its
    parameters. This network has the same size; its names, edges and probabilities are ours (after the sprinkler example
    of Pearl 1988), so results on it compare with theirs qualitatively only.
    """
    yes_no = ("yes", "no")
    families: dict[str, tuple[tuple[str, ...], tuple[str, ...], list[Any]]] = {
        "Season": (("winter", "spring", "summer", "autumn"), (), [0.25, 0.25, 0.25, 0.25]),
        "Rain": (yes_no, ("Season",), [[0.6, 0.4], [0.4, 0.6], [0.1, 0.9], [0.5, 0.5]]),
        "Sprinkler": (("on", "off"), ("Season",), [[0.01, 0.99], [0.3, 0.7], [0.75, 0.25], [0.1, 0.9]]),
        "Grass": (
            ("dry", "damp", "soaked"),
            ("Rain", "Sprinkler"),
            [[[0.01, 0.09, 0.9], [0.1, 0.3, 0.6]], [[0.05, 0.65, 0.3], [0.9, 0.08, 0.02]]],
        ),
        "Slippery": (yes_no, ("Grass",), [[0.02, 0.98], [0.2, 0.8], [0.7, 0.3]]),
        "Traffic": (("light", "normal", "heavy"), ("Rain",), [[0.1, 0.3, 0.6], [0.4, 0.5, 0.1]]),
        "Late": (yes_no, ("Traffic",), [[0.03, 0.97], [0.15, 0.85], [0.55, 0.45]]),
    }
    edges = [(parent, child) for child, (_, parents, _) in families.items() for parent in parents]
    variables = [Variable(name, states) for name, (states, _, _) in families.items()]
    return BayesianNetwork(Dag.from_edges(list(families), edges), variables, [cpt for _, _, cpt in families.values()])


TEXTBOOK = {"asia": asia, "cancer": cancer, "earthquake": earthquake, "simple": simple}


@cache
def _bundled(name: str) -> BayesianNetwork:
    content = catalogue.bundled_content(f"networks/{name}.bif")
    assert content is not None
    return parse_bif(content.decode())
