"""bnlab: a workbench for learning the structure of discrete Bayesian networks.

>>> import bnlab
>>> net = bnlab.load_network("asia")
>>> data = net.sample(10_000, seed=1)
>>> dag = bnlab.learn(data, "chow-liu")
>>> bnlab.score(net.dag, data, "bic") > bnlab.score(dag, data, "bic")
True
"""

import sys as _sys
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from bnlab._runtime import fork as _fork  # noqa: F401 -- registers what a fork needs

if TYPE_CHECKING:
    from bnlab import analysis as analysis
    from bnlab import citests as citests
    from bnlab import classifiers as classifiers
    from bnlab import counts as counts
    from bnlab import data as data
    from bnlab import experiments as experiments
    from bnlab import figures as figures
    from bnlab import graphs as graphs
    from bnlab import learners as learners
    from bnlab import networks as networks
    from bnlab import scores
    from bnlab import skeletons as skeletons
    from bnlab import widgets as widgets
    from bnlab.classifiers import TAN, CkG, NaiveBayes
    from bnlab.data import Table, Variable, load_data, load_frame
    from bnlab.graphs import Dag, Knowledge, compare
    from bnlab.learners import edge_probabilities, estimate, learn
    from bnlab.networks import BayesianNetwork, load_network
    from bnlab.scores import score
    from bnlab.skeletons import skeleton
    from bnlab.widgets.workbench.workbench import Workbench

# Names are imported when they are first used, so that `import bnlab` loads no library beyond the standard one.
_HOMES = {
    "TAN": "classifiers",
    "CkG": "classifiers",
    "NaiveBayes": "classifiers",
    "Table": "data",
    "Variable": "data",
    "load_data": "data",
    "load_frame": "data",
    "Dag": "graphs",
    "Knowledge": "graphs",
    "compare": "graphs",
    "edge_probabilities": "learners",
    "estimate": "learners",
    "learn": "learners",
    "BayesianNetwork": "networks",
    "load_network": "networks",
    "score": "scores",
    "skeleton": "skeletons",
    "Workbench": "widgets",
}
_PACKAGES = {
    *("analysis", "citests", "classifiers", "counts", "data", "experiments", "figures", "graphs", "learners"),
    *("networks", "scores", "skeletons", "widgets"),
}

__version__ = version("bnlab")
__all__ = [
    "TAN",
    "BayesianNetwork",
    "CkG",
    "Dag",
    "Knowledge",
    "NaiveBayes",
    "Table",
    "Variable",
    "Workbench",
    "compare",
    "edge_probabilities",
    "estimate",
    "learn",
    "load_data",
    "load_frame",
    "load_network",
    "score",
    "scores",
    "skeleton",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(f"bnlab.{_HOMES[name]}"), name)
        return value
    if name in _PACKAGES:
        return import_module(f"bnlab.{name}")
    raise AttributeError(f"module 'bnlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})


# In a notebook or in IPython, values show as pictures and tables. What draws them is imported when one is shown.
if (_ipython := _sys.modules.get("IPython")) and (_shell := _ipython.get_ipython()):
    import_module("bnlab.widgets").load_ipython_extension(_shell)
