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
from typing import TYPE_CHECKING

from bnlab._runtime import fork as _fork  # noqa: F401 -- registers what a fork needs
from bnlab._runtime.lazy import attach

if TYPE_CHECKING:
    from bnlab import analysis as analysis
    from bnlab import citests as citests
    from bnlab import classifiers as classifiers
    from bnlab import counts as counts
    from bnlab import data as data
    from bnlab import dynamic as dynamic
    from bnlab import engine as engine
    from bnlab import figures as figures
    from bnlab import graphs as graphs
    from bnlab import learners as learners
    from bnlab import networks as networks
    from bnlab import papers as papers
    from bnlab import scores
    from bnlab import skeletons as skeletons
    from bnlab import widgets as widgets
    from bnlab.analysis import cross_validate
    from bnlab.classifiers import TAN, CkG, NaiveBayes
    from bnlab.data import Table, Variable, load_data, load_frame
    from bnlab.dynamic import learn_dynamic, load_panel
    from bnlab.graphs import Dag, Knowledge, Pdag, compare, essential
    from bnlab.learners import edge_probabilities, learn
    from bnlab.networks import BayesianNetwork, load_network
    from bnlab.scores import score
    from bnlab.skeletons import skeleton
    from bnlab.widgets.workbench.workbench import Workbench

__version__ = version("bnlab")
__all__ = [
    "TAN",
    "BayesianNetwork",
    "CkG",
    "Dag",
    "Knowledge",
    "NaiveBayes",
    "Pdag",
    "Table",
    "Variable",
    "Workbench",
    "compare",
    "cross_validate",
    "edge_probabilities",
    "essential",
    "learn",
    "learn_dynamic",
    "load_data",
    "load_frame",
    "load_network",
    "load_panel",
    "score",
    "scores",
    "skeleton",
]

# So that `import bnlab` loads no library beyond the standard one.
__getattr__, __dir__ = attach(__name__, __file__)

# In a notebook or in IPython, values show as pictures and tables. What draws them is imported when one is shown.
if (_ipython := _sys.modules.get("IPython")) and (_shell := _ipython.get_ipython()):
    import_module("bnlab.widgets").load_ipython_extension(_shell)
